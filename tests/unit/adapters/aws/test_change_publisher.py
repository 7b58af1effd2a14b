"""Changes on the bus (botocore's stub, which knows the service's model): in tens, again where they were not taken."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from memory_layer.adapters.aws.projection.change_publisher import ATTEMPTS, ChangePublisher
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.store.audit_chain import READ_AT_ONCE, AuditChain
from memory_layer.adapters.aws.table.audit_items import ToldEvent, link_item, source_key
from memory_layer.adapters.aws.table.record_items import Item
from memory_layer.domain.audit import AuditEvent, AuditHead, AuditLink, chained
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.manifest.change_events import CHANGES_SOURCE
from tests.given import SCOPE, START, StandingClock, a_memory

BUS = "memory-layer"
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
TAKEN = {"EventId": "1"}
REFUSED = {"ErrorCode": "ThrottlingException", "ErrorMessage": "no"}
TOLD = [ToldEvent(SCOPE, "s#0", START, AuditEvent(what="created", principal="ada", about="m1"))]


def links(count: int) -> list[AuditLink]:
    told = [
        AuditEvent(what="created", principal="ada", about=f"m{at}", before=0, after=1) for at in range(count)
    ]
    return chained(AuditHead(), told, "2026-03-01T12:00:00Z", [b"salt"] * count)


def answer(*results: dict[str, str]) -> dict[str, Any]:
    return {"FailedEntryCount": sum("ErrorCode" in one for one in results), "Entries": list(results)}


@pytest.fixture
def client() -> Any:
    return boto3.client("events", region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x")


@pytest.fixture
def stubbed(client: Any) -> Iterator[Stubber]:
    with Stubber(client) as stubbed:
        yield stubbed
        stubbed.assert_no_pending_responses()


def publisher(client: Any, found: Sequence[AuditLink], *memories: Memory) -> ChangePublisher:
    def read(tenant: str, refs: Sequence[Ref]) -> dict[Ref, Memory]:
        assert tenant == SCOPE.tenant
        return {one.ref: one for one in memories if one.ref in refs}

    def in_chain(told: Sequence[ToldEvent]) -> list[tuple[Scope, AuditLink]]:
        assert list(told) == TOLD
        return [(SCOPE, link) for link in found]

    waits = Backoff(attempts=ATTEMPTS, sleep=lambda _: None)
    return ChangePublisher(in_chain, read, StandingClock(), client, BUS, waits)


def entries(sent: list[Any]) -> list[list[dict[str, Any]]]:
    return [[json.loads(entry["Detail"]) for entry in request["Entries"]] for request in sent]


@pytest.fixture
def sent(client: Any) -> list[Any]:
    found: list[Any] = []
    client.meta.events.register(
        "provide-client-params.events.PutEvents", lambda params, **_: found.append(params)
    )
    return found


def test_changes_are_published_in_tens_as_cloud_events(
    client: Any, stubbed: Stubber, sent: list[Any]
) -> None:
    for size in (10, 10, 3):
        stubbed.add_response("put_events", answer(*[TAKEN] * size))
    publisher(client, links(23), a_memory(SCOPE, "m0")).publish(TOLD)
    told = [event for request in entries(sent) for event in request]
    assert [event["id"] for event in told] == [str(at) for at in range(1, 24)]
    assert told[0]["source"] == "urn:memory-layer:acme:web"
    assert told[0]["data"]["now"]["status"] == "active"
    assert "now" not in told[1]["data"]
    first = sent[0]["Entries"][0]
    assert (first["EventBusName"], first["Source"], first["DetailType"]) == (
        BUS,
        CHANGES_SOURCE,
        "memory.created",
    )


def test_a_change_goes_on_in_the_trace_of_its_request(client: Any, stubbed: Stubber, sent: list[Any]) -> None:
    """Rules of the bus pass X-Ray's header on to their targets."""
    stubbed.add_response("put_events", answer(TAKEN, TAKEN))
    told = [
        AuditEvent(what="created", principal="ada", about=id, before=0, after=1, traceparent=traceparent)
        for id, traceparent in (("m0", PARENT), ("m1", None))
    ]
    publisher(client, chained(AuditHead(), told, "2026-03-01T12:00:00Z", [b"salt"] * 2)).publish(TOLD)
    first, second = sent[0]["Entries"]
    assert json.loads(first["Detail"])["traceparent"] == PARENT
    assert (
        first["TraceHeader"] == "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent=00f067aa0ba902b7;Sampled=1"
    )
    assert "TraceHeader" not in second
    assert "traceparent" not in json.loads(second["Detail"])


def test_those_that_were_not_taken_are_offered_again_and_no_other(
    client: Any, stubbed: Stubber, sent: list[Any]
) -> None:
    """Falls without a look at each entry: PutEvents answers 200 even if it took none."""
    stubbed.add_response("put_events", answer(TAKEN, REFUSED, TAKEN))
    stubbed.add_client_error("put_events", "ThrottlingException")
    stubbed.add_response("put_events", answer(TAKEN))
    publisher(client, links(3)).publish(TOLD)
    assert [[event["subject"] for event in request] for request in entries(sent)] == [
        ["m0", "m1", "m2"],
        ["m1"],
        ["m1"],
    ]


def test_a_bus_that_takes_nothing_has_the_batch_told_again(client: Any, stubbed: Stubber) -> None:
    for _ in range(ATTEMPTS):
        stubbed.add_response("put_events", answer(REFUSED))
    with pytest.raises(StoreUnavailable, match="did not take 1 changes"):
        publisher(client, links(1)).publish(TOLD)


def test_what_is_erased_or_no_change_is_not_published(client: Any, stubbed: Stubber) -> None:
    (kept,) = links(1)
    erased = AuditLink(kept.position, kept.at, kept.about, kept.sealed, kept.digest, None, None)
    (refused,) = chained(AuditHead(), [AuditEvent(what="refused", principal="ada")], kept.at, [b"salt"])
    publisher(client, [erased, refused]).publish(TOLD)
    assert stubbed is not None


class FewItems:
    """A table from which a hundred keys are read at a time."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = {(item["pk"]["S"], item["sk"]["S"]): item for item in items}

    def get_chunk(self, wanted: Sequence[Any], _names: Sequence[str] = ()) -> list[Item]:
        names = [(key["pk"]["S"], key["sk"]["S"]) for key in wanted]
        assert len(set(names)) == len(names) <= READ_AT_ONCE
        return [self.items[name] for name in names if name in self.items]


def test_links_are_found_by_what_was_told_in_the_order_of_the_chain_each_once() -> None:
    told = [
        ToldEvent(SCOPE, f"s{at}#0", START, AuditEvent(what="created", principal="ada", about=f"m{at}"))
        for at in range(150)
    ]
    found = links(150)
    sources = [
        {**source_key(one), "position": {"N": str(link.position)}}
        for one, link in zip(told, found, strict=True)
    ]
    table = FewItems([*sources, *(link_item(SCOPE, link) for link in found)])
    chain = AuditChain(table, lambda: "token")  # type: ignore[arg-type]
    assert chain.chained([*reversed(told), told[3]]) == [(SCOPE, link) for link in found]
