"""Record store over SQLite: reads here, transactions in `transaction.py`, receipts in `receipts.py`."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from memory_layer.adapters.embedded.sqlite import record_rows
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.filter_conditions import sql_conditions
from memory_layer.adapters.embedded.sqlite.project_rows import UNKNOWN_PROJECT, project_key, settings_of
from memory_layer.adapters.embedded.store.commits import commit_all
from memory_layer.adapters.embedded.store.context_sources import ContextRows
from memory_layer.adapters.embedded.store.entity_events import EntityEventRows
from memory_layer.adapters.embedded.store.erasure import ErasureRows
from memory_layer.adapters.embedded.store.file_verification import file_flaws
from memory_layer.adapters.embedded.store.history import VerdictRows, VersionRows
from memory_layer.adapters.embedded.store.pairs import PairRows
from memory_layer.adapters.embedded.store.receipts import ReceiptLog
from memory_layer.adapters.embedded.store.record_bodies import BodyRows
from memory_layer.adapters.embedded.store.record_repair import RecordRepair
from memory_layer.adapters.embedded.store.record_verification import SqliteRecordVerification
from memory_layer.adapters.embedded.store.requests import AnswerRows, OperationRows
from memory_layer.adapters.embedded.store.side_verification import verify_side_rows
from memory_layer.adapters.embedded.store.sound_reads import SoundReads
from memory_layer.adapters.embedded.store.sound_records import (
    SoundRecords,
    memories_in,
)
from memory_layer.adapters.embedded.store.staging import StagingReads
from memory_layer.adapters.embedded.store.sweep_schedule import SweepRows
from memory_layer.adapters.embedded.store.transaction import take_positions
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.integrity.digests import search_digest
from memory_layer.domain.integrity.verification import SideRecord, StoredPage, StoredRecord
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.policy import Policy
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.commit import Commit, Vectors
from memory_layer.ports.process import Turns
from memory_layer.ports.records import RecallReceipt, RecordPage


class SqliteRecordStore(
    BodyRows,
    SoundReads,
    StagingReads,
    ErasureRows,
    VersionRows,
    SweepRows,
    EntityEventRows,
    ContextRows,
    PairRows,
    AnswerRows,
    VerdictRows,
    OperationRows,
):
    """Record store of the laptop: one file with bodies beside it, for any number of threads and processes.

    Args:
        turns: left by threads that heal a record.
        on_write: told of each project that was written to; within a long transaction before its end.
    """

    def __init__(
        self,
        database: Database,
        bodies: Bodies,
        turns: Turns | None = None,
        on_write: Callable[[Scope], None] | None = None,
    ) -> None:
        self._database = database
        self._bodies = bodies.beside(self._versions_as_stored)
        self._sound = SoundRecords(database, RecordRepair(database, self._bodies, turns or Turns()))
        self._receipts = ReceiptLog(database)
        self._on_write = on_write
        self._keys: dict[Scope, int] = {}
        self._delete_erased()

    def commit(self, commit: Commit) -> None:
        (error,) = self.commit_each([commit])
        if error is not None:
            raise error

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        """Applies each commit in a savepoint of its own; one disk flush makes them all durable."""
        errors = commit_all(self._database, self._bodies, commits)
        if any(commit.erasures for commit in commits):
            self._delete_erased()
        if self._on_write is not None:
            for scope in {commit.scope for commit in commits}:
                self._on_write(scope)
        return errors

    def get(self, scope: Scope, id: str, *, with_body: bool = True) -> Memory | None:
        found = self._found(scope, id)
        return self._bodies.one(found) if found is not None and with_body else found

    def get_many(self, tenant: str, refs: Collection[Ref], *, with_bodies: bool = True) -> dict[Ref, Memory]:
        by_project: dict[str, list[str]] = defaultdict(list)
        for ref in refs:
            by_project[ref.project].append(ref.id)
        memories = [
            memory
            for project, ids in by_project.items()
            for memory in self._by_ids(Scope(tenant, project), ids)
        ]
        return {memory.ref: memory for memory in (self.whole(memories) if with_bodies else memories)}

    def _by_ids(self, scope: Scope, ids: list[str]) -> Iterable[Memory]:
        for chunk in record_rows.chunks(ids):
            yield from memories_in(self._sound.of_ids(scope, self._key(scope), chunk))

    def last_versions(self, scope: Scope, ids: Collection[str]) -> dict[str, int]:
        newest: dict[str, int] = {}
        for chunk in record_rows.chunks(list(ids)):
            for table in ("tombstones", "memories"):  # a record is newer than any tombstone of its id
                sql = (
                    f"SELECT id, max(version) FROM {table}"
                    f" WHERE project_key = ? AND id IN ({record_rows.placeholders(chunk)}) GROUP BY id"
                )
                newest |= dict(self._reader.execute(sql, (self._key(scope), *chunk)).fetchall())
        return newest

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
        asked = sql_conditions(filters, viewer, now)
        where = " AND ".join(["m.project_key = ?", *(part.sql for part in asked)])
        parameters = [self._key(scope), *(value for part in asked for value in part.parameters)]
        return self._page(scope, where, parameters, after, limit, oldest_first)

    def every(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> RecordPage:
        """Page of all records, with the accesses that recalls have noted before the first page."""
        if after is None:
            self._receipts.flush()
        return self._page(scope, "m.project_key = ?", [self._key(scope)], after, limit, True)

    def kept(self, scope: Scope, *, after: str | None, limit: int, with_history: bool = True) -> StoredPage:
        with self._database.reading() as connection:
            return SqliteRecordVerification(
                connection, scope, project_key(connection, scope), with_history
            ).page(after, limit)

    def kept_under(
        self, scope: Scope, ids: Collection[str], *, with_history: bool = True
    ) -> list[StoredRecord]:
        with self._database.reading() as connection:
            return SqliteRecordVerification(
                connection, scope, project_key(connection, scope), with_history
            ).named(ids)

    def beside(self, scope: Scope) -> Iterator[SideRecord]:
        with self._database.reading() as connection:
            yield from verify_side_rows(connection, scope, project_key(connection, scope))

    def damage(self) -> list[str]:
        with self._database.reading() as connection:
            return file_flaws(connection)

    def same_content(self, scope: Scope, content_hash: str) -> list[Memory]:
        # the plus: in the order of the index by id, SQLite would go through the whole project
        where = "m.project_key = ? AND m.content_hash = ? AND m.status = 'active' ORDER BY +m.id"
        return self.whole(list(self._select(scope, where, (self._key(scope), content_hash))))

    def vectors(self, scope: Scope, ids: Collection[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        for chunk in record_rows.chunks(list(ids)):
            sql = (
                "SELECT m.id, s.digest, s.content_vector, s.context_vector, s.content_terms, s.context_terms"
                " FROM memories m JOIN search_rows s ON s.memory_key = m.key WHERE s.content_vector IS NOT NULL"
                f" AND m.project_key = ? AND m.id IN ({record_rows.placeholders(chunk)})"
            )
            for id, digest, content, context, *terms in self._reader.execute(sql, (self._key(scope), *chunk)):
                if digest is None or digest.hex() == search_digest(id, content, context, *terms):
                    found[id] = Vectors(record_rows.vector_of(content), record_rows.vector_of(context))  # type: ignore[arg-type]
        return found

    def turns(self, scope: Scope, session_id: str, first: int, last: int) -> list[Memory]:
        where = (
            "m.project_key = ? AND m.session_id = ? AND m.position BETWEEN ? AND ?"
            " ORDER BY m.position, m.created_at, m.id"
        )
        return self._bodies.whole_or_stubs(
            list(self._select(scope, where, (self._key(scope), session_id, first, last)))
        )

    def take_positions(self, scope: Scope, session_id: str, count: int, *, at_least: int = 0) -> int:
        with self._database.writing() as connection:
            return take_positions(connection, scope, session_id, count, at_least)

    def policy(self, scope: Scope) -> Policy:
        sql = "SELECT CAST(policy AS BLOB) FROM projects WHERE tenant = ? AND project = ?"
        return settings_of(scope, record_rows.scalar(self._reader, sql, scope))

    def written_after(self, scope: Scope, position: int) -> list[Ref]:
        sql = "SELECT id FROM memories WHERE project_key = ? AND log_position > ? ORDER BY log_position DESC"
        return [Ref(scope.project, id) for (id,) in self._reader.execute(sql, (self._key(scope), position))]

    def note_recall(self, receipt: RecallReceipt) -> None:
        self._receipts.add(receipt)

    def receipt(self, scope: Scope, recall_id: str) -> RecallReceipt | None:
        return self._receipts.find(self._key(scope), scope, recall_id)

    def recalled_since(self, scope: Scope, refs: Collection[Ref], since: datetime) -> set[Ref]:
        projects: dict[str, list[str]] = defaultdict(list)
        for ref in refs:
            projects[ref.project].append(ref.id)
        return {
            Ref(project, id)
            for project, ids in projects.items()
            for id in self._receipts.recalled_since(
                scope, self._key(Scope(scope.tenant, project)), project, ids, since
            )
        }

    def receipts_paused(self) -> AbstractContextManager[None]:
        """Keeps receipts waiting while a long transaction lasts."""
        return self._receipts.paused()

    def close(self) -> None:
        """Writes the receipts that recalls have noted, then closes the file."""
        self._receipts.close()
        self._database.close()

    def _flush_receipts(self) -> None:
        self._receipts.flush()

    @property
    def _reader(self) -> sqlite3.Connection:
        return self._database.reader()

    def _key(self, scope: Scope) -> int:
        """Key of a project, which it keeps for good; while it has none, another process may give it one."""
        key = self._keys.get(scope)
        if key is None:
            key = project_key(self._reader, scope)
            if key != UNKNOWN_PROJECT:
                self._keys[scope] = key
        return key
