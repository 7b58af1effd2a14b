"""Records of rows that are as they were written: each is held against its seal, and healed or named if it is not."""

import logging
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite import record_rows
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import printable_id, project_key
from memory_layer.adapters.embedded.sqlite.row_digests import cells_digest
from memory_layer.adapters.embedded.store.record_repair import RecordRepair, listed_ids
from memory_layer.adapters.embedded.store.records_in_use import ProvenCells, RecordsInUse
from memory_layer.adapters.stored_form.damage_log import DamageLog
from memory_layer.domain.integrity.digests import record_digest
from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import StoreUnavailable

Row = tuple[Any, ...]
"""Row that SELECT_MEMORY read; of one that cannot be read, its key alone."""

_ID: Final = record_rows.STORED_AT + record_rows.STORED_COLUMNS.index("id")
_TIMES: Final = record_rows.STORED_AT + record_rows.STORED_COLUMNS.index("times")
_CREATED_AT: Final = record_rows.STORED_AT + record_rows.STORED_COLUMNS.index("created_at")
_DIGEST: Final = record_rows.SEALED_AT + record_rows.SEALED_COLUMNS.index("digest")
_BY_KEY: Final = f"{record_rows.SELECT_MEMORY} WHERE m.key = ?"
_UNDER_IDS: Final = "m.project_key = ? AND m.id IN ({})"

KEPT_TOGETHER: Final = 200
"""Most records read at once that are kept in use, as many as a walk over the graph reads: who goes through a whole
project asks for more, and asks once."""

_OF_IDS: Final = "m.key IN (SELECT key FROM memories WHERE project_key = ? AND id IN ({}))"
"""Rows by key: a cell is then read from the row itself, and not from the index that led to it."""

_KEYS: Final = "SELECT key FROM memories INDEXED BY memories_by_age WHERE project_key = ?"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """Row of a record that is damaged and cannot be healed. Args: place: creation time and id, if it tells them."""

    id: str
    place: tuple[str, str] | None


class SoundRecords:
    """Reader of records that never returns a damaged one."""

    def __init__(self, database: Database, repair: RecordRepair) -> None:
        self._database = database
        self._repair = repair
        self._in_use = RecordsInUse(_accesses)
        self._proven = ProvenCells()
        self._lost: dict[Scope, list[int]] = {}
        self.damage = DamageLog()

    def select(
        self, scope: Scope, where: str, parameters: Sequence[Any], is_kept: bool = False
    ) -> list[Memory | DamagedRow]:
        """Records that meet a condition, in order; in place of one that is damaged and cannot be healed, its row.

        What was healed is asked for again: it may have met the condition by its damage alone.

        Args:
            is_kept: keeps the records for `of_ids`.

        Raises:
            StoreUnavailable: the pages by which they are found are damaged.
        """
        rows, found = self._read(scope, where, parameters, is_kept)
        if all(found):
            return [self._cleared(memory) for memory in found if memory] if self.damage.any else found  # type: ignore[return-value]
        damaged = [row for row, memory in zip(rows, found, strict=True) if memory is None]
        if sum(not self._is_known(scope, row) and self._is_healed(scope, row) for row in damaged):
            rows, found = self._read(scope, where, parameters, is_kept)
        return [
            self._noted(scope, row) if memory is None else self._cleared(memory)
            for row, memory in zip(rows, found, strict=True)
        ]

    def of_ids(self, scope: Scope, project_key: int, ids: Sequence[str]) -> list[Memory | DamagedRow]:
        """Records under these ids, as `select`. Of those in use the seals alone are read, if they are most of them."""
        is_recall = len(ids) <= KEPT_TOGETHER
        in_use = [id for id in ids if self._in_use.has(scope, id)] if is_recall else []
        kept = self._in_use_of(scope, project_key, in_use) if 2 * len(in_use) > len(ids) else {}
        others = [id for id in ids if id not in kept]
        if not others:
            return list(kept.values())
        found = self.select(
            scope, _UNDER_IDS.format(record_rows.placeholders(others)), (project_key, *others), is_recall
        )
        return [*kept.values(), *found]

    def _in_use_of(
        self, scope: Scope, project_key: int, ids: Sequence[str]
    ) -> dict[str, Memory | DamagedRow]:
        asked = f"{record_rows.SELECT_SEAL} WHERE {_UNDER_IDS.format(record_rows.placeholders(ids))}"
        try:
            rows = self._database.reader().execute(asked, (project_key, *ids)).fetchall()
        except sqlite3.DatabaseError:
            return {}  # reading the rows themselves tells which of them are damaged
        found = ((row[-1], self._in_use.find(scope, row[-1], row[1], _counted(row))) for row in rows)
        return {id: memory for id, memory in found if memory is not None}

    def _read(
        self, scope: Scope, where: str, parameters: Sequence[Any], is_kept: bool
    ) -> tuple[list[Row], list[Memory | None]]:
        rows = self._rows(scope, where, parameters)
        if is_kept:
            return rows, [self._memory_in_use(scope, row) for row in rows]
        return rows, [_sound_memory(scope, row, self._proven) for row in rows]

    def _memory_in_use(self, scope: Scope, row: Row) -> Memory | None:
        """Record of a sound row, which is kept; of one in use that was kept before."""
        if len(row) == 1:
            return None
        counted = _counted(row)
        memory = self._in_use.find(scope, row[_ID], row[1], counted)
        if memory is None:
            memory = _sound_memory(scope, row, self._proven)
            if memory is not None:
                self._in_use.keep(memory, row[1], counted)
        return memory

    def _rows(self, scope: Scope, where: str, parameters: Sequence[Any]) -> list[Row]:
        """Rows as they lie; if one of them stops the reading, they are read one by one."""
        reader = self._database.reader()
        try:
            return reader.execute(f"{record_rows.SELECT_MEMORY} WHERE {where}", parameters).fetchall()
        except sqlite3.DatabaseError:
            return [self._row(key) for key in self._keys(scope, where, parameters)]

    def _keys(self, scope: Scope, where: str, parameters: Sequence[Any]) -> list[int]:
        """Keys of rows that meet a condition; those that cannot be held against it come last."""
        lost = [key for key in self._lost.get(scope, ()) if len(self._row(key)) == 1]
        try:
            return self._keys_beside(lost, where, parameters)
        except sqlite3.DatabaseError:
            self._lost[scope] = lost = self._unreadable(scope)
            return self._keys_beside(lost, where, parameters)

    def _keys_beside(self, lost: Sequence[int], where: str, parameters: Sequence[Any]) -> list[int]:
        asked = f"SELECT m.key FROM memories m WHERE m.key NOT IN ({', '.join(map(str, lost))}) AND {where}"
        return [*(key for (key,) in self._database.reader().execute(asked, parameters)), *lost]

    def _unreadable(self, scope: Scope) -> list[int]:
        """Keys of a project's rows of which SQLite reads no cell, as their heads are damaged."""
        reader = self._database.reader()
        keys = reader.execute(_KEYS, (project_key(reader, scope),)).fetchall()
        return [key for (key,) in keys if len(self._row(key)) == 1]

    def _row(self, memory_key: int) -> Row:
        try:
            row: Row | None = self._database.reader().execute(_BY_KEY, (memory_key,)).fetchone()
        except sqlite3.DatabaseError:
            return (memory_key,)
        return row or (memory_key,)

    def _is_known(self, scope: Scope, row: Row) -> bool:
        """True for a row that could not be healed before: `mend` alone tries that again, and readers do not wait."""
        return self.damage.any and self.damage.has(scope, self._id(scope, row))

    def _is_healed(self, scope: Scope, row: Row) -> bool:
        try:
            return self._repair.heal(scope, row[0])
        except StoreUnavailable as error:
            _log.error("a damaged record of %s cannot be healed now: %s", scope.project, error.detail)
            return False

    def _noted(self, scope: Scope, row: Row) -> DamagedRow:
        id = self._id(scope, row)
        self.damage.add(scope, id)
        is_misread = len(row) == 1 or not str(row[_TIMES]).startswith("[")
        place = None if is_misread else (str(row[_CREATED_AT]), id)
        return DamagedRow(id, place)

    def _id(self, scope: Scope, row: Row) -> str:
        """Id of a damaged row: as an index has it still, or else as the row says."""
        reader = self._database.reader()
        try:
            (listed, *_) = listed_ids(reader, project_key(reader, scope), row[0])
            return printable_id(listed)
        except (sqlite3.DatabaseError, ValueError):
            return str(row[_ID]) if len(row) > _ID else f"row {row[0]}"

    def _cleared(self, memory: Memory) -> Memory:
        self.damage.discard(memory.scope, memory.id)
        return memory

    def sound_or_healed(self, scope: Scope, row: Row) -> Memory | DamagedRow | None:
        """Record of a row that was read by another statement; None: it was damaged, and is healed now."""
        found = _sound_memory(scope, row)
        if found is not None:
            return found
        is_healed = not self._is_known(scope, row) and self._is_healed(scope, row)
        return None if is_healed else self._noted(scope, row)

    def is_found_again(self, scope: Scope, id: str) -> bool:
        """True if a record that no index finds is found once the indexes are built anew; tried once."""
        if self.damage.has(scope, id):
            return False
        self.damage.add(scope, id)
        try:
            self._repair.reindex()
        except StoreUnavailable as error:
            _log.error("the indexes of records cannot be built anew: %s", error.detail)
            return False
        return True

    def mend(self, scope: Scope, ids: Collection[str]) -> list[str]:
        """Heals what is damaged of these records, and seals what is sound and older than seals.

        Returns:
            Ids of the healed records.
        """
        healed: list[str] = []
        seals: list[tuple[bytes, int]] = []
        key = project_key(self._database.reader(), scope)
        for chunk in record_rows.chunks(list(ids)):
            for row in self._rows(scope, _OF_IDS.format(record_rows.placeholders(chunk)), (key, *chunk)):
                if _sound_memory(scope, row) is None:
                    healed += [self._id(scope, row)] if self._is_healed(scope, row) else []
                elif row[1] is None and row[_DIGEST] is not None:
                    seals.append((record_rows.seal_of(row[record_rows.SEALED_AT :]), row[0]))
        self._repair.seal(seals)
        return healed


def memories_in(found: Iterable[Memory | DamagedRow]) -> list[Memory]:
    """The records among them."""
    return [one for one in found if isinstance(one, Memory)]


def _sound_memory(scope: Scope, row: Row, proven: ProvenCells | None = None) -> Memory | None:
    """Record of a row that holds its seal or, where it is older than seals, its digest.

    Args:
        proven: cells without a seal that held their digest before; None: each digest is made anew.
    """
    if len(row) == 1:
        return None
    seal, cells = row[1], row[record_rows.SEALED_AT :]
    if seal is not None and seal != record_rows.seal_of(cells):
        return None
    stored = row[record_rows.STORED_AT :]
    try:
        memory = record_rows.memory_of(scope, (*stored, *_accesses(_counted(row))))
        is_sound = seal is not None or _holds_digest(memory, row[_DIGEST], stored, cells, proven)
        return memory if is_sound else None
    except UNREADABLE:
        return None


def _holds_digest(
    memory: Memory, digest: bytes | None, stored: Row, cells: Row, proven: ProvenCells | None
) -> bool:
    """True for a row without a seal that its digest proves, and for one that is older than digests as well."""
    if digest is None or (proven is not None and proven.has(cells)):
        return True
    is_proven = digest.hex() == record_digest(memory) and list(stored) == record_rows.row_of(memory)
    if is_proven and proven is not None:
        proven.add(cells)
    return is_proven


def _counted(row: Row) -> Row:
    """Cells of a row's accesses."""
    return row[2 : record_rows.SEALED_AT]


def _accesses(counted: Row) -> record_rows.Accesses:
    """Counts of recalls; none where they are damaged: they are no evidence, and a verification names them."""
    memory_key, count, last, digest = counted
    is_lost = memory_key is None or (digest is not None and digest != cells_digest((memory_key, count, last)))
    return (0, None) if is_lost else (count, last.decode())
