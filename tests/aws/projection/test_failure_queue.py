"""What cannot be indexed, handed to SQS (botocore's stub, which knows the service's model): taken, or an error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ReadTimeoutError
from botocore.stub import Stubber

from memory_layer.adapters.aws.projection.failure_queue import FailureQueue
from memory_layer.adapters.aws.projection.stream_changes import PoisonRecord
from memory_layer.adapters.aws.services import boto_clients
from memory_layer.errors import Unavailable

URL = "https://sqs.eu-west-1.amazonaws.com/123456789012/failed"
POISON = PoisonRecord(3, {"pk": "acme#shop#m#a", "sk": "record"}, 7, "400 mapper_parsing_exception from one")


@pytest.fixture
def client() -> Any:
    return boto3.client("sqs", region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x")


@pytest.fixture
def stubbed(client: Any) -> Iterator[Stubber]:
    with Stubber(client) as stubbed:
        yield stubbed
        stubbed.assert_no_pending_responses()


def test_message_names_the_item_and_says_what_is_wrong(client: Any, stubbed: Stubber) -> None:
    body = {"key": dict(POISON.key), "version": 7, "reason": POISON.reason}
    stubbed.add_response(
        "send_message", {"MessageId": "1"}, {"QueueUrl": URL, "MessageBody": json.dumps(body)}
    )
    FailureQueue(client, URL).set_aside(POISON)


def test_refusal_is_told_with_its_code(client: Any, stubbed: Stubber) -> None:
    stubbed.add_client_error("send_message", "AccessDenied")
    with pytest.raises(Unavailable, match="AccessDenied"):
        FailureQueue(client, URL).set_aside(POISON)


def test_no_answer_is_told() -> None:
    class Silent:
        def send_message(self, **_: Any) -> None:
            raise ReadTimeoutError(endpoint_url=URL)

    with pytest.raises(Unavailable, match="ReadTimeoutError"):
        FailureQueue(Silent(), URL).set_aside(POISON)


def test_client_is_made_once() -> None:
    assert boto_clients.sqs("eu-west-1") is boto_clients.sqs("eu-west-1")
