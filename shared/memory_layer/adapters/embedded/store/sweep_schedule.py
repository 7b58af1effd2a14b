"""Schedule of sweeps, in SQLite: records by when they are due, projects, and the state of each sweep."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.record_rows import RECORD_COLUMNS
from memory_layer.adapters.embedded.store.sound_records import DamagedRow, SoundRecords
from memory_layer.adapters.stored_form.sweep_state_text import (
    state_digest,
    state_of,
    state_text,
    sweep_state_conflict,
)
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.time.sweep_state import SweepName, SweepState
from memory_layer.errors import Malformed
from memory_layer.ports.maintenance import DueNames, DuePage

_DUE: Final = (
    f"SELECT m.due_at, m.key, p.tenant, p.project, {RECORD_COLUMNS} FROM memories m"
    " JOIN projects p ON p.key = m.project_key LEFT JOIN accesses a ON a.memory_key = m.key"
    " WHERE m.due_at <= ? AND (m.due_at, m.key) > (?, ?) ORDER BY m.due_at, m.key LIMIT ?"
)
_DUE_NAMES: Final = (
    "SELECT m.due_at, m.key, p.tenant, p.project, m.id FROM memories m JOIN projects p ON p.key = m.project_key"
    " WHERE m.due_at <= ? AND (m.due_at, m.key) > (?, ?) ORDER BY m.due_at, m.key LIMIT ?"
)
_PROJECTS: Final = (
    "SELECT tenant, project FROM projects WHERE (tenant, project) > (?, ?) ORDER BY tenant, project LIMIT ?"
)
_NEWEST: Final = (
    "SELECT v.changed_at FROM memories m JOIN versions v"
    " ON v.project_key = m.project_key AND v.id = m.id AND v.version = m.version"
    " WHERE m.project_key = (SELECT key FROM projects WHERE tenant = ? AND project = ?)"
    " ORDER BY m.log_position DESC LIMIT 1"
)
_BEGIN: Final = (
    "INSERT INTO sweep_states (version, state, digest, name) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_GO_ON: Final = "UPDATE sweep_states SET version = ?, state = ?, digest = ? WHERE name = ? AND version = ?"


class SweepRows:
    """Schedule of all tenants: the port ports.maintenance.SweepStore."""

    def __init__(self, database: Database, sound: SoundRecords) -> None:
        self._database = database
        self._sound = sound

    def due(
        self,
        until: datetime,
        *,
        since: datetime | None,  # noqa: ARG002 the index begins with what is left to do
        after: str | None,
        limit: int,
    ) -> DuePage:
        shown, next_cursor = self._listed(_DUE, until, after, limit)
        read = [self._memory_or_name(row) for row in shown]
        return DuePage(
            tuple(item for item in read if isinstance(item, Memory)),
            next_cursor,
            tuple(item for item in read if isinstance(item, str)),
        )

    def due_names(
        self,
        until: datetime,
        *,
        since: datetime | None,  # noqa: ARG002 as in `due`
        after: str | None,
        limit: int,
    ) -> DueNames:
        shown, next_cursor = self._listed(_DUE_NAMES, until, after, limit)
        return DueNames(
            tuple((Scope(tenant, project), id) for _, _, tenant, project, id in shown), next_cursor
        )

    def _listed(
        self, sql: str, until: datetime, after: str | None, limit: int
    ) -> tuple[list[Any], str | None]:
        """Rows of a page, by due time and key, and the cursor behind them."""
        bounds = (rfc3339(until), *_place_of(after), limit + 1)
        found = self._database.reader().execute(sql, bounds).fetchall()
        shown = found[:limit]
        return shown, f"{shown[-1][0]}#{shown[-1][1]}" if len(found) > limit else None

    def _memory_or_name(self, row: Sequence[Any]) -> Memory | str | None:
        """Record of a row, a sentence for a damaged one, which keeps no other from its sweep; None: healed just now."""
        _, _, tenant, project, *stored = row
        found = self._sound.sound_or_healed(Scope(tenant, project), tuple(stored))
        if not isinstance(found, DamagedRow):
            return found
        return f"{project}: {found.id} is damaged; run: mem verify -p {project}"

    def projects(self, *, after: Scope | None, limit: int) -> list[Scope]:
        return [
            Scope(*row) for row in self._database.reader().execute(_PROJECTS, (*(after or ("", "")), limit))
        ]

    def written_since(self, scope: Scope, at: datetime) -> bool:
        """True if the newest record of the project's log was changed at this time or later."""
        newest = self._database.reader().execute(_NEWEST, scope).fetchone()
        return newest is not None and newest[0] >= rfc3339(at)

    def state(self, name: SweepName) -> SweepState | None:
        sql = "SELECT version, state, digest FROM sweep_states WHERE name = ?"
        row = self._database.reader().execute(sql, (name,)).fetchone()
        return None if row is None else state_of(name, row[0], row[1], row[2].hex())

    def put_state(self, state: SweepState) -> None:
        text = state_text(state)
        digest = bytes.fromhex(state_digest(state.name, state.version, text))
        values = (state.version, text, digest, state.name)
        with self._database.writing() as connection:
            if state.version == 1:
                cursor = connection.execute(_BEGIN, values)
            else:
                cursor = connection.execute(_GO_ON, (*values, state.version - 1))
        if cursor.rowcount == 0:
            raise sweep_state_conflict(state)


def _place_of(cursor: str | None) -> tuple[str, int]:
    """Due time and key of a cursor. Raises: Malformed: no page ever named this cursor."""
    if cursor is None:
        return "", 0
    due_at, _, key = cursor.rpartition("#")
    if not due_at or not key.isdigit():
        raise Malformed("the cursor is none of ours; start again without one")
    return due_at, int(key)
