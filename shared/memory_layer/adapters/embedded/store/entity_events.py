"""Events of the things that memories speak of, in SQLite."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite import row_digests
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys, ensure_project, note_write
from memory_layer.adapters.stored_form import entity_event_fields
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.entity_events import EntityEvent, Link, links_in_force
from memory_layer.ports.collections import LINKS_MAX, EventPage

_SELECT: Final = row_digests.selection("entity_events")
_ADD: Final = f"{row_digests.insertion('entity_events')} ON CONFLICT DO NOTHING"
_APPLY: Final = (
    "UPDATE entity_events SET applied_at = ?, marked = ?, is_known = ?, version = ?, digest = ?"
    " WHERE project_key = ? AND id = ? AND version = ?"
)
_OPEN: Final = (
    f"{_SELECT} WHERE project_key = ? AND applied_at IS NULL AND (received_at, id) > (?, ?)"
    " ORDER BY received_at, id LIMIT ?"
)
_EVENTS_OF_URN: Final = (
    f"{_SELECT} WHERE project_key = ? AND {{end}} = ? AND (occurred_at, id) > (?, ?)"
    " ORDER BY occurred_at, id LIMIT ?"
)
_LINKS_AT: Final = {
    end: f"{_SELECT} WHERE project_key = ? AND {end} = ? AND occurred_at <= ? AND event IN ('linked', 'unlinked')"
    " ORDER BY occurred_at DESC, id DESC LIMIT ?"
    for end in ("urn", "target")
}
_COUNTS: Final = (
    "SELECT event, count(*), count(*) FILTER (WHERE is_known = 0) FROM entity_events"
    " WHERE project_key = ? GROUP BY event"
)
_FORGET: Final = (
    "DELETE FROM entity_events WHERE project_key = ?1 AND (?2 IS NULL OR urn = ?2 OR target = ?2)"
    " AND (?3 IS NULL OR created_by = ?3)"
)


class EntityEventRows:
    """Entity events of all projects: the port ports.collections.EventStore."""

    def __init__(self, database: Database, keys: ProjectKeys) -> None:
        self._database = database
        self._keys = keys

    def add(self, events: Sequence[EntityEvent]) -> list[bool]:
        with self._database.writing() as connection:
            return [_added(connection, event) for event in events]

    def get_many(self, scope: Scope, ids: Collection[str]) -> dict[str, EntityEvent]:
        sql = f"{_SELECT} WHERE project_key = ? AND id IN (SELECT value FROM json_each(?))"
        rows = self._database.reader().execute(sql, (self._keys.of(scope), json.dumps(list(ids))))
        return {event.id: event for event in _events(scope, rows)}

    def mark_applied(self, events: Sequence[EntityEvent]) -> list[bool]:
        with self._database.writing() as connection:
            return [_applied(connection, event) for event in events]

    def open(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> EventPage:
        rows = self._database.reader().execute(_OPEN, (self._keys.of(scope), *(after or ("", "")), limit + 1))
        return _page(scope, rows.fetchall(), limit, "received_at")

    def of(self, scope: Scope, urn: str, *, after: tuple[str, str] | None, limit: int) -> EventPage:
        """Page of the events at either end: of each end, in the order of its index, a page is read."""
        asked = (self._keys.of(scope), urn, *(after or ("", "")), limit + 1)
        rows = {
            row
            for end in ("urn", "target")
            for row in self._database.reader().execute(_EVENTS_OF_URN.format(end=end), asked).fetchall()
        }
        in_order = sorted(rows, key=lambda row: _place(row, "occurred_at"))
        return _page(scope, in_order, limit, "occurred_at")

    def links_of(
        self, scope: Scope, urns: Collection[str], *, as_of: datetime | None = None, limit: int = LINKS_MAX
    ) -> dict[str, tuple[Link, ...]]:
        """Links in force among the latest `limit` of each end."""
        until, found = "~" if as_of is None else rfc3339(as_of), {}
        for urn in dict.fromkeys(urns):
            asked = (self._keys.of(scope), urn, until, limit)
            rows = {
                row
                for end in ("urn", "target")
                for row in self._database.reader().execute(_LINKS_AT[end], asked)
            }
            if links := links_in_force(_events(scope, rows)):
                found[urn] = tuple(sorted(links))
        return found

    def counts(self, scope: Scope) -> Mapping[str, int]:
        rows = self._database.reader().execute(_COUNTS, (self._keys.of(scope),)).fetchall()
        counts = {event: count for event, count, _ in rows}
        return entity_event_fields.counts_by_kind(
            {**counts, entity_event_fields.UNKNOWN: sum(unknown for *_, unknown in rows)}
        )

    def forget(self, scope: Scope, *, urn: str | None = None, created_by: str | None = None) -> int:
        key = self._keys.of(scope)
        with self._database.writing() as connection:
            note_write(connection, key)
            if urn is None and created_by is None:
                connection.execute("DELETE FROM activity WHERE project_key = ?", (key,))
            return connection.execute(_FORGET, (key, urn, created_by)).rowcount


def _added(connection: sqlite3.Connection, event: EntityEvent) -> bool:
    key = ensure_project(connection, event.scope)
    note_write(connection, key)
    return (
        connection.execute(
            _ADD, row_digests.with_digest((key, *entity_event_fields.event_values(event).values()))
        ).rowcount
        == 1
    )


def _applied(connection: sqlite3.Connection, event: EntityEvent) -> bool:
    key, values = ensure_project(connection, event.scope), entity_event_fields.event_values(event)
    note_write(connection, key)
    changed = [values[name] for name in ("applied_at", "marked", "is_known", "version")]
    where = (key, event.id, event.version - 1)
    return (
        connection.execute(
            _APPLY, (*changed, row_digests.cells_digest((key, *values.values())), *where)
        ).rowcount
        == 1
    )


def _events(scope: Scope, rows: Iterable[Sequence[Any]]) -> list[EntityEvent]:
    return entity_event_fields.readable_events(
        scope,
        rows,
        lambda row: dict(
            zip(entity_event_fields.ENTITY_EVENT_FIELDS, row_digests.sound_cells(row)[1:], strict=True)
        ),
    )


def _page(scope: Scope, rows: Sequence[Sequence[Any]], limit: int, time: str) -> EventPage:
    """Page of these rows.

    Args:
        rows: in order, with one more than the page holds if there are more.
        time: the field that they are ordered by, before the id.
    """
    shown = rows[:limit]
    more = len(rows) > limit
    return EventPage(tuple(_events(scope, shown)), _place(shown[-1], time) if more else None)


def _place(row: Sequence[Any], time: str) -> tuple[str, str]:
    _, _, *cells = row
    at, id = (cells[entity_event_fields.ENTITY_EVENT_FIELDS.index(name)] for name in (time, "id"))
    return at, id
