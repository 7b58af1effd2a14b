"""RecordStore over one DynamoDB table: reads here, commits in `transaction.py`, pages in `listing.py`."""

from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.store.context_sources import ContextItems
from memory_layer.adapters.aws.store.entity_events import EntityEventItems
from memory_layer.adapters.aws.store.erasure import ErasureItems, SideItems
from memory_layer.adapters.aws.store.history import VersionItems
from memory_layer.adapters.aws.store.listing import ListingQuery, RecordListing
from memory_layer.adapters.aws.store.pairs import PairItems
from memory_layer.adapters.aws.store.project_log import ProjectLog
from memory_layer.adapters.aws.store.project_marks import ProjectRegistry, WriteMarks
from memory_layer.adapters.aws.store.receipts import ReceiptItems
from memory_layer.adapters.aws.store.record_bodies import BodyItems
from memory_layer.adapters.aws.store.record_verification import DynamoRecordVerification
from memory_layer.adapters.aws.store.sessions import SessionItems
from memory_layer.adapters.aws.store.side_verification import DynamoSideVerification
from memory_layer.adapters.aws.store.sound_items import SoundItems
from memory_layer.adapters.aws.store.staging import StagingItems
from memory_layer.adapters.aws.store.sweep_schedule import SweepItems
from memory_layer.adapters.aws.store.transaction import ITEM_MAX_BYTES, CommitItems, CommitTransactions
from memory_layer.adapters.aws.table import keys, record_items, record_seals, request_items
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.history_items import verdict_of
from memory_layer.adapters.aws.table.keys import AFTER_HASH, VERDICT
from memory_layer.adapters.aws.table.record_items import version_of as record_version_of
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.adapters.aws.table.request_items import read_answers
from memory_layer.adapters.process.system_clock import SystemClock
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.stored_values import parse_stored
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.integrity.verification import SideRecord, StoredPage, StoredRecord
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus
from memory_layer.domain.memory import Memory, Ref, Scope, Status
from memory_layer.domain.policy import Policy
from memory_layer.errors import TooLarge
from memory_layer.manifest.tables import BY_CONTENT
from memory_layer.ports.collections import RunPage, StagedPage
from memory_layer.ports.commit import IdempotencyRecord, Vectors, Verdict
from memory_layer.ports.process import Clock
from memory_layer.ports.records import Operation, RecallReceipt, RecordPage, RecordVersion

THREADS = 16
"""Round trips side by side."""

EVERYONE = Viewer(sees_all_personas=True)


def _new_token() -> str:
    return uuid4().hex


class DynamoRecordStore(
    SweepItems, EntityEventItems, ContextItems, PairItems, BodyItems, ErasureItems, CommitItems
):
    """Record store of the cloud.

    Args:
        client: as `boto_clients.dynamodb` makes it.
        table: the name of the records table.
        bodies: what it keeps the words of records with that are hot no more.
        clock: the use cases' own.
        backoff: how often and after what pauses to try again what the table is too busy for.
        new_token: makes client tokens, never the same twice.
    """

    def __init__(
        self,
        client: Any,
        table: str,
        bodies: Bodies,
        *,
        clock: Clock | None = None,
        backoff: Backoff | None = None,
        new_token: Callable[[], str] = _new_token,
    ) -> None:
        self._clock = clock or SystemClock()
        self._table = RecordsTable(client, table, backoff or Backoff())
        self._bodies = bodies.beside(lambda scope, id: self._versions.sound(scope, id))
        self._unerased = []
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="dynamodb")
        self._reading = BatchReads(self._table, self._executor)
        self._sound = SoundItems(self._table, self._reading)
        self._versions = VersionItems(self._table, self._reading, self._executor)
        self._log = ProjectLog(self._table)
        self._transactions = CommitTransactions(self._table, self._clock, new_token)
        self._registry = ProjectRegistry(self._table, self._clock)
        self._new_token = new_token
        self._marks = WriteMarks(self._table, self._reading, new_token)
        self._listing = RecordListing(self._table, self._log, self._sound.read, self._executor)
        self._record_verification = DynamoRecordVerification(
            self._table, self._reading, self._log, self._executor
        )
        self._side_verification = DynamoSideVerification(self._table, self._reading)
        self._sessions = SessionItems(self._table, self._log, self._sound, self._executor)
        self._receipts = ReceiptItems(self._table, self._reading, self._clock, self._executor)
        self._staging = StagingItems(self._table, self._reading, self._clock)
        self._side_items = SideItems(self._table, self._reading, self._sessions, self._executor)

    def get(self, scope: Scope, id: str, *, with_body: bool = True) -> Memory | None:
        found = self._sound.one(scope, id)
        return self._bodies.one(found) if found is not None and with_body else found

    def get_many(self, tenant: str, refs: Collection[Ref], *, with_bodies: bool = True) -> dict[Ref, Memory]:
        found = self._sound.memories(tenant, refs)
        if not with_bodies:
            return found
        return {memory.ref: memory for memory in self.whole(list(found.values()))}

    def last_versions(self, scope: Scope, ids: Collection[str]) -> dict[str, int]:
        wanted = [keys.record_key(scope, id) for id in dict.fromkeys(ids)]
        found = self._reading.items(wanted, ("pk", "version"))
        return {keys.id_of(item): record_version_of(item) for item in found}

    def page(
        self,
        scope: Scope,
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        after: tuple[str, str] | None,
        limit: int,
        oldest_first: bool = False,
    ) -> RecordPage:
        asked = ListingQuery(scope, filters, viewer, now, after, limit, oldest_first)
        return self._records_listed(asked)

    def every(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> RecordPage:
        asked = ListingQuery(scope, Filters(status=()), EVERYONE, self._clock.now(), after, limit, True)
        return self._records_listed(asked)

    def _records_listed(self, asked: ListingQuery) -> RecordPage:
        found = self._listing.page(asked)
        page = self._bodies.whole_page(found)
        return replace(page, unread=(*found.unread, *page.unread)) if found.unread else page

    def kept(self, scope: Scope, *, after: str | None, limit: int, with_history: bool = True) -> StoredPage:
        return self._record_verification.page(scope, after, limit, with_history)

    def kept_under(
        self, scope: Scope, ids: Collection[str], *, with_history: bool = True
    ) -> list[StoredRecord]:
        return self._record_verification.under(scope, sorted(set(ids)), with_history)

    def beside(self, scope: Scope) -> Iterator[SideRecord]:
        return self._side_verification.all(scope)

    def mend(self, scope: Scope, ids: Collection[str]) -> list[str]:
        return self._sound.mend(scope, ids)

    def known_damage(self) -> list[tuple[Scope, str]]:
        return self._sound.known_damage()

    def damaged_among(self, tenant: str, refs: Collection[Ref]) -> list[Ref]:
        return self._sound.damaged_among(tenant, refs)

    def damage(self) -> list[str]:
        """Returns nothing: DynamoDB checks its own storage."""
        return []

    def same_content(self, scope: Scope, content_hash: str) -> list[Memory]:
        lately = self._executor.submit(self._log.with_content, scope, content_hash)
        part = KeyRange(
            keys.content_partition(scope, content_hash),
            " ",
            "~",
            index=BY_CONTENT.name,
            keys=(BY_CONTENT.partition_key, BY_CONTENT.sort_key),
        )
        ids = {keys.id_of(item) for item in self._table.whole(part)} | lately.result()
        records = self._sound.memories(scope.tenant, [Ref(scope.project, id) for id in sorted(ids)])
        same = [m for m in records.values() if m.is_active and m.content_hash == content_hash]
        return self.whole(same)

    def vectors(self, scope: Scope, ids: Collection[str]) -> dict[str, Vectors]:
        wanted = [keys.record_key(scope, id) for id in dict.fromkeys(ids)]
        stored = self._reading.items(wanted, ("pk", *record_seals.VECTOR_READ_ATTRIBUTES))
        return {
            keys.id_of(item): vectors
            for item in stored
            if (vectors := record_seals.sound_vectors_or_none(item)) is not None
        }

    def turns(self, scope: Scope, session_id: str, first: int, last: int) -> list[Memory]:
        return self._bodies.whole_or_stubs(self._sessions.turns(scope, session_id, first, last))

    def take_positions(self, scope: Scope, session_id: str, count: int, *, at_least: int = 0) -> int:
        return self._sessions.take_positions(scope, session_id, count, at_least)

    def history(self, scope: Scope, id: str) -> list[RecordVersion]:
        return self._bodies.whole_history(self._versions.all(scope, id))

    def versions_at(self, scope: Scope, ids: Collection[str], moment: datetime) -> dict[str, Memory]:
        found = self._versions.at(scope, ids, moment)
        return {memory.id: memory for memory in self.whole(list(found.values()))}

    def in_status_since(self, scope: Scope, ids: Collection[str], status: Status) -> dict[str, RecordVersion]:
        return self._bodies.whole_versions(self._versions.in_status_since(scope, ids, status))

    def verdicts(self, scope: Scope, memory_id: str) -> list[Verdict]:
        part = KeyRange(keys.record_partition(scope, memory_id), VERDICT, f"{VERDICT[:-1]}{AFTER_HASH}")
        found = [
            parse_stored(verdict_of, item, f"a verdict on {memory_id}") for item in self._table.whole(part)
        ]
        standing = (verdict for verdict in found if verdict.replaced_by is None)
        return sorted(standing, key=lambda verdict: (verdict.at, verdict.id))

    def policy(self, scope: Scope) -> Policy:
        return request_items.stored_policy(scope, self._table.get(keys.policy_key(scope)))

    def answers(self, scope: Scope, keys: Collection[str], now: datetime) -> dict[str, IdempotencyRecord]:
        return read_answers(self._reading, scope, keys, now)

    def written_after(self, scope: Scope, position: int) -> list[Ref]:
        return self._log.written_after(scope, position)

    def note_recall(self, receipt: RecallReceipt) -> None:
        self._receipts.note(receipt)

    def receipt(self, scope: Scope, recall_id: str) -> RecallReceipt | None:
        return self._receipts.find(scope, recall_id)

    def recalled_since(self, scope: Scope, refs: Collection[Ref], since: datetime) -> set[Ref]:
        return self._receipts.recalled_since(scope, refs, since)

    def count_accesses(self, counts: Mapping[tuple[Scope, str], int], at: datetime) -> None:
        """Adds recalls to the records' own counts (see `ReceiptItems.count`)."""
        self._receipts.count(counts, at)

    def run(self, scope: Scope, run_id: str) -> RunRecord | None:
        return self._staging.run(scope, run_id)

    def runs(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> RunPage:
        return self._staging.runs(scope, after, limit)

    def staged(self, scope: Scope, ids: Collection[str]) -> dict[str, StagedLearning]:
        return self._staging.staged(scope, ids)

    def staged_page(
        self,
        scope: Scope,
        statuses: Collection[StagedStatus],
        viewer: Viewer,
        *,
        after: tuple[str, str] | None,
        limit: int,
    ) -> StagedPage:
        return self._staging.staged_page(scope, statuses, viewer, after, limit)

    def staged_counts(self, scope: Scope, viewer: Viewer) -> dict[StagedStatus, int]:
        return self._staging.staged_counts(scope, viewer)

    def put_operation(self, operation: Operation) -> None:
        """Writes an operation.

        Raises:
            TooLarge: its result or problem, packed, is more than an item holds.
        """
        item = request_items.operation_item(operation)
        if (packed_bytes := record_items.size_bytes(item)) > ITEM_MAX_BYTES:
            raise TooLarge(
                f"what came of operation {operation.id} takes {packed_bytes} bytes packed, {ITEM_MAX_BYTES} is the "
                "most; keep it as a blob, and name that in the result"
            )
        self._table.put(item)

    def operation(self, tenant: str, id: str) -> Operation | None:
        item = self._table.get(keys.operation_key(tenant, id))
        if item is None or not request_items.is_unexpired(item, self._clock.now()):
            return None
        return parse_stored(request_items.operation_of, item, f"operation {id}")

    def close(self) -> None:
        """Closes the threads."""
        self._executor.shutdown()
