"""Low-level boto3 clients: made once per process, with time-outs of their own and bounded retries."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import botocore
import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, NoRegionError, ProfileNotFound

from memory_layer.errors import Unavailable

TEST_REGION = "us-east-1"
"""Region of a test's endpoint; in the cloud the region is the process's own."""

CONNECTIONS = 32
"""More than the threads that share a client, so that none waits for a socket."""

CONNECT_TIMEOUT_S = 1.0
READ_TIMEOUT_S = 3.0
ATTEMPTS = 2
"""Botocore's own, in its standard mode: time-outs, lost connections, 5xx, throttling. Two time-outs end before the
shortest function does."""

ONE_ATTEMPT = 1
"""For the records table, whose adapter tries again itself: two kinds of retries multiply, 24 requests under
throttling."""


NO_REGION: Final = (
    "no AWS region is set; set AWS_REGION, or run: aws configure (what takes --stack takes --region)"
)
NO_CREDENTIALS: Final = "no AWS credentials are found; set AWS_PROFILE, or run: aws configure"

_REGION: Final = {"region": ("region", ["AWS_REGION", "AWS_DEFAULT_REGION"], None, None)}
"""Setting of botocore's sessions: by itself botocore reads AWS_DEFAULT_REGION alone, unlike all other SDKs."""


def aws_session() -> Any:
    """Session of botocore: profile, credentials and region of the process."""
    return botocore.session.Session(session_vars=_REGION)


@contextmanager
def configuration_errors() -> Iterator[None]:
    """Says what of the process's configuration of AWS is missing. Raises: Unavailable: a region, or a profile"""
    try:
        yield
    except NoRegionError as error:
        raise Unavailable(NO_REGION) from error
    except ProfileNotFound as error:
        raise Unavailable(f"{error}; set AWS_PROFILE to one of: aws configure list-profiles") from error


class TruncatedAnswer(BotoCoreError):  # type: ignore[misc]  # botocore carries no types
    """An answer is no JSON: botocore would take it for an answer without items."""

    fmt = "the answer was cut off on its way"


_READS = ("GetItem", "TransactGetItems", "BatchGetItem", "Query", "Scan")

_USER_AGENT: Final = f"memory-layer Botocore/{botocore.__version__}"
"""Given, or botocore composes a longer one twice for every request, which takes a tenth of a small one's time."""

_ASKED: Final = "memory_layer_asked"
"""Key in botocore's context of the parameters that wait for the request's body."""


@cache
def dynamodb(
    region: str | None = None,
    endpoint: str | None = None,
    read_timeout_s: float = READ_TIMEOUT_S,
    attempts: int = ONE_ATTEMPT,
) -> Any:
    """Client of the record store; what it reads holds bytes as base64 text (see `record_items.bytes_of`)."""
    client = _client("dynamodb", region, endpoint, read_timeout_s, attempts)
    for operation in _READS:
        client.meta.events.register(f"before-parse.dynamodb.{operation}", _take_items_as_they_are)
    client.meta.events.register("provide-client-params.dynamodb.BatchGetItem", _keep_parameters)
    client.meta.events.register("before-call.dynamodb.BatchGetItem", _ask_as_it_is)
    return client


@cache
def s3(region: str | None = None, endpoint: str | None = None) -> Any:
    """Client of the blob store: version 4 and the region's own host, or its links are refused.

    Left alone, botocore signs links by version 2 in older regions and names the global host: buckets made since
    June 2020 take neither (S3 user guide, "Authenticating Requests"; "Virtual hosting of buckets").
    """
    style = "path" if endpoint else "virtual"
    host = {"addressing_style": style, "us_east_1_regional_endpoint": "regional"}
    return _client("s3", region, endpoint, 10.0, signature_version="s3v4", s3=host)


@cache
def sqs(region: str | None = None, endpoint: str | None = None) -> Any:
    return _client("sqs", region, endpoint, READ_TIMEOUT_S)


@cache
def bedrock(region: str | None = None, endpoint: str | None = None) -> Any:
    return _client("bedrock-runtime", region, endpoint, 10.0)


@cache
def events(region: str | None = None, endpoint: str | None = None) -> Any:
    return _client("events", region, endpoint, READ_TIMEOUT_S)


def _client(
    service: str,
    region: str | None,
    endpoint: str | None,
    read_timeout_s: float,
    attempts: int = ATTEMPTS,
    **of_the_service: Any,
) -> Any:
    of_the_service = {"retries": {"mode": "standard", "total_max_attempts": attempts}, **of_the_service}
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=read_timeout_s,
        max_pool_connections=CONNECTIONS,
        parameter_validation=False,  # the service checks as well; it is half a millisecond of every write
        tcp_keepalive=True,
        user_agent=_USER_AGENT,
        **of_the_service,
    )
    session = aws_session()
    with configuration_errors():
        client = session.create_client(
            service,
            region_name=region or (TEST_REGION if endpoint else None),
            endpoint_url=endpoint,
            config=config,
        )
        if session.get_credentials() is None:
            client.meta.events.register_first("before-sign.*", _refuse_unsigned)
    return client


def _refuse_unsigned(**_: Any) -> None:
    """Refuses a request that nobody signs: whoever sends it would take it for one that AWS did not answer."""
    raise Unavailable(NO_CREDENTIALS)


def _keep_parameters(params: dict[str, Any], context: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Keeps parameters from botocore's serializer, which walks every key: keys have the very shape of the JSON.

    What is left are the tables: its rules for endpoints look at them.
    """
    context[_ASKED] = params
    return {"RequestItems": {table: {} for table in params["RequestItems"]}}


def _ask_as_it_is(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
    """Puts the parameters kept aside into the request as JSON, before it is signed."""
    params["body"] = _encoded(context[_ASKED]).encode()


_encoded = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def _take_items_as_they_are(
    response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: Any
) -> None:
    """Takes the answer's JSON as it is: botocore's parser walks every attribute, and makes the very same shape."""
    if response_dict["status_code"] != 200:
        return
    try:
        answer = json.loads(response_dict["body"])
    except ValueError as error:
        raise TruncatedAnswer from error
    customized_response_dict.update(answer)
    response_dict["body"] = b"{}"


FUNCTION_READ_TIMEOUT_S: Final = 920.0
"""Longest answer of a function is 900 s away."""


@cache
def functions(region: str | None = None, endpoint: str | None = None) -> Any:
    """Client of Lambda, which waits for a function's answer and asks once: a second call would do the work twice."""
    return _client(
        "lambda",
        region,
        endpoint,
        FUNCTION_READ_TIMEOUT_S,
        retries={"mode": "standard", "total_max_attempts": 1},
    )


@cache
def operator_client(service: str, region: str | None = None, endpoint: str | None = None) -> Any:
    """Client of a service that operators' commands ask: cloudformation, cloudwatch, dynamodbstreams."""
    return _client(service, region, endpoint, 30.0)
