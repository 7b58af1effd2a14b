"""Events of the things that memories speak of, in SQLite."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from memory_layer.adapters.embedded.sqlite import record_rows
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys, ensure_project, note_write
from memory_layer.adapters.embedded.store import collection_rows
from memory_layer.adapters.stored_form.entity_event_fields import EVENTS, UNKNOWN, counts_by_kind
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.entity_events import EntityEvent, Link, links_in_force
from memory_layer.ports.collections import LINKS_MAX, EventPage

_LINKS_AT: Final = "{end} = ? AND occurred_at <= ? AND event IN ('linked', 'unlinked') AND {seen}"
_LATEST: Final = " ORDER BY occurred_at DESC, id DESC LIMIT ?"
_VOICE: Final = (  # access.agent_voice
    "CASE WHEN created_by GLOB 'agent:?*:?*' THEN substr(created_by, 7 + instr(substr(created_by, 7), ':'))"
    " ELSE created_by END"
)
_TURN_BY_TURN: Final = (
    f" ORDER BY row_number() OVER (PARTITION BY {_VOICE} ORDER BY occurred_at DESC, id DESC),"
    " occurred_at DESC, id DESC LIMIT ?"
)
"""The latest of each voice, then the second of each: however much one tells, the others' are among them."""

_OF_AGENTS, _OF_OTHERS = " AND by_agent = 1", " AND by_agent IS NOT 1"
_LINKING: Final = "event IN ('linked', 'unlinked')"
_NAMED: Final = (
    "WITH asked (urn) AS (VALUES {}) SELECT urn FROM asked"
    " WHERE EXISTS (SELECT 1 FROM entity_events e WHERE e.project_key = ?1 AND e.urn = asked.urn)"
    " OR EXISTS (SELECT 1 FROM entity_events e WHERE e.project_key = ?1 AND e.target = asked.urn)"
)
"""Those of some URNs that an event names: of most things that memories name there is none."""
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
        self._rows = collection_rows.CollectionRows(database, keys, EVENTS)

    def add(self, events: Sequence[EntityEvent]) -> list[bool]:
        return self._written(events)

    def mark_applied(self, events: Sequence[EntityEvent]) -> list[bool]:
        return self._written(events)

    def _written(self, events: Sequence[EntityEvent]) -> list[bool]:
        with self._database.writing() as connection:
            return [_write(connection, event) for event in events]

    def get_many(self, scope: Scope, ids: Collection[str]) -> dict[str, EntityEvent]:
        return self._rows.get_many(scope, ids)

    def open(self, scope: Scope, *, after: collection_rows.Place | None, limit: int) -> EventPage:
        listed = collection_rows.RowList("received_at", [{"applied_at": None}])
        return EventPage(*self._rows.page_with_damage(scope, listed, after, limit))

    def of(self, scope: Scope, urn: str, *, after: collection_rows.Place | None, limit: int) -> EventPage:
        listed = collection_rows.RowList("occurred_at", [{"urn": urn}, {"target": urn}])
        return EventPage(*self._rows.page_with_damage(scope, listed, after, limit))

    def links_of(
        self,
        scope: Scope,
        urns: Collection[str],
        viewer: Viewer,
        *,
        as_of: datetime | None = None,
        limit: int = LINKS_MAX,
    ) -> dict[str, tuple[Link, ...]]:
        """Links in force among the latest of each end; where there are more than `limit`, of each voice."""
        until, found = "~" if as_of is None else rfc3339(as_of), {}
        seen, own = collection_rows.visible_to(viewer)
        asked = list(dict.fromkeys(urns))
        named = self._named(scope, asked)
        for urn in asked:
            if urn not in named:
                continue
            ends = (_LINKS_AT.format(end=end, seen=seen) for end in ("urn", "target"))
            rows = {row for sql in ends for row in self._latest(scope, sql, (urn, until, *own), limit)}
            if links := links_in_force(self._rows.records(scope, rows), viewer):
                found[urn] = tuple(sorted(links))
        return found

    def _latest(
        self, scope: Scope, sql: str, asked: Sequence[str], limit: int
    ) -> Iterable[collection_rows.Row]:
        rows = self._rows.rows(scope, f"{sql}{_LATEST}", *asked, limit + 1)
        if len(rows) <= limit:
            return rows
        halves = (f"{sql}{who}{_TURN_BY_TURN}" for who in (_OF_OTHERS, _OF_AGENTS))
        return [row for half in halves for row in self._rows.rows(scope, half, *asked, limit)]

    def _named(self, scope: Scope, urns: list[str]) -> set[str]:
        """Those of the URNs that an event is of, or links."""
        found: set[str] = set()
        for chunk in record_rows.chunks(urns):
            sql = _NAMED.format(", ".join(f"(?{place})" for place in range(2, len(chunk) + 2)))
            rows = self._database.reader().execute(sql, (self._keys.of(scope), *chunk)).fetchall()
            found.update(urn for (urn,) in rows)
        return found

    def links_told(self, scope: Scope) -> list[EntityEvent]:
        return list(self._rows.records(scope, self._rows.rows(scope, _LINKING)))

    def counts(self, scope: Scope) -> Mapping[str, int]:
        rows = self._database.reader().execute(_COUNTS, (self._keys.of(scope),)).fetchall()
        counts = {event: count for event, count, _ in rows}
        return counts_by_kind({**counts, UNKNOWN: sum(unknown for *_, unknown in rows)})

    def forget(self, scope: Scope, *, urn: str | None = None, created_by: str | None = None) -> int:
        key = self._keys.of(scope)
        with self._database.writing() as connection:
            note_write(connection, key)
            if urn is None and created_by is None:
                connection.execute("DELETE FROM activity WHERE project_key = ?", (key,))
            return connection.execute(_FORGET, (key, urn, created_by)).rowcount


def _write(connection: sqlite3.Connection, event: EntityEvent) -> bool:
    key = ensure_project(connection, event.scope)
    note_write(connection, key)
    return collection_rows.write(connection, EVENTS, key, event)
