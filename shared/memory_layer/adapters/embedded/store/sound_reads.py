"""Reads of single records and of pages, in which damage is told and never served."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys
from memory_layer.adapters.embedded.store.sound_records import (
    DamagedRow,
    SoundRecords,
    memories_in,
)
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.damage_log import damaged_record
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Memory, Scope
from memory_layer.ports.records import RecordPage

_LOST: Final = (
    "SELECT DISTINCT v.id FROM json_each(?2) w JOIN versions v ON v.project_key = ?1 AND v.id = w.value"
    " WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.project_key = ?1 AND m.id = w.value)"
)
"""Ids with a history and without a row: an erasure deletes both in one transaction."""

SOMEBODYS: Final = "a memory of the project"
"""Name of a damaged row that tells nobody whose it is, for those who do not see every persona."""


class SoundReads:
    """Reader of records by id, by condition and in pages."""

    def __init__(self, database: Database, keys: ProjectKeys, bodies: Bodies, sound: SoundRecords) -> None:
        self._database = database
        self._keys = keys
        self._bodies = bodies
        self._sound = sound

    def found(self, scope: Scope, id: str) -> Memory | None:
        """The record under an id, without its body. Raises: DamagedRecord."""
        found = self._one(scope, id)
        if found is None and self._lost(scope, [id]):
            found = self._one(scope, id) if self._sound.is_found_again(scope, id) else DamagedRow(id, None)
        if isinstance(found, DamagedRow):
            raise damaged_record(scope, id)
        return found

    def _one(self, scope: Scope, id: str) -> Memory | DamagedRow | None:
        return next(
            iter(self._sound.select(scope, "m.project_key = ? AND m.id = ?", (self._keys.of(scope), id))),
            None,
        )

    def _lost(self, scope: Scope, ids: Collection[str]) -> list[str]:
        """Those of these ids that have a history, and to whose rows no index leads."""
        with self._database.reading() as connection:
            found = connection.execute(_LOST, (self._keys.of(scope), json.dumps(list(ids)))).fetchall()
        return [id for (id,) in found]

    def select(self, scope: Scope, where: str, parameters: Sequence[Any]) -> Iterable[Memory]:
        return memories_in(self._sound.select(scope, where, parameters))

    def of_ids(self, scope: Scope, ids: Sequence[str]) -> list[Memory]:
        """Records under these ids, as many as one statement takes; of one in use the seal alone is read.

        An id that is not found is held against the histories: a damaged index leads to no row, and says nothing.
        """
        found = self._sound.of_ids(scope, self._keys.of(scope), ids)
        if missing := set(ids) - {one.id for one in found}:
            again = [id for id in self._lost(scope, missing) if self._sound.is_found_again(scope, id)]
            found = [*found, *(one for id in again if (one := self._one(scope, id)) is not None)]
        return memories_in(found)

    def known_damage(self) -> list[tuple[Scope, str]]:
        for scope, id in self._sound.damage.all():
            if self._one(scope, id) is None and not self._lost(scope, [id]):
                self._sound.damage.discard(scope, id)
        return self._sound.damage.all()

    def page(
        self,
        scope: Scope,
        where: str,
        parameters: list[Any],
        after: tuple[str, str] | None,
        limit: int,
        oldest_first: bool,
        column: str = "created_at",
        *,
        names_all: bool = True,
    ) -> RecordPage:
        """Page of records by a column, then by id.

        Args:
            column: `created_at` or `position`.
            names_all: damaged rows of which nobody can tell whose they are have their ids told.
        """
        beyond, direction = (">", "ASC") if oldest_first else ("<", "DESC")
        if after is not None:
            at = int(after[0]) if column == "position" else after[0]
            where, parameters = f"{where} AND (m.{column}, m.id) {beyond} (?, ?)", [*parameters, at, after[1]]
        order = f" ORDER BY m.{column} {direction}, m.id {direction} LIMIT ?"
        found = self._sound.select(scope, where + order, (*parameters, limit + 1))
        shown, more = found[:limit], len(found) > limit
        page = self._bodies.whole_page(
            RecordPage(tuple(memories_in(shown)), _end_of(shown, column) if more else None)
        )
        damaged = tuple(
            one.id if names_all or one.place is not None else SOMEBODYS
            for one in shown
            if isinstance(one, DamagedRow)
        )
        return replace(page, unread=(*damaged, *page.unread)) if damaged else page


def _end_of(shown: Sequence[Memory | DamagedRow], column: str) -> tuple[str, str] | None:
    """Place that the next page continues after: that of the last row that tells its own."""
    places = (_place(one, column) for one in reversed(shown))
    return next((place for place in places if place is not None), None)


def _place(one: Memory | DamagedRow, column: str) -> tuple[str, str] | None:
    if column == "position":
        return (str(one.position), one.id) if isinstance(one, Memory) else None
    return (rfc3339(one.created_at), one.id) if isinstance(one, Memory) else one.place
