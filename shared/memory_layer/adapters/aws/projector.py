"""The table's stream into every index that is written to."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from memory_layer.adapters.aws.bulk import BulkWriter, Written
from memory_layer.adapters.aws.documents import Document
from memory_layer.adapters.aws.index_names import Target
from memory_layer.adapters.aws.items import is_memory, version_of
from memory_layer.adapters.aws.keys import Key
from memory_layer.adapters.aws.stream_changes import (
    RecordChange,
    StreamRecord,
    document_of_item,
    log_keys,
    receipts,
    record_changes,
    scope_of,
)
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports import Receipt

BATCH_S = 30.0
"""After which no attempt is begun: half of the function's time-out, as one may last 22 s."""

CountAccesses = Callable[[Mapping[tuple[Scope, str], int], datetime], None]
"""As `DynamoRecordStore.count_accesses`."""

_log = logging.getLogger(__name__)


class Projector:
    """Brings the index up to a batch of the stream, however often and in whatever order its events come.

    Args:
        targets: the indexes of now.
        writer: waits until what it wrote can be found.
        delete_log_entries: takes keys of the table.
        count_accesses: adds what recalls have shown to the records' counts.
        finish_erasure: deletes what a crash may have left beside a tombstone of this version.
        seconds: for the writing of one batch.
    """

    def __init__(
        self,
        targets: Callable[[], Sequence[Target]],
        writer: BulkWriter,
        *,
        delete_log_entries: Callable[[Sequence[Key]], None],
        count_accesses: CountAccesses,
        finish_erasure: Callable[[Scope, str, int], None],
        seconds: float = BATCH_S,
    ) -> None:
        self._targets = targets
        self._writer = writer
        self._delete_log_entries = delete_log_entries
        self._count_accesses = count_accesses
        self._finish_erasure = finish_erasure
        self._seconds = seconds

    def project(self, records: Sequence[StreamRecord]) -> list[str]:
        """Write what the batch says, then forget the log entries of what can be found now.

        Lambda tells again from the lowest of the failed events on, halves nothing and gives up in the end: what comes
        after a document that no index takes is written all the same, so that only that one goes to the failure
        destination unwritten. Its log entry stays, so recalls go on seeing it.

        Args:
            records: of a Lambda event, in order.

        Returns:
            Sequence numbers of the events that failed, in order.
        """
        failed = self._index(record_changes(records))
        failed |= self._count(receipts(records), before=min(failed, default=len(records)))
        return [records[position]["dynamodb"]["SequenceNumber"] for position in sorted(failed)]

    def _index(self, changes: Sequence[RecordChange]) -> set[int]:
        """Positions of the changes that are not in every index."""
        documents = {change.id: _document(change) for change in changes}
        whole = [document for document in documents.values() if document is not None]
        written = self._writer.write(whole, self._targets, seconds=self._seconds) if whole else Written()
        _tell(written)
        unwritten = {id for id, document in documents.items() if document is None} | written.failed.keys()
        failed = {change.first for change in changes if change.id in unwritten}
        indexed = [change for change in changes if change.id not in unwritten]
        return failed | self._finish(indexed) | self._forget(indexed)

    def _finish(self, changes: Sequence[RecordChange]) -> set[int]:
        """Positions of the tombstones beside which something may be left."""
        tombstones = [change for change in changes if not is_memory(change.image)]
        try:
            for change in tombstones:
                image = change.image
                self._finish_erasure(scope_of(image), image["id"]["S"], version_of(image))
        except StoreUnavailable as error:
            _log.error("erased records may have left something: %s", error.detail)
            return {change.first for change in tombstones}
        return set()

    def _forget(self, changes: Sequence[RecordChange]) -> set[int]:
        """Positions of the changes whose log entries are still there."""
        entries = frozenset[tuple[str, str]]().union(*(change.log_keys for change in changes))
        if not entries:
            return set()
        try:
            self._delete_log_entries(log_keys(entries))
        except StoreUnavailable as error:
            _log.error("log entries of what is indexed are still there: %s", error.detail)
            return {change.first for change in changes}
        return set()

    def _count(self, found: Mapping[int, Receipt], before: int) -> set[int]:
        """The receipts before the first failure, as the others are told again; position of the first uncounted."""
        counted = [found[position] for position in sorted(found) if position < before]
        if not counted:
            return set()
        accesses = Counter(
            (Scope(receipt.scope.tenant, ref.project), ref.id) for receipt in counted for ref in receipt.refs
        )
        try:
            self._count_accesses(accesses, max(receipt.at for receipt in counted))
        except StoreUnavailable as error:
            _log.error("accesses are not counted: %s", error.detail)
            return {min(found)}
        return set()


def _tell(written: Written) -> None:
    for id, reason in written.waiting.items():
        _log.warning("%s is not in the search index yet: %s", id, reason)
    for id, reason in written.refused.items():
        _log.error("%s cannot be indexed: %s", id, reason)


def _document(change: RecordChange) -> Document | None:
    """None of an item that cannot be read: the others of its batch must not wait for it."""
    try:
        return document_of_item(change.image)
    except (LookupError, TypeError, ValueError) as error:
        _log.error("%s cannot be indexed: its item is not whole (%s)", change.id, type(error).__name__)
        return None
