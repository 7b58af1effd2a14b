"""Low-level boto3 clients: made once per process, with time-outs of their own and bounded retries."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError

TEST_REGION = "us-east-1"
"""Where a test's endpoint answers; in the cloud the region is the process's own."""

CONNECTIONS = 32
"""More than the threads that share a client, so that none waits for a socket."""

CONNECT_TIMEOUT_S = 1.0
READ_TIMEOUT_S = 3.0
ATTEMPTS = 2
"""Botocore's own, in its standard mode: time-outs, lost connections, 5xx, throttling; one client token for both. Two
time-outs end before the shortest function does; what the table is too busy for, `Table` tries again."""


class AnswerCutOff(BotoCoreError):  # type: ignore[misc]  # botocore carries no types
    """What came is no JSON: botocore would take it for an answer without items."""

    fmt = "the answer was cut off on its way"


_READS = ("GetItem", "BatchGetItem", "Query", "Scan")


@cache
def dynamodb(
    region: str | None = None, endpoint: str | None = None, read_timeout_s: float = READ_TIMEOUT_S
) -> Any:
    """The client of the record store; what it reads holds bytes as base64 text (see `items.bytes_of`)."""
    client = _client("dynamodb", region, endpoint, read_timeout_s)
    for operation in _READS:
        client.meta.events.register(f"before-parse.dynamodb.{operation}", _take_items_as_they_are)
    return client


@cache
def s3(region: str | None = None, endpoint: str | None = None) -> Any:
    return _client("s3", region, endpoint, 10.0)


@cache
def events(region: str | None = None, endpoint: str | None = None) -> Any:
    return _client("events", region, endpoint, READ_TIMEOUT_S)


def _client(service: str, region: str | None, endpoint: str | None, read_timeout_s: float) -> Any:
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=read_timeout_s,
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
        max_pool_connections=CONNECTIONS,
        parameter_validation=False,  # the service checks as well; it is half a millisecond of every write
        tcp_keepalive=True,
    )
    session = botocore.session.get_session()
    return session.create_client(
        service,
        region_name=region or (TEST_REGION if endpoint else None),
        endpoint_url=endpoint,
        config=config,
    )


def _take_items_as_they_are(
    response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: Any
) -> None:
    """Botocore's parser walks every attribute through its model; the JSON has the very shape that it makes."""
    if response_dict["status_code"] != 200:
        return
    try:
        answer = json.loads(response_dict["body"])
    except ValueError as error:
        raise AnswerCutOff from error
    customized_response_dict.update(answer)
    response_dict["body"] = b"{}"
