"""Repair of damaged rows of records from the newest version, which holds a second copy of the record."""

import json
import logging
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite import record_rows
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import project_key
from memory_layer.adapters.embedded.sqlite.row_digests import as_bytes
from memory_layer.adapters.embedded.sqlite.version_packing import record_sql
from memory_layer.adapters.embedded.store.history import VERSION_COLUMNS, version_row_digest
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.fields import instant, memory_from_json, rfc3339
from memory_layer.domain.integrity.digests import document_digest
from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.domain.memory import Memory, Scope, is_stub
from memory_layer.domain.time.decay import due_from
from memory_layer.ports.process import Turns

_OWN_CELLS: Final = (
    f"SELECT {as_bytes((*record_rows.SEALED_COLUMNS, 'seal'))} FROM memories NOT INDEXED WHERE key = ?"
)
"""Cells of the row itself: an index may still say what a damaged one said before."""

_NO_CELLS: Final = (None,) * len(record_rows.SEALED_COLUMNS)
_SEALED_CELLS: Final = (
    f"SELECT seal, {', '.join(record_rows.SEALED_COLUMNS)} FROM memories NOT INDEXED WHERE key = ?"
)
_REINDEX: Final = "REINDEX memories"
_LISTED_ID: Final = (
    "SELECT CAST(id AS BLOB) FROM memories INDEXED BY memories_by_age WHERE project_key = ? AND +key = ?"
)
_NEWEST: Final = (
    f"SELECT digest, {as_bytes((*VERSION_COLUMNS[:-1], record_sql()))} FROM versions"
    " WHERE project_key = ? AND id = CAST(? AS TEXT) ORDER BY version DESC LIMIT 1"
)
_BESIDE: Final = (
    "SELECT type, name, sql FROM sqlite_schema"
    " WHERE tbl_name = 'memories' AND sql IS NOT NULL AND type IN ('trigger', ?)"
)
_IS_LISTED_AT: Final = (
    "SELECT 1 FROM memories INDEXED BY memories_by_log"
    " WHERE project_key = ? AND log_position = ? AND +key = ?"
)
_PLACES: Final = (
    "SELECT m.key, p.tenant, p.project FROM memories m INDEXED BY memories_by_age"
    " JOIN projects p ON p.key = m.project_key"
)
_SEAL: Final = "UPDATE memories SET seal = ? WHERE key = ? AND seal IS NULL"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Copy:
    """Sound version of a record, with its place in the log and the cells of the row that is written from it."""

    document: Mapping[str, Any]
    memory: Memory
    place: int | None
    due_at: str | None

    def cells(self, key: int, place: Any, body_bytes: int | None) -> tuple[Any, ...]:
        digest = bytes.fromhex(document_digest(self.document))
        return (key, place, digest, self.due_at, body_bytes, *record_rows.row_of(self.memory))


class RecordRepair:
    """Writer of rows as they were: a row is rewritten only as what its own digest, or all its other cells, prove, or as
    the sound version that the log has in its place: where the head of a row is damaged its cells say nothing.

    Args:
        turns: left meanwhile: other answers need not wait until a writer before it has come to its end.
    """

    def __init__(self, database: Database, bodies: Bodies, turns: Turns) -> None:
        self._database = database
        self._bodies = bodies
        self._turns = turns

    def heal(self, scope: Scope, memory_key: int) -> bool:
        """Heals the row of this key.

        Returns:
            False: no sound copy of the same version is there.

        Raises:
            StoreUnavailable: nothing can be written, or the pages of the row are damaged.
        """
        lost = {} if self._is_readable(memory_key) else {**self._unreadable(), memory_key: scope}
        with self._turns.left(), self._database.writing() as connection:
            if not lost and _is_sound(connection, memory_key):  # so an index said something else
                connection.execute(_REINDEX)
                return True
            copies = self._sound_copies(connection, lost or {memory_key: scope}, is_readable=not lost)
            if memory_key not in copies:
                return False
            with _past_stale_index_entries(connection), _without_old_cells(connection, not lost):
                for key, copy in copies.items():
                    connection.execute(record_rows.UPDATE_MEMORY, (*record_rows.sealed(copy), key))
        for key in copies:
            _log.warning(
                "healed from its history: the record of %s in row %d", lost.get(key, scope).project, key
            )
        return True

    def reindex(self) -> None:
        """Builds the indexes of records anew: a damaged one leads to no row, or to another one."""
        with self._turns.left(), self._database.writing() as connection:
            connection.execute(_REINDEX)

    def seal(self, seals: Sequence[tuple[bytes, int]]) -> None:
        """Seals rows that are older than seals, and hold. Args: seals: each with its row's key."""
        if seals:
            with self._turns.left(), self._database.writing() as connection:
                connection.executemany(_SEAL, seals)

    def _is_readable(self, memory_key: int) -> bool:
        """False for a row whose damaged head leads SQLite beyond it; asked outside a transaction, which would end."""
        try:
            self._database.reader().execute(_OWN_CELLS, (memory_key,)).fetchone()
        except sqlite3.DatabaseError:
            return False
        return True

    def _unreadable(self) -> dict[int, Scope]:
        """Rows of all projects that SQLite cannot read: indexes are built of all or of none."""
        rows = self._database.reader().execute(_PLACES).fetchall()
        return {key: Scope(tenant, project) for key, tenant, project in rows if not self._is_readable(key)}

    def _sound_copies(
        self, connection: sqlite3.Connection, damaged: Mapping[int, Scope], *, is_readable: bool
    ) -> dict[int, tuple[Any, ...]]:
        """Cells of rows by key, as far as they are proven."""
        found: dict[int, tuple[Any, ...]] = {}
        for key, scope in damaged.items():
            own = connection.execute(_OWN_CELLS, (key,)).fetchone() if is_readable else _NO_CELLS
            copy = None if own is None else self._sound_copy(connection, scope, key, own)
            found |= {} if copy is None else {key: copy}
        return found

    def _sound_copy(
        self, connection: sqlite3.Connection, scope: Scope, memory_key: int, own: Sequence[bytes | None]
    ) -> tuple[Any, ...] | None:
        cells, key = dict(zip(record_rows.SEALED_COLUMNS, own, strict=False)), project_key(connection, scope)
        for id in dict.fromkeys((*listed_ids(connection, key, memory_key), cells["id"])):
            copy = None if id is None else _newest_copy(connection, scope, key, id)
            proven = None if copy is None or not _is_of(copy, cells) else _proven(copy, cells)
            if proven is None and copy is not None and _is_listed_at(connection, key, copy.place, memory_key):
                proven = copy
            if proven is not None:
                place = int(cells["log_position"] or 0) if proven.place is None else proven.place
                return proven.cells(key, place, self._body_bytes(proven.memory))
        return None

    def _body_bytes(self, memory: Memory) -> int | None:
        return len(self._bodies.one(memory).content.encode()) if is_stub(memory) else None


def _is_sound(connection: sqlite3.Connection, memory_key: int) -> bool:
    """True if the row itself holds its seal."""
    try:
        row = connection.execute(_SEALED_CELLS, (memory_key,)).fetchone()
    except sqlite3.OperationalError:  # a text that is none
        return False
    return row is not None and row[0] is not None and row[0] == record_rows.seal_of(row[1:])


def listed_ids(connection: sqlite3.Connection, key: int, memory_key: int) -> list[bytes]:
    """Id of a row as the index by age has it: at most one."""
    return [id for (id,) in connection.execute(_LISTED_ID, (key, memory_key)).fetchall()]


def _is_listed_at(connection: sqlite3.Connection, key: int, place: int | None, memory_key: int) -> bool:
    """True if the index of the log leads from a version's place to the row: it is the row's own version."""
    return connection.execute(_IS_LISTED_AT, (key, place, memory_key)).fetchone() is not None


def _newest_copy(connection: sqlite3.Connection, scope: Scope, key: int, id: bytes) -> _Copy | None:
    row = connection.execute(_NEWEST, (key, id)).fetchone()
    if row is None or row[0] is None:
        return None
    try:
        values = [None if cell is None else cell.decode() for cell in row[1:]]
        values[1:4] = [None if text is None else int(text) for text in values[1:4]]
        if version_row_digest(values) != row[0]:
            return None
        return _copy(scope, dict(zip(VERSION_COLUMNS, values, strict=True)))
    except UNREADABLE:
        return None


def _copy(scope: Scope, version: Mapping[str, Any]) -> _Copy | None:
    document = json.loads(version["record"])
    memory = memory_from_json(document)
    if memory.scope != scope or memory.version != version["version"]:
        return None
    due = due_from(memory, instant(version["changed_at"]))
    return _Copy(document, memory, version["log_position"], None if due is None else rfc3339(due))


def _is_of(copy: _Copy, cells: Mapping[str, bytes | None]) -> bool:
    """True for a copy of the row's own version: one of two numbers that name it may be what is damaged."""
    return str(copy.memory.version).encode() == cells["version"] or (
        copy.place is not None and str(copy.place).encode() == cells["log_position"]
    )


def _proven(copy: _Copy, cells: Mapping[str, bytes | None]) -> _Copy | None:
    """The copy that is what was written: by the row's digest, or, if that is damaged, by all of its other cells.

    The words of an erased neighbour go out of a history, and may be in the record's own context still.
    """
    for one in (copy, _with_context(copy, cells["context"])):
        if one is not None and (_digest(one) == cells["digest"] or _equals(one, cells)):
            return one
    return None


def _with_context(copy: _Copy, context: bytes | None) -> _Copy | None:
    if copy.memory.context is not None or context is None:
        return None
    document = {**copy.document, "context": context.decode(errors="replace")}
    return _Copy(document, memory_from_json(document), copy.place, copy.due_at)


def _digest(copy: _Copy) -> bytes:
    return bytes.fromhex(document_digest(copy.document))


def _equals(copy: _Copy, cells: Mapping[str, bytes | None]) -> bool:
    written = zip(record_rows.STORED_COLUMNS, record_rows.row_of(copy.memory), strict=True)
    return all(cells[name] == (None if value is None else str(value).encode()) for name, value in written)


@contextmanager
def _past_stale_index_entries(connection: sqlite3.Connection) -> Iterator[None]:
    """Lets an UPDATE pass where an index has no entry for what a damaged row says, which SQLite calls corruption."""
    connection.execute("PRAGMA writable_schema = ON")
    try:
        yield
    finally:
        connection.execute("PRAGMA writable_schema = OFF")


@contextmanager
def _without_old_cells(connection: sqlite3.Connection, is_readable: bool) -> Iterator[None]:
    """Lets an UPDATE of all cells ask for no old ones: triggers count by them, and indexes are found by them."""
    beside = connection.execute(_BESIDE, ("" if is_readable else "index",)).fetchall()
    for kind, name, _ in beside:
        connection.execute(f"DROP {kind} {name}")
    yield
    for *_, sql in beside:
        connection.execute(sql)
