"""Settings of projects, and the marks of their writes and activity, in SQLite."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import (
    ensure_project,
    lenient_text,
    note_write,
    settings_of,
)
from memory_layer.adapters.embedded.sqlite.record_rows import scalar
from memory_layer.adapters.embedded.sqlite.row_digests import cells_digest, with_digest
from memory_layer.adapters.stored_form.entity_event_fields import activity_of
from memory_layer.adapters.stored_form.stored_values import assembly_of, authors_of
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.learning.author_records import AuthorRecords
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy
from memory_layer.ports.project_settings import ContextSettings, RecallSettings
from memory_layer.ports.records import NEVER_WRITTEN

_NOTE: Final = (
    "INSERT INTO activity (project_key, last_activity_at, digest) VALUES (?, ?, ?)"
    " ON CONFLICT (project_key) DO UPDATE SET last_activity_at = excluded.last_activity_at, digest = excluded.digest"
    " WHERE excluded.last_activity_at > last_activity_at"
)
_RECALL_SETTINGS: Final = (
    "SELECT EXISTS (SELECT 1 FROM implicit_feedback WHERE project_key = p.key AND memory > ''),"
    " CAST(p.policy AS BLOB), CAST(p.authors AS BLOB), a.digest, a.project_key, CAST(a.last_activity_at AS BLOB)"
    " FROM projects p LEFT JOIN activity a ON a.project_key = p.key"
    " WHERE p.tenant = ? AND p.project = ?"
)
_SETTINGS: Final = (
    "SELECT CAST(p.policy AS BLOB), CAST(p.assembly AS BLOB), CAST(p.authors AS BLOB), a.digest, a.project_key,"
    " CAST(a.last_activity_at AS BLOB) FROM projects p"
    " LEFT JOIN activity a ON a.project_key = p.key WHERE p.tenant = ? AND p.project = ?"
)
_AUTHORS: Final = "SELECT CAST(authors AS BLOB) FROM projects WHERE tenant = ? AND project = ?"
_WRITES: Final = "SELECT writes FROM projects WHERE tenant = ? AND project = ?"


class ProjectSettingRows:
    """Settings and marks of all projects: the port ports.records.ProjectStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def policy(self, scope: Scope) -> Policy:
        sql = "SELECT CAST(policy AS BLOB) FROM projects WHERE tenant = ? AND project = ?"
        return settings_of(scope, scalar(self._database.reader(), sql, scope))

    def recall_settings(self, scope: Scope) -> RecallSettings:
        row = self._database.reader().execute(_RECALL_SETTINGS, scope).fetchone()
        has_feedback, policy, authors, *activity = row or (0, None, None, None, None, None)
        return RecallSettings(
            settings_of(scope, policy),
            sound_activity(activity),
            bool(has_feedback),
            authors_of(scope, lenient_text(authors)),
        )

    def authors(self, scope: Scope) -> AuthorRecords:
        return authors_of(scope, lenient_text(scalar(self._database.reader(), _AUTHORS, scope)))

    def context_settings(self, scopes: Sequence[Scope]) -> tuple[ContextSettings, ...]:
        return tuple(map(self._context_settings, scopes))

    def _context_settings(self, scope: Scope) -> ContextSettings:
        row = self._database.reader().execute(_SETTINGS, scope).fetchone()
        policy, assembly, authors, *activity = row or (None, None, None, None, None, None)
        return ContextSettings(
            settings_of(scope, policy),
            sound_activity(activity),
            *assembly_of(scope, lenient_text(assembly)),
            authors_of(scope, lenient_text(authors)),
        )

    def write_versions(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        return tuple(
            str(scalar(self._database.reader(), _WRITES, scope) or NEVER_WRITTEN) for scope in scopes
        )

    def note_activity(self, scope: Scope, at: datetime) -> None:
        with self._database.writing() as connection:
            key = ensure_project(connection, scope)
            connection.execute(_NOTE, with_digest((key, rfc3339(at))))
            note_write(connection, key)


def sound_activity(row: Sequence[Any]) -> datetime | None:
    """Time of the last activity; None: nobody watches, or the row is damaged. Args: row: digest, project, time."""
    digest, key, at = row
    is_sound = digest is not None and digest == cells_digest((key, at))
    return activity_of(at.decode()) if is_sound else None
