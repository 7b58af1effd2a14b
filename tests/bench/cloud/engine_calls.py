"""Calls to the engines of the cloud: every request to DynamoDB and OpenSearch, with its units, and rounds of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opensearchpy.connection.http_urllib3 import Urllib3HttpConnection

from tests.aws.waited_rounds import WaitedRounds, followed_through_threads


@dataclass(frozen=True, slots=True)
class EngineCall:
    """One request.

    Args:
        read, written: DynamoDB's units, as the local engine tells them.
        empty: units that AWS reads beside them, where there is nothing, and that the local engine leaves out.
    """

    engine: str
    operation: str
    read: float = 0.0
    written: float = 0.0
    empty: float = 0.0


@dataclass
class EngineCalls:
    """Requests since the last `taken`. Args: rounds: of the thread that asks."""

    calls: list[EngineCall] = field(default_factory=list)
    rounds: WaitedRounds = field(default_factory=WaitedRounds)

    def taken(self) -> list[EngineCall]:
        calls, self.calls = self.calls, []
        return calls

    def rounds_taken(self) -> int:
        """Rounds that this thread has waited for since the last time, one after the other."""
        rounds, self.rounds.count = self.rounds.count, 0
        return rounds


def empty_units(operation: str, asked: Mapping[str, Any], answer: Mapping[str, Any]) -> float:
    """Units of a read where there is nothing: 1 for each key, and for a query without an item; half if it may lag.

    Source: Amazon DynamoDB Developer Guide, read consumption.
    """
    match operation:
        case "GetItem":
            return 0.0 if "Item" in answer else _least(asked)
        case "Query":
            return 0.0 if answer.get("ScannedCount") else _least(asked)
        case "BatchGetItem":
            return sum(_missing(table, one, answer) for table, one in asked["RequestItems"].items())
    return 0.0


def _missing(table: str, asked: Mapping[str, Any], answer: Mapping[str, Any]) -> float:
    left = answer.get("UnprocessedKeys", {}).get(table, {}).get("Keys", ())
    return (len(asked["Keys"]) - len(left) - len(answer["Responses"].get(table, ()))) * _least(asked)


def _least(asked: Mapping[str, Any]) -> float:
    return 1.0 if asked.get("ConsistentRead") else 0.5


@contextmanager
def recorded(dynamodb: Any) -> Iterator[EngineCalls]:
    """Records what is asked of both engines. Args: dynamodb: the client of the process."""
    seen = EngineCalls()
    events = dynamodb.meta.events

    def ask(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        asked = context["asked"] = json.loads(params["body"])
        seen.rounds.note()
        params["body"] = json.dumps({**asked, "ReturnConsumedCapacity": "TOTAL"}).encode()

    def note(parsed: dict[str, Any], model: Any, context: dict[str, Any], **_: Any) -> None:
        told = parsed.get("ConsumedCapacity", [])
        units = sum(one["CapacityUnits"] for one in (told if isinstance(told, list) else [told]))
        is_read = model.name in ("GetItem", "BatchGetItem", "Query", "Scan")
        used = (units, 0.0) if is_read else (0.0, units)
        empty = empty_units(model.name, context["asked"], parsed)
        seen.calls.append(EngineCall("DynamoDB", model.name, *used, empty))

    handlers = (("before-call.dynamodb", ask), ("after-call.dynamodb", note))
    for name, handler in handlers:
        events.register_last(name, handler)
    real = Urllib3HttpConnection.perform_request

    def noted(self: Any, method: str, url: str, *arguments: Any, **named: Any) -> Any:
        seen.rounds.note()
        try:
            return real(self, method, url, *arguments, **named)
        finally:
            operation = url.rpartition("/")[2].partition("?")[0]
            seen.calls.append(EngineCall("OpenSearch", operation))

    Urllib3HttpConnection.perform_request = noted  # type: ignore[method-assign]
    try:
        with followed_through_threads(seen.rounds):
            yield seen
    finally:
        Urllib3HttpConnection.perform_request = real  # type: ignore[method-assign]
        for name, handler in handlers:
            events.unregister(name, handler)
