"""Pairs of memories that contradict each other or say the same, in SQLite."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys, project_key
from memory_layer.adapters.embedded.sqlite.row_digests import cells_digest, insertion, selection, sound_rows
from memory_layer.adapters.stored_form.pair_fields import PAIR_FIELDS, pair_values, readable_pairs
from memory_layer.domain.access import Viewer
from memory_layer.domain.conflicts.pair import Pair, PairKind, PairStatus
from memory_layer.domain.memory import Scope
from memory_layer.ports.collections import PairPage

_SELECT: Final = selection("pairs")
_ADD: Final = f"{insertion('pairs')} ON CONFLICT DO NOTHING"
_ASSIGNED: Final = ", ".join(f"{column} = ?" for column in (*PAIR_FIELDS, "digest"))
_CHANGE: Final = f"UPDATE pairs SET {_ASSIGNED} WHERE project_key = ? AND id = ? AND version = ?"
_DROP: Final = "DELETE FROM pairs WHERE project_key = ? AND id = ? AND version = ?"
_RECORDS_PRESENT: Final = "SELECT count(*) FROM memories WHERE project_key = ? AND id IN (?, ?)"


class PairRows:
    """Pairs of all projects: the port ports.collections.PairStore."""

    def __init__(self, database: Database, keys: ProjectKeys) -> None:
        self._database = database
        self._keys = keys

    def put(self, pairs: Sequence[Pair]) -> list[bool]:
        if not pairs:
            return []
        with self._database.writing() as connection:
            return [_write(connection, pair) for pair in pairs]

    def drop(self, pairs: Sequence[Pair]) -> list[bool]:
        if not pairs:
            return []
        with self._database.writing() as connection:
            return [
                connection.execute(_DROP, (self._keys.of(pair.scope), pair.id, pair.version)).rowcount == 1
                for pair in pairs
            ]

    def get(self, scope: Scope, id: str) -> Pair | None:
        return self.get_many(scope, [id]).get(id)

    def get_many(self, scope: Scope, ids: Collection[str]) -> dict[str, Pair]:
        sql = f"{_SELECT} WHERE project_key = ? AND id IN (SELECT value FROM json_each(?))"
        rows = self._database.reader().execute(sql, (self._keys.of(scope), json.dumps(list(ids)))).fetchall()
        return {pair.id: pair for pair in readable_pairs(scope, map(_values, sound_rows(rows)))}

    def page(
        self,
        scope: Scope,
        kind: PairKind,
        status: PairStatus,
        viewer: Viewer,
        *,
        after: tuple[str, str] | None,
        limit: int,
    ) -> PairPage:
        seen = "" if viewer.sees_all_personas else " AND (persona IS NULL OR persona = ?)"
        persona = () if viewer.sees_all_personas else (viewer.persona,)
        where = f"project_key = ? AND kind = ? AND status = ? AND (found_at, id) > (?, ?){seen}"
        asked = (self._keys.of(scope), kind, status, *(after or ("", "")), *persona, limit + 1)
        rows = (
            self._database.reader()
            .execute(f"{_SELECT} WHERE {where} ORDER BY found_at, id LIMIT ?", asked)
            .fetchall()
        )
        last = _values(rows[limit - 1][1:]) if len(rows) > limit else None
        pairs = readable_pairs(scope, map(_values, sound_rows(rows[:limit])))
        return PairPage(tuple(pairs), None if last is None else (last["found_at"], last["id"]))


def _write(connection: sqlite3.Connection, pair: Pair) -> bool:
    """Writes a pair, new or over the version before, if both records are there: no erased one may be quoted."""
    key, values = project_key(connection, pair.scope), tuple(pair_values(pair).values())
    (present,) = connection.execute(_RECORDS_PRESENT, (key, *pair.ids)).fetchone()
    if present < len(set(pair.ids)):
        return False
    digest = cells_digest((key, *values))
    if pair.version == 1:
        return connection.execute(_ADD, (key, *values, digest)).rowcount == 1
    where = (key, pair.id, pair.version - 1)
    return connection.execute(_CHANGE, (*values, digest, *where)).rowcount == 1


def _values(cells: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(PAIR_FIELDS, cells[1:], strict=True))
