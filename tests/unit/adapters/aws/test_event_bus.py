"""Events handed to EventBridge (botocore's stub, which knows the service's model): taken, or an error that says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ReadTimeoutError
from botocore.stub import Stubber

from memory_layer.adapters.aws.services.event_bus import (
    ATTEMPTS,
    FIRST_PAUSE_S,
    MAX_DETAIL_BYTES,
    EventBridgeBus,
)
from memory_layer.errors import Unavailable

BUS = "memory-layer"
DETAIL = {"tenant": "acme", "project": "web", "session_id": "Grüße", "first": 0, "last": 3}
REGION = "eu-west-1"
KEYS = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}


def taken() -> dict[str, Any]:
    return {"FailedEntryCount": 0, "Entries": [{"EventId": "1"}]}


def refused(code: str) -> dict[str, Any]:
    return {"FailedEntryCount": 1, "Entries": [{"ErrorCode": code, "ErrorMessage": "no"}]}


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def client() -> Any:
    return boto3.client("events", region_name=REGION, **KEYS)


@pytest.fixture
def stubbed(client: Any) -> Iterator[Stubber]:
    with Stubber(client) as stubbed:
        yield stubbed
        stubbed.assert_no_pending_responses()


@pytest.fixture
def bus(client: Any, pauses: list[float]) -> EventBridgeBus:
    return EventBridgeBus(client, BUS, sleep=pauses.append, jitter=lambda: 1.0)


def test_the_kind_is_what_rules_see(bus: EventBridgeBus, stubbed: Stubber) -> None:
    entry = {
        "EventBusName": BUS,
        "Source": "memory-layer",
        "DetailType": "session.extended",
        "Detail": json.dumps(DETAIL, ensure_ascii=False, separators=(",", ":")),
    }
    stubbed.add_response("put_events", taken(), {"Entries": [entry]})
    bus.publish("session.extended", DETAIL)


def test_an_entry_not_taken_is_offered_again(
    bus: EventBridgeBus, stubbed: Stubber, pauses: list[float]
) -> None:
    """Safeguard: FailedEntryCount is read; PutEvents answers 200 for events that it dropped."""
    for answer in (refused("ThrottlingException"), refused("InternalFailure"), taken()):
        stubbed.add_response("put_events", answer)
    bus.publish("session.extended", DETAIL)
    assert pauses == [FIRST_PAUSE_S, 2 * FIRST_PAUSE_S]


def test_an_entry_never_taken_is_an_error(bus: EventBridgeBus, stubbed: Stubber, pauses: list[float]) -> None:
    for _ in range(ATTEMPTS):
        stubbed.add_response("put_events", refused("ThrottlingException"))
    with pytest.raises(
        Unavailable, match=r"bus memory-layer did not take session.extended \(ThrottlingException\)"
    ):
        bus.publish("session.extended", DETAIL)
    assert len(pauses) == ATTEMPTS - 1


def test_what_will_never_be_taken_is_offered_once(
    bus: EventBridgeBus, stubbed: Stubber, pauses: list[float]
) -> None:
    stubbed.add_response("put_events", refused("NotAuthorizedForDetailTypeException"))
    with pytest.raises(Unavailable, match="NotAuthorized"):
        bus.publish("session.extended", DETAIL)
    assert pauses == []


def test_a_bus_that_does_not_answer_is_an_error(bus: EventBridgeBus, stubbed: Stubber) -> None:
    stubbed.add_client_error("put_events", "AccessDeniedException")
    with pytest.raises(Unavailable, match="AccessDeniedException"):
        bus.publish("session.extended", DETAIL)


def test_a_time_out_is_an_error() -> None:
    class Silent:
        def put_events(self, **_: Any) -> Any:
            raise ReadTimeoutError(endpoint_url="https://events.example")

    with pytest.raises(Unavailable, match="ReadTimeoutError"):
        EventBridgeBus(Silent(), BUS).publish("session.extended", DETAIL)


def test_a_detail_has_to_fit_into_an_event(bus: EventBridgeBus) -> None:
    with pytest.raises(ValueError, match="put its body into a blob"):
        bus.publish("batch.accepted", {"lines": "é" * (MAX_DETAIL_BYTES // 2)})
