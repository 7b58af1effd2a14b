"""The OpenSearch client: made once per process, signed on https, with time-outs of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth
from opensearchpy.exceptions import (
    AuthenticationException,
    AuthorizationException,
    NotFoundError,
    OpenSearchException,
    TransportError,
)
from urllib3 import Timeout

from memory_layer.adapters.aws.services.boto_clients import (
    CONNECT_TIMEOUT_S,
    CONNECTIONS,
    NO_CREDENTIALS,
    NO_REGION,
    READ_TIMEOUT_S,
    aws_session,
    configuration_errors,
)
from memory_layer.errors import IndexUnavailable

WRITE_TIMEOUT_S = 10.0
"""A bulk waits for a refresh, which comes every second, a new index for every node."""

REINDEX_ADVICE = "the index is not there yet: run mem admin reindex"


class IndexMissing(IndexUnavailable):
    """The domain answers that there is no such index."""


class IndexOverdue(IndexUnavailable):
    """The domain answers that it ran out of time."""


_SERVICE = "es"
_RETRIES = 1


@cache
def search_client(endpoint: str, region: str | None = None) -> OpenSearch:
    """Client that tries a request again once: without a connection, on 502, 503 and 504; not one that took too long.

    Args:
        endpoint: `https://…`, signed with the process's credentials, or `http://…`, unsigned.

    Raises:
        IndexUnavailable: no endpoint is set, or there are no credentials to sign with.
    """
    if not endpoint:
        raise IndexUnavailable(
            "no search endpoint is set; give MEMORY_LAYER_SEARCH_ENDPOINT the domain's https address"
        )
    return OpenSearch(
        endpoint,
        http_auth=_signer(region) if endpoint.startswith("https:") else None,
        timeout=Timeout(connect=CONNECT_TIMEOUT_S, read=READ_TIMEOUT_S),
        pool_maxsize=CONNECTIONS,
        max_retries=_RETRIES,
        retry_on_timeout=False,
    )


def slow_request_params(**params: Any) -> dict[str, Any]:
    """Parameters of a request that writes, or that nobody waits for."""
    return {**params, "request_timeout": Timeout(connect=CONNECT_TIMEOUT_S, read=WRITE_TIMEOUT_S)}


WHOLE_ANSWER: Final = slow_request_params(allow_partial_search_results="false")
"""Parameters of a search that fails where a part of the index does not answer."""


@contextmanager
def opensearch_errors(what: str) -> Iterator[None]:
    """Turns the client's errors into ours.

    Args:
        what: was being done, for the person who reads it.
    """
    try:
        yield
    except OpenSearchException as error:
        kind = IndexMissing if isinstance(error, NotFoundError) else IndexUnavailable
        raise kind(f"{what} failed: {_reason(error)}; {_advice(error)}") from error


def _signer(region: str | None) -> Any:
    session = aws_session()
    with configuration_errors():
        credentials, place = session.get_credentials(), region or session.get_config_variable("region")
    if credentials is None or not place:
        missing = NO_REGION if credentials else NO_CREDENTIALS
        raise IndexUnavailable(f"requests to the search index cannot be signed: {missing}")
    return Urllib3AWSV4SignerAuth(credentials, place, _SERVICE)


def _reason(error: OpenSearchException) -> str:
    if isinstance(error, TransportError):
        return f"{error.status_code} {error.error}"
    return str(error)


def _advice(error: OpenSearchException) -> str:
    if isinstance(error, NotFoundError):
        return REINDEX_ADVICE
    if isinstance(error, AuthenticationException | AuthorizationException):
        return "check the function's grants and the domain's access policy"
    return "the record store has everything; try again once the domain is green"


_MISSING = "index_not_found_exception"


def complete_answer(answer: dict[str, Any], alias: str) -> dict[str, Any]:
    """Returns an answer from every shard: half of the candidates would look like all.

    Raises:
        IndexUnavailable: a part did not answer.
    """
    problem: Any = answer.get("error")
    if problem is None and not answer["timed_out"] and not answer["_shards"]["failed"]:
        return answer
    reason = problem["type"] if problem else "shards failed or ran out of time"
    if reason == _MISSING:
        raise IndexMissing(f"{alias} stands for no index; {REINDEX_ADVICE}")
    kind = IndexUnavailable if problem or not answer["timed_out"] else IndexOverdue
    raise kind(f"{alias} did not answer in full ({reason}); try again, and look at the domain's health")
