"""Calls to the engines of the cloud: every request to DynamoDB and OpenSearch, with its units and its moments."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opensearchpy.connection.http_urllib3 import Urllib3HttpConnection


@dataclass(frozen=True, slots=True)
class EngineCall:
    """One request. Args: read, written: DynamoDB's units; started, ended: seconds of one clock."""

    engine: str
    operation: str
    started: float
    ended: float
    read: float = 0.0
    written: float = 0.0


@dataclass
class EngineCalls:
    """Requests since the last `taken`."""

    calls: list[EngineCall] = field(default_factory=list)

    def taken(self) -> list[EngineCall]:
        calls, self.calls = self.calls, []
        return calls


def rounds(calls: list[EngineCall]) -> int:
    """Round trips one after the other: a request that began before another had ended shares its round."""
    number, until = 0, float("-inf")
    for call in sorted(calls, key=lambda one: one.started):
        if call.started >= until:
            number, until = number + 1, call.ended
        else:
            until = min(until, call.ended)
    return number


@contextmanager
def recorded(dynamodb: Any) -> Iterator[EngineCalls]:
    """Records what is asked of both engines. Args: dynamodb: the client of the process."""
    seen = EngineCalls()
    events = dynamodb.meta.events

    def ask(params: dict[str, Any], **_: Any) -> None:
        asked = json.loads(params["body"])
        params["body"] = json.dumps({**asked, "ReturnConsumedCapacity": "TOTAL"}).encode()

    def begin(context: dict[str, Any], **_: Any) -> None:
        context["begun_s"] = time.perf_counter()

    def note(parsed: dict[str, Any], model: Any, context: dict[str, Any], **_: Any) -> None:
        told = parsed.get("ConsumedCapacity", [])
        units = sum(one["CapacityUnits"] for one in (told if isinstance(told, list) else [told]))
        is_read = model.name in ("GetItem", "BatchGetItem", "Query", "Scan")
        used = (units, 0.0) if is_read else (0.0, units)
        seen.calls.append(EngineCall("DynamoDB", model.name, context["begun_s"], time.perf_counter(), *used))

    handlers = (
        ("before-parameter-build.dynamodb", begin),
        ("before-call.dynamodb", ask),
        ("after-call.dynamodb", note),
    )
    for name, handler in handlers:
        events.register_last(name, handler)
    real = Urllib3HttpConnection.perform_request

    def noted(self: Any, method: str, url: str, *arguments: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return real(self, method, url, *arguments, **named)
        finally:
            operation = url.rpartition("/")[2].partition("?")[0]
            seen.calls.append(EngineCall("OpenSearch", operation, started, time.perf_counter()))

    Urllib3HttpConnection.perform_request = noted  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        Urllib3HttpConnection.perform_request = real  # type: ignore[method-assign]
        for name, handler in handlers:
            events.unregister(name, handler)
