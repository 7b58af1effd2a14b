"""Events of changes on the bus: made of the links of the audit log that a batch of the stream has told."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.table.audit_items import ToldEvent
from memory_layer.domain.audit import AuditLink
from memory_layer.domain.change_events import ChangeEvent, as_cloud_event, event_of_link, state_told
from memory_layer.domain.memory import Memory, Ref, Scope, as_of_now
from memory_layer.domain.portability.trace_context import xray_header
from memory_layer.errors import StoreUnavailable
from memory_layer.manifest.change_events import CHANGES_SOURCE, ENTRIES_AT_ONCE
from memory_layer.ports.process import Clock

ATTEMPTS: Final = 5

Chained = Callable[[Sequence[ToldEvent]], Sequence[tuple[Scope, AuditLink]]]
"""As `AuditChain.chained`."""

ReadMemories = Callable[[str, Sequence[Ref]], Mapping[Ref, Memory]]
"""Reads the memories of a tenant that are there, without their bodies."""


class ChangePublisher:
    """Publisher of changes to one bus, each at least once: told again, it publishes again, under the same ids.

    Args:
        chained: links as they lie: what was erased meanwhile has no readable part, and is not told.
        client: boto3's EventBridge client.
        count: told the number of changes by type once they are published.
        span: opens the span of a batch. Args: the trace contexts of the requests that its changes came from.
    """

    def __init__(
        self,
        chained: Chained,
        memories: ReadMemories,
        clock: Clock,
        client: Any,
        bus_name: str,
        backoff: Backoff | None = None,
        count: Callable[[Mapping[str, int]], None] = lambda _: None,
        span: Callable[[Sequence[str]], AbstractContextManager[None]] = lambda _: nullcontext(),
    ) -> None:
        self._chained = chained
        self._memories = memories
        self._clock = clock
        self._client = client
        self._bus_name = bus_name
        self._count = count
        self._span = span
        self._backoff = backoff or Backoff(attempts=ATTEMPTS, base_s=0.05)

    def publish(self, told: Sequence[ToldEvent]) -> None:
        """Publishes the changes among events that are chained.

        Raises:
            StoreUnavailable: the bus has not taken all of them, however often they were offered.
        """
        events = list(self._events(told))
        for start in range(0, len(events), ENTRIES_AT_ONCE):
            batch = events[start : start + ENTRIES_AT_ONCE]
            with self._span([event.traceparent for event in batch if event.traceparent is not None]):
                self._put([self._entry(event) for event in batch])
        self._count(Counter(event.type for event in events))

    def _events(self, told: Sequence[ToldEvent]) -> Iterator[ChangeEvent]:
        by_project: defaultdict[Scope, list[AuditLink]] = defaultdict(list)
        for scope, link in self._chained(told):
            by_project[scope].append(link)
        now = self._clock.now()
        for scope, links in by_project.items():
            refs = [Ref(scope.project, about) for about in {link.about for link in links if link.about}]
            memories = self._memories(scope.tenant, refs) if refs else {}
            states = {ref.id: state_told(as_of_now(memory, now)) for ref, memory in memories.items()}
            events = (event_of_link(scope, link, states.get(link.about)) for link in links)
            yield from (event for event in events if event is not None)

    def _entry(self, event: ChangeEvent) -> dict[str, str]:
        detail = json.dumps(as_cloud_event(event), ensure_ascii=False, separators=(",", ":"))
        named = {"Source": CHANGES_SOURCE, "DetailType": event.type, "Detail": detail}
        traced = {} if event.traceparent is None else {"TraceHeader": xray_header(event.traceparent)}
        return {"EventBusName": self._bus_name, **named, **traced}

    def _put(self, entries: Sequence[Mapping[str, str]]) -> None:
        """Offers entries, and again those that were not taken."""
        refused, waiting = "", list(entries)
        for _ in self._backoff.rounds():
            waiting, refused = self._offer(waiting)
            if not waiting:
                return
        raise StoreUnavailable(f"bus {self._bus_name} did not take {len(waiting)} changes ({refused})")

    def _offer(self, entries: list[Mapping[str, str]]) -> tuple[list[Mapping[str, str]], str]:
        """Offers entries once; returns those that were not taken, and the code of the first of them."""
        try:
            answer = self._client.put_events(Entries=entries)
        except ClientError as error:
            return entries, str(error.response.get("Error", {}).get("Code", "unknown"))
        except BotoCoreError as error:
            return entries, type(error).__name__
        if not answer["FailedEntryCount"]:
            return [], ""
        pairs = list(zip(entries, answer["Entries"], strict=True))
        codes = [result["ErrorCode"] for _, result in pairs if "ErrorCode" in result]
        return [entry for entry, result in pairs if "ErrorCode" in result], str(codes[0])
