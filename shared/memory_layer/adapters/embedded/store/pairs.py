"""Pairs of memories that contradict each other or say the same, in SQLite."""

from collections.abc import Collection, Sequence
from sqlite3 import Connection
from typing import Final

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys, project_key
from memory_layer.adapters.embedded.store import collection_rows
from memory_layer.adapters.stored_form.pair_fields import PAIRS
from memory_layer.domain.access import Viewer
from memory_layer.domain.conflicts.pair import Pair, PairKind, PairStatus
from memory_layer.domain.memory import Scope
from memory_layer.ports.collections import PairPage

_RECORDS_PRESENT: Final = "SELECT count(*) FROM memories WHERE project_key = ? AND id IN (?, ?)"


class PairRows:
    """Pairs of all projects: the port ports.collections.PairStore."""

    def __init__(self, database: Database, keys: ProjectKeys) -> None:
        self._database = database
        self._keys = keys
        self._rows = collection_rows.CollectionRows(database, keys, PAIRS)

    def put(self, pairs: Sequence[Pair]) -> list[bool]:
        if not pairs:
            return []
        with self._database.writing() as connection:
            return [self._written(connection, pair) for pair in pairs]

    @staticmethod
    def _written(connection: Connection, pair: Pair) -> bool:
        """Writes a pair if both records are there: no erased one may be quoted."""
        key = project_key(connection, pair.scope)
        (present,) = connection.execute(_RECORDS_PRESENT, (key, *pair.ids)).fetchone()
        return present == len(set(pair.ids)) and collection_rows.write(connection, PAIRS, key, pair)

    def drop(self, pairs: Sequence[Pair]) -> list[bool]:
        if not pairs:
            return []
        with self._database.writing() as connection:
            return [
                collection_rows.remove(connection, PAIRS, self._keys.of(pair.scope), pair) for pair in pairs
            ]

    def get(self, scope: Scope, id: str) -> Pair | None:
        return self.get_many(scope, [id]).get(id)

    def get_many(self, scope: Scope, ids: Collection[str]) -> dict[str, Pair]:
        return self._rows.get_many(scope, ids)

    def page(
        self,
        scope: Scope,
        kind: PairKind,
        status: PairStatus,
        viewer: Viewer,
        *,
        after: collection_rows.Place | None,
        limit: int,
    ) -> PairPage:
        listed = collection_rows.RowList("found_at", [{"kind": kind, "status": status}], viewer)
        return PairPage(*self._rows.page_with_damage(scope, listed, after, limit))
