"""Log of recall receipts: noted at once, written in batches, durable within a second."""

import json
import logging
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from memory_layer.adapters.embedded.sqlite import row_digests
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import UNKNOWN_PROJECT, ProjectKeys, project_key
from memory_layer.adapters.embedded.sqlite.record_rows import placeholders
from memory_layer.adapters.stored_form.exploration_text import (
    exploration_of,
    exploration_text,
    signals_of,
    signals_text,
)
from memory_layer.adapters.stored_form.stored_values import UNREADABLE, parse_stored
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Ref, Scope
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.receipts import REQUEST_NOTE, RUN_RECALLS_MAX, RecallReceipt, RecallsByDay

FLUSH_INTERVAL_S = 0.4
RETENTION = timedelta(days=30)
"""Time that receipts are kept: 30 days. Source: SPEC 3.32."""

ON_ITS_WAY_S = 1.5
"""Seconds in which the receipt of a recall that another process has answered may still wait there."""

_LOOK_AGAIN_S = 0.05
_MOMENT_DIGITS = 12
"""Hexadecimal digits of the milliseconds in a UUIDv7, by which recalls are named."""

_NOTE = row_digests.insertion(
    "receipts", "INSERT OR REPLACE"
)  # a context's name stands for the last question under it
_SELECT = row_digests.selection("receipts")
_COUNTED = {
    "access_count": "access_count + excluded.access_count",
    "last_accessed_at": "max(last_accessed_at, excluded.last_accessed_at)",
}
_IS_RECALL = f"recall_id NOT GLOB '{REQUEST_NOTE}*'"
_TIMES_SHOWN = (
    "SELECT count(*) FROM (SELECT refs FROM receipts INDEXED BY receipts_by_age WHERE project_key = ?1"
    f" AND {_IS_RECALL} ORDER BY at DESC LIMIT ?2) WHERE instr(refs, ?3)"
)
_THAT_SHOWED = (
    f"SELECT * FROM ({_SELECT} INDEXED BY receipts_by_age WHERE project_key = ?1 AND {_IS_RECALL}"
    " ORDER BY at DESC LIMIT ?2) WHERE instr(refs, ?3) LIMIT ?4"
)
_BY_DAY = (
    "SELECT substr(at, 1, 10), count(*), sum(refs = '[]'), min(at) FROM (SELECT at, refs FROM receipts INDEXED BY"
    f" receipts_by_age WHERE project_key = ?1 AND at >= ?2 AND {_IS_RECALL} ORDER BY at DESC LIMIT ?3)"
    " GROUP BY 1 ORDER BY 1"
)
_OF_RUN = f"{_SELECT} WHERE project_key = ? AND run_id = ? ORDER BY at, recall_id LIMIT ?"
_DROP_DAMAGED = (
    "DELETE FROM accesses WHERE memory_key = (SELECT key FROM memories WHERE project_key = ?3 AND id = ?4)"
    f" AND digest IS NOT NULL AND digest <> {row_digests.digest_sql('accesses')}"
)
_COUNT = (
    f"INSERT INTO accesses SELECT key, ?1, ?2, {row_digests.SQL_FUNCTION}(key, ?1, ?2) FROM memories"
    " WHERE project_key = ?3 AND id = ?4 ON CONFLICT (memory_key) DO UPDATE SET"
    f" {', '.join(f'{column} = {value}' for column, value in _COUNTED.items())},"
    f" digest = {row_digests.digest_sql('accesses', **_COUNTED)}"
)

_log = logging.getLogger(__name__)


class ReceiptLog:
    """Queue in front of two tables, emptied by a thread that sleeps while there is nothing to write.

    It is the port ports.records.ReceiptStore.
    """

    def __init__(self, database: Database, keys: ProjectKeys) -> None:
        self._database = database
        self._keys = keys
        self._waiting: list[RecallReceipt] = []
        self._lock = threading.Lock()
        self._flushing = threading.Lock()  # a second flush waits until the batch of the first is written
        self._pauses = 0
        self._has_work = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def note(self, receipt: RecallReceipt) -> None:
        if self._database.is_read_only:  # a recall is answered all the same
            return
        with self._lock:
            self._waiting.append(receipt)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="receipts", daemon=True)
                self._thread.start()
        self._has_work.set()

    def get(self, scope: Scope, recall_id: str) -> RecallReceipt | None:
        """The receipt of a recall; one that another process has just noted is waited for until it is written."""
        found = self._find(scope, recall_id)
        while found is None and was_made_lately(recall_id, time.time()):
            time.sleep(_LOOK_AGAIN_S)
            found = self._find(scope, recall_id)
        return found

    def _find(self, scope: Scope, recall_id: str) -> RecallReceipt | None:
        self.flush()
        for receipt in self._unwritten(scope):
            if receipt.recall_id == recall_id:
                return receipt
        sql = f"{_SELECT} WHERE project_key = ? AND recall_id = ?"
        row = self._database.reader().execute(sql, (self._keys.of(scope), recall_id)).fetchone()
        return None if row is None else parse_stored(partial(_receipt, scope), row, f"receipt {recall_id}")

    def of_run(self, scope: Scope, run_id: str) -> list[RecallReceipt]:
        self.flush()
        asked = (self._keys.of(scope), run_id, RUN_RECALLS_MAX)
        rows = self._database.reader().execute(_OF_RUN, asked).fetchall()
        return [receipt for row in rows if (receipt := _readable(scope, row)) is not None]

    def _unwritten(self, scope: Scope) -> list[RecallReceipt]:
        """Receipts of a project that wait, newest first."""
        with self._lock:
            return [receipt for receipt in reversed(self._waiting) if receipt.scope == scope]

    def recalled_since(self, scope: Scope, refs: Collection[Ref], since: datetime) -> set[Ref]:
        self.flush()
        projects: dict[str, list[str]] = defaultdict(list)
        for ref in refs:
            projects[ref.project].append(ref.id)
        return {
            Ref(project, id)
            for project, ids in projects.items()
            for id in self._recalled_since(scope, project, ids, since)
        }

    def _recalled_since(self, scope: Scope, project: str, ids: Collection[str], since: datetime) -> set[str]:
        """Records of a project that a recall has returned; recalls of `scope` that wait count at once."""
        unwritten = {
            ref.id
            for receipt in self._unwritten(scope)
            if receipt.at >= since
            for ref in receipt.refs
            if ref.project == project and ref.id in ids
        }
        sql = (
            "SELECT m.id FROM memories m JOIN accesses a ON a.memory_key = m.key"
            f" WHERE m.project_key = ? AND a.last_accessed_at >= ? AND m.id IN ({placeholders(list(ids))})"
        )
        key = self._keys.of(Scope(scope.tenant, project))
        rows = self._database.reader().execute(sql, (key, rfc3339(since), *ids)).fetchall()
        return unwritten | {id for (id,) in rows}

    def times_shown(self, scope: Scope, ref: Ref, recalls: int) -> int:
        self.flush()
        newest = (self._keys.of(scope), recalls, json.dumps(ref))
        return int(self._database.reader().execute(_TIMES_SHOWN, newest).fetchone()[0])

    def that_showed(self, scope: Scope, ref: Ref, recalls: int, *, limit: int) -> list[RecallReceipt]:
        self.flush()
        asked = (self._keys.of(scope), recalls, json.dumps(ref), limit)
        rows = self._database.reader().execute(_THAT_SHOWED, asked).fetchall()
        return [receipt for row in rows if (receipt := _readable(scope, row)) is not None]

    def by_day(self, scope: Scope, since: datetime, recalls: int) -> RecallsByDay:
        self.flush()
        asked = (self._keys.of(scope), rfc3339(since), recalls)
        rows = self._database.reader().execute(_BY_DAY, asked).fetchall()
        days = [parse_stored(date.fromisoformat, day, "the time of a receipt") for day, *_ in rows]
        answered = dict(zip(days, (count for _, count, *_ in rows), strict=True))
        empty = dict(zip(days, (count for _, _, count, _ in rows), strict=True))
        is_whole = sum(answered.values()) < recalls
        return RecallsByDay(
            answered, empty, None if is_whole else parse_stored(instant, rows[0][3], "the time of a receipt")
        )

    def flush(self) -> None:
        """Writes the waiting receipts; on failure they go on waiting."""
        if self._pauses:  # nobody waits for a long transaction, least of all the thread that is inside
            return
        with self._flushing:
            self._flush()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keeps receipts waiting, so that none is lost with a long transaction that is rolled back."""
        with self._flushing:
            self._flush()
            self._pauses += 1
        try:
            yield
        finally:
            with self._flushing:
                self._pauses -= 1
            self._has_work.set()

    def _flush(self) -> None:
        with self._lock:
            batch, self._waiting = self._waiting, []
        if not batch:
            return
        try:
            self._write(batch)
        except MemoryLayerError:
            with self._lock:
                self._waiting = batch + self._waiting
            raise

    def close(self) -> None:
        self._closing.set()
        self._has_work.set()
        if self._thread is not None:
            self._thread.join()
        self.flush()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._has_work.wait()
            self._closing.wait(FLUSH_INTERVAL_S)
            self._has_work.clear()
            try:
                self.flush()  # while it is paused, the end of the pause wakes this thread again
            except MemoryLayerError as error:
                _log.warning("receipts wait for the next attempt: %s", error.detail)
                self._has_work.set()

    def _write(self, batch: list[RecallReceipt]) -> None:
        newest = max(receipt.at for receipt in batch)
        accesses = Counter((receipt.scope.tenant, ref) for receipt in batch for ref in receipt.refs)
        with self._database.writing() as connection:
            keys = {scope: project_key(connection, scope) for scope in _scopes(batch)}
            rows = [
                (
                    *(keys[r.scope], r.recall_id, r.principal, json.dumps(r.refs), rfc3339(r.at)),
                    *_asked_for(r),
                )
                for r in batch
                if keys[r.scope] != UNKNOWN_PROJECT
            ]
            connection.executemany(_NOTE, [row_digests.with_digest(row) for row in rows])
            counts = [
                (count, rfc3339(newest), keys[Scope(tenant, ref.project)], ref.id)
                for (tenant, ref), count in accesses.items()
            ]
            dropped = connection.executemany(_DROP_DAMAGED, counts).rowcount
            connection.executemany(_COUNT, counts)
            connection.execute("DELETE FROM receipts WHERE at < ?", (rfc3339(newest - RETENTION),))
        if dropped > 0:  # a count is no evidence once it is damaged, and a new digest would vouch for it
            _log.warning("healed: the damaged accesses of %d records are counted anew", dropped)


def was_made_lately(recall_id: str, now_s: float) -> bool:
    """Tells if an id is so new that its receipt may be on its way, by the milliseconds that it begins with."""
    try:
        made_s = int(recall_id.partition("_")[2][:_MOMENT_DIGITS], 16) / 1_000
    except ValueError:
        return False
    return 0.0 <= now_s - made_s < ON_ITS_WAY_S


def _readable(scope: Scope, row: Sequence[Any]) -> RecallReceipt | None:
    """Receipt of a row; None for a damaged one, which a verification names."""
    try:
        return _receipt(scope, row)
    except UNREADABLE:
        return None


def _receipt(scope: Scope, row: Sequence[Any]) -> RecallReceipt:
    _, recall_id, principal, refs, at, run_id, exploration, signals, asker = row_digests.sound_cells(row)
    shown = tuple(Ref(*ref) for ref in json.loads(refs))
    explored, known = exploration_of(exploration), signals_of(signals)
    return RecallReceipt(recall_id, scope, principal, shown, instant(at), run_id, explored, known, asker)


def _asked_for(receipt: RecallReceipt) -> tuple[str | None, ...]:
    explored, signals = exploration_text(receipt.exploration), signals_text(receipt.signals)
    return receipt.run_id, explored, signals, receipt.asker


def _scopes(batch: list[RecallReceipt]) -> set[Scope]:
    owned = {receipt.scope for receipt in batch}
    shown = {Scope(receipt.scope.tenant, ref.project) for receipt in batch for ref in receipt.refs}
    return owned | shown
