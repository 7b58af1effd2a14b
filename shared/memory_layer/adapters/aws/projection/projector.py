"""Projection of the table's stream into the index, of whatever kind."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory_layer.adapters.aws.projection import stream_changes
from memory_layer.adapters.aws.projection.bulk_writes import BulkResult
from memory_layer.adapters.aws.projection.item_documents import scope_of
from memory_layer.adapters.aws.table.audit_items import ToldEvent
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.record_items import version_of
from memory_layer.adapters.aws.table.record_seals import is_tombstone
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable, Unavailable

ChainEvents = Callable[[Sequence[ToldEvent]], None]
"""As `AuditChain.append` and `ChangePublisher.publish`."""

SetAside = Callable[[stream_changes.PoisonRecord], None]
"""Keeps what can never be indexed where somebody looks; raises Unavailable if it cannot."""

_log = logging.getLogger(__name__)


class IndexWriter(Protocol):
    """Writer that brings changes to an index; nothing older replaces a newer state there."""

    def write(self, changes: Sequence[stream_changes.RecordChange]) -> BulkResult:
        """Writes the last state of each record, and answers once it can be found."""


@dataclass(frozen=True, slots=True)
class ProjectionResult:
    """Result of a batch.

    Args:
        failed: sequence numbers of the events that are to be told again, in order.
        set_aside: how many items were handed to the failure queue instead.
    """

    failed: list[str]
    set_aside: int = 0


class Projector:
    """Brings the index up to a batch of the stream, however often and in whatever order its events come.

    Args:
        index_writer: writer of the index, of whatever kind; what it wrote can be found.
        delete_log_entries: takes keys of the table.
        finish_erasure: deletes what a crash may have left beside a tombstone of this version.
        set_aside: takes what no index ever takes; without it that is told again until Lambda gives up.
        chain_events: appends to the audit log what is not in it yet.
        publish_changes: tells the bus what is in the audit log now, again where it was told before.
    """

    def __init__(
        self,
        index_writer: IndexWriter,
        *,
        delete_log_entries: Callable[[Sequence[Key]], None],
        finish_erasure: Callable[[Scope, str, int], None],
        set_aside: SetAside | None = None,
        chain_events: ChainEvents | None = None,
        publish_changes: ChainEvents | None = None,
    ) -> None:
        self._index_writer = index_writer
        self._delete_log_entries = delete_log_entries
        self._finish_erasure = finish_erasure
        self._set_aside = set_aside
        self._chain_events = chain_events
        self._publish_changes = publish_changes

    def project(self, records: Sequence[stream_changes.StreamRecord]) -> ProjectionResult:
        """Writes the changes of a batch, then deletes the log entries of what can be found now.

        Lambda tells again from the lowest of the failed events on. What may pass (429, 5xx, no answer) fails; what can
        never be indexed (a document answered with 400, an item that is not whole) is set aside, or nothing behind it
        would ever arrive. Its newest log entry stays, so recalls go on seeing the record.

        Args:
            records: of a Lambda event, in order.
        """
        batch = stream_changes.parse_batch(records)
        failed, poison = self._index(batch.changes)
        failed, kept = self._set_aside_each([*batch.broken, *poison], failed)
        failed |= self._chain(batch.told)
        numbers = [records[position]["dynamodb"]["SequenceNumber"] for position in sorted(failed)]
        return ProjectionResult(numbers, kept)

    def _index(
        self, changes: Sequence[stream_changes.RecordChange]
    ) -> tuple[set[int], list[stream_changes.PoisonRecord]]:
        """Writes changes; returns the positions of those not in every index yet, and those that never will be."""
        written = self._index_writer.write(changes)
        _log_result(written)
        reasons = {id: why for id, why in written.refused.items() if id not in written.waiting}
        failed = {change.first for change in changes if change.id in written.waiting}
        indexed = [c for c in changes if c.id not in written.waiting and c.id not in reasons]
        failed |= self._finish(indexed) | self._forget(indexed)
        found = [change for change in changes if change.id in reasons]
        return failed, [stream_changes.poison_of(change, reasons[change.id]) for change in found]

    def _set_aside_each(
        self, found: Sequence[stream_changes.PoisonRecord], failed: set[int]
    ) -> tuple[set[int], int]:
        """Sets poison records aside; returns the failed positions, with its own, and the number set aside.

        What comes after a failure is told again, and set aside then: once.
        """
        kept = 0
        for poison in sorted(found, key=lambda one: one.first):
            if poison.first > min(failed, default=poison.first):
                break
            if self._is_set_aside(poison):
                kept += 1
            else:
                failed = failed | {poison.first}
        return failed, kept

    def _is_set_aside(self, poison: stream_changes.PoisonRecord) -> bool:
        key = f"{poison.key['pk']} {poison.key['sk']}"
        if self._set_aside is None:
            _log.error("%s cannot be indexed: %s", key, poison.reason)
            return False
        try:
            self._set_aside(poison)
            self._delete_log_entries(stream_changes.log_keys(poison.done_with))
        except Unavailable as error:
            _log.error("%s cannot be indexed (%s), nor set aside: %s", key, poison.reason, error.detail)
            return False
        _log.error("%s cannot be indexed (%s) and is set aside in the failure queue", key, poison.reason)
        return True

    def _finish(self, changes: Sequence[stream_changes.RecordChange]) -> set[int]:
        """Finishes erasures; returns the positions of tombstones beside which something may be left."""
        tombstones = [change for change in changes if is_tombstone(change.image)]
        try:
            for change in tombstones:
                image = change.image
                self._finish_erasure(scope_of(image), image["id"]["S"], version_of(image))
        except StoreUnavailable as error:
            _log.error("erased records may have left something: %s", error.detail)
            return {change.first for change in tombstones}
        return set()

    def _forget(self, changes: Sequence[stream_changes.RecordChange]) -> set[int]:
        """Deletes log entries; returns the positions of the changes whose entries are still there."""
        entries = frozenset[tuple[str, str]]().union(*(change.log_keys for change in changes))
        if not entries:
            return set()
        try:
            self._delete_log_entries(stream_changes.log_keys(entries))
        except StoreUnavailable as error:
            _log.error("log entries of what is indexed are still there: %s", error.detail)
            return {change.first for change in changes}
        return set()

    def _chain(self, told: Mapping[int, Sequence[ToldEvent]]) -> set[int]:
        """Appends events to the audit log and tells the bus; returns the position of the first if one has not all."""
        events = [one for position in sorted(told) for one in told[position]]
        try:
            for take in (self._chain_events, self._publish_changes):
                if take is not None and events:
                    take(events)
        except StoreUnavailable as error:
            _log.error("the audit log, or the bus, is behind: %s", error.detail)
            return {min(told)}
        return set()


def _log_result(written: BulkResult) -> None:
    for id, reason in written.waiting.items():
        _log.warning("%s is not in the search index yet: %s", id, reason)
