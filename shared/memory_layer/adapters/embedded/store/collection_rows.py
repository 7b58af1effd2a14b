"""Collections beside the records as rows of SQLite: one engine for every specification."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, Generic

from memory_layer.adapters.embedded.sqlite import row_digests
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys
from memory_layer.adapters.stored_form.collection_spec import CollectionSpec, T
from memory_layer.domain.access import Viewer
from memory_layer.domain.memory import Scope

Row = Sequence[Any]

Place = tuple[str, str]
"""A time and an id: where a page ends, and the next one begins."""

NO_CONDITION: Final[Mapping[str, str | None]] = {}


@dataclass(frozen=True, slots=True)
class RowList:
    """Conditions of a list in the order of a time, then of the id.

    Args:
        time: column of the time.
        any_of: cells by column (None: the cell is NULL); a row that meets one of these stands in the list. Each is
            read in the order of an index.
        viewer: may see what is listed; None: everybody may.
    """

    time: str
    any_of: Sequence[Mapping[str, str | None]] = (NO_CONDITION,)
    viewer: Viewer | None = None
    newest_first: bool = False


def write(
    connection: sqlite3.Connection,
    spec: CollectionSpec[T],
    key: int,
    record: T,
    more: Mapping[str, Any] = NO_CONDITION,
) -> bool:
    """Writes a record, new (at version 1) or over the version before; False if that is not how it stands.

    Args:
        key: of the project.
        more: cells beside those of the record.
    """
    values = {**spec.cells(record), **more}
    cells = row_digests.with_digest((key, *values.values()))
    if record.version == 1:
        sql = f"{row_digests.insertion(spec.name)} ON CONFLICT DO NOTHING"
        return connection.execute(sql, cells).rowcount == 1
    assigned = ", ".join(f"{column} = ?" for column in (*values, "digest"))
    sql = f"UPDATE {spec.name} SET {assigned} WHERE project_key = ? AND {spec.id} = ? AND version = ?"
    return connection.execute(sql, (*cells[1:], key, spec.id_of(record), record.version - 1)).rowcount == 1


def remove(connection: sqlite3.Connection, spec: CollectionSpec[T], key: int, record: T) -> bool:
    """Deletes a record; False if it is not at this version."""
    sql = f"DELETE FROM {spec.name} WHERE project_key = ? AND {spec.id} = ? AND version = ?"
    return connection.execute(sql, (key, spec.id_of(record), record.version)).rowcount == 1


def visible_to(viewer: Viewer) -> tuple[str, tuple[str, ...]]:
    """SQL of the condition that a viewer may see a row, and its parameters."""
    if viewer.sees_all_personas:
        return "TRUE", ()
    own = tuple(sorted(viewer.personas))
    return f"(persona IS NULL OR persona IN ({','.join('?' * len(own))}))", own


class CollectionRows(Generic[T]):
    """Reader of one collection of all projects."""

    def __init__(self, database: Database, keys: ProjectKeys, spec: CollectionSpec[T]) -> None:
        self._database = database
        self._keys = keys
        self._spec = spec
        self._select = row_digests.selection(spec.name)
        self._columns = ("digest", *row_digests.DIGESTED_CELLS[spec.name])
        self._id = self._columns.index(spec.id)

    def get_many(self, scope: Scope, ids: Collection[str]) -> dict[str, T]:
        """Reads records by id; missing ids are left out."""
        where = f"{self._spec.id} IN (SELECT value FROM json_each(?))"
        rows = self.rows(scope, where, json.dumps(list(ids)))
        return {self._spec.id_of(record): record for record in self.records(scope, rows)}

    def page(
        self, scope: Scope, listed: RowList, after: Place | None, limit: int
    ) -> tuple[tuple[T, ...], Place | None]:
        """Page of a list, and the place that the next one continues after (None: this is the last)."""
        shown, following, _ = self.page_with_damage(scope, listed, after, limit)
        return shown, following

    def page_with_damage(
        self, scope: Scope, listed: RowList, after: Place | None, limit: int
    ) -> tuple[tuple[T, ...], Place | None, tuple[str, ...]]:
        """`page`, and the ids of the damaged rows that are left out of it."""
        place = itemgetter(self._columns.index(listed.time), self._id)
        found = {
            row for cells in listed.any_of for row in self._listed(scope, listed, cells, after, limit + 1)
        }
        rows = sorted(found, key=place, reverse=listed.newest_first)
        shown = tuple(self.records(scope, rows[:limit]))
        sound = {self._spec.id_of(record) for record in shown}
        damaged = tuple(id for row in rows[:limit] if (id := str(row[self._id])) not in sound)
        return shown, place(rows[limit - 1]) if len(rows) > limit else None, damaged

    def rows(self, scope: Scope, sql: str, *asked: Any) -> list[Row]:
        """Rows of a project as they lie. Args: sql: after WHERE and the project."""
        whole = f"{self._select} WHERE project_key = ? AND {sql}"
        return self._database.reader().execute(whole, (self._keys.of(scope), *asked)).fetchall()

    def records(self, scope: Scope, rows: Iterable[Row]) -> list[T]:
        """Records of rows, as CollectionSpec.records."""
        return self._spec.records(scope, rows, self._sound_cells, lambda row: str(row[self._id]))

    def _sound_cells(self, row: Row) -> Mapping[str, Any]:
        return dict(zip(self._columns, (None, *row_digests.sound_cells(row)), strict=True))

    def _listed(
        self, scope: Scope, listed: RowList, cells: Mapping[str, str | None], after: Place | None, limit: int
    ) -> list[Row]:
        order, sign = (" DESC", "<") if listed.newest_first else ("", ">")
        where = [f"{name} IS NULL" if cell is None else f"{name} = ?" for name, cell in cells.items()]
        asked: list[Any] = [cell for cell in cells.values() if cell is not None]
        if after is not None:
            where.append(f"({listed.time}, {self._spec.id}) {sign} (?, ?)")
            asked += after
        if listed.viewer is not None:
            is_seen, own = visible_to(listed.viewer)
            where.append(is_seen)
            asked += own
        condition = " AND ".join(where or ["TRUE"])
        ordered = f"ORDER BY {listed.time}{order}, {self._spec.id}{order} LIMIT ?"
        return self.rows(scope, f"{condition} {ordered}", *asked, limit)
