"""Runs and staged learnings in their tables: writes of a commit, and reads."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, get_args

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys
from memory_layer.adapters.embedded.sqlite.row_digests import cells_digest, insertion, selection, sound_cells
from memory_layer.adapters.stored_form import learning_fields
from memory_layer.adapters.stored_form.stored_values import parse_stored
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus
from memory_layer.domain.memory import Scope
from memory_layer.ports.collections import RunPage, StagedPage

_SELECT_RUN = selection("runs")
_SELECT_STAGED = selection("staged")

_ID = 2
"""Place of the id in a row of either, after its digest and its project."""

Place = tuple[str, str]
"""End of a page, after which the next one begins: a time and an id."""


def write_run(connection: sqlite3.Connection, key: int, record: RunRecord) -> None:
    """Writes a run. Raises: VersionConflict: it is not at the version before."""
    if not _write(connection, "runs", "run_id", key, record, {}):
        raise learning_fields.write_conflict(record)


def write_staged(connection: sqlite3.Connection, key: int, staged: Sequence[StagedLearning]) -> None:
    """Writes staged learnings, after it deletes those, of any project, whose time is over.

    In a project where nothing is staged since, readers may find expired ones a while longer.

    Raises:
        VersionConflict: a learning is not at the version before.
    """
    if staged:
        connection.execute("DELETE FROM staged WHERE kept_until <= ?", (rfc3339(_latest(staged)),))
    for item in staged:
        end = {"kept_until": None if item.kept_until is None else rfc3339(item.kept_until)}
        if not _write(connection, "staged", "id", key, item, end):
            raise learning_fields.write_conflict(item)


def _latest(staged: Iterable[StagedLearning]) -> datetime:
    """Latest time that staged learnings name: the present, as far as a commit tells."""
    times = ((item.staged_at, item.validated_at, item.decided_at) for item in staged)
    return max(time for each in times for time in each if time is not None)


def _write(
    connection: sqlite3.Connection,
    table: str,
    name: str,
    key: int,
    record: RunRecord | StagedLearning,
    more: dict[str, Any],
) -> bool:
    """Writes a record, new or over the version before; False if neither holds."""
    values = learning_fields.learning_values(record) | more
    digest = cells_digest((key, *values.values()))
    if record.version == 1:
        sql = f"{insertion(table)} ON CONFLICT DO NOTHING"
        return connection.execute(sql, (key, *values.values(), digest)).rowcount == 1
    assigned = ", ".join(f"{column} = ?" for column in (*values, "digest"))
    sql = f"UPDATE {table} SET {assigned} WHERE project_key = ? AND {name} = ? AND version = ?"
    where = (key, values[name], record.version - 1)
    return connection.execute(sql, (*values.values(), digest, *where)).rowcount == 1


def remove_staged(connection: sqlite3.Connection, key: int, staged: StagedLearning) -> None:
    """Deletes a staged learning. Raises: VersionConflict: it is not at this version."""
    sql = "DELETE FROM staged WHERE project_key = ? AND id = ? AND version = ?"
    if connection.execute(sql, (key, staged.id, staged.version)).rowcount == 0:
        raise learning_fields.removal_conflict(staged)


def remove_run(connection: sqlite3.Connection, key: int, record: RunRecord) -> None:
    """Deletes a run. Raises: VersionConflict: it is not at this version."""
    sql = "DELETE FROM runs WHERE project_key = ? AND run_id = ? AND version = ?"
    if connection.execute(sql, (key, record.run_id, record.version)).rowcount == 0:
        raise learning_fields.removal_conflict(record)


class StagingRows:
    """Runs and staged learnings of all projects: the port ports.collections.LearningStore."""

    def __init__(self, database: Database, keys: ProjectKeys) -> None:
        self._database = database
        self._keys = keys

    def run(self, scope: Scope, run_id: str) -> RunRecord | None:
        sql = f"{_SELECT_RUN} WHERE project_key = ? AND run_id = ?"
        row = self._database.reader().execute(sql, (self._keys.of(scope), run_id)).fetchone()
        return None if row is None else _run(row)

    def runs(self, scope: Scope, *, after: Place | None, limit: int) -> RunPage:
        beyond = "" if after is None else " AND (received_at, run_id) < (?, ?)"
        sql = f"{_SELECT_RUN} WHERE project_key = ?{beyond} ORDER BY received_at DESC, run_id DESC LIMIT ?"
        rows = (
            self._database.reader().execute(sql, (self._keys.of(scope), *(after or ()), limit + 1)).fetchall()
        )
        found = [_run(row) for row in rows]
        shown = tuple(found[:limit])
        more = len(found) > limit
        return RunPage(shown, (rfc3339(shown[-1].received_at), shown[-1].run_id) if more else None)

    def staged(self, scope: Scope, ids: Collection[str]) -> dict[str, StagedLearning]:
        sql = f"{_SELECT_STAGED} WHERE project_key = ? AND id IN (SELECT value FROM json_each(?))"
        rows = self._database.reader().execute(sql, (self._keys.of(scope), json.dumps(list(ids)))).fetchall()
        return {staged.id: staged for staged in map(_staged, rows)}

    def staged_page(
        self,
        scope: Scope,
        statuses: Collection[StagedStatus],
        viewer: Viewer,
        *,
        after: Place | None,
        limit: int,
    ) -> StagedPage:
        """Page of staged learnings: of each status, in the order of its index, a page is read."""
        visible, persona = _visibility(viewer)
        beyond = "" if after is None else " AND (staged_at, id) > (?, ?)"
        where = f"project_key = ? AND status = ?{visible}{beyond}"
        sql = f"{_SELECT_STAGED} WHERE {where} ORDER BY staged_at, id LIMIT ?"
        common = (*persona, *(after or ()), limit + 1)
        found = [
            _staged(row)
            for status in dict.fromkeys(statuses)
            for row in self._database.reader()
            .execute(sql, (self._keys.of(scope), status, *common))
            .fetchall()
        ]
        shown = tuple(sorted(found, key=lambda item: (item.staged_at, item.id))[:limit])
        more = len(found) > limit
        return StagedPage(shown, (rfc3339(shown[-1].staged_at), shown[-1].id) if more else None)

    def staged_counts(self, scope: Scope, viewer: Viewer) -> dict[StagedStatus, int]:
        visible, persona = _visibility(viewer)
        sql = f"SELECT status, count(*) FROM staged WHERE project_key = ?{visible} GROUP BY status"
        found = dict(self._database.reader().execute(sql, (self._keys.of(scope), *persona)).fetchall())
        return {status: found.get(status, 0) for status in get_args(StagedStatus)}


def _visibility(viewer: Viewer) -> tuple[str, tuple[str | None, ...]]:
    if viewer.sees_all_personas:
        return "", ()
    return " AND (persona IS NULL OR persona = ?)", (viewer.persona,)


def _run(row: Sequence[Any]) -> RunRecord:
    return parse_stored(_run_in, row, f"run {row[_ID]}")


def _run_in(row: Sequence[Any]) -> RunRecord:
    return learning_fields.run_of(dict(zip(learning_fields.RUN_FIELDS, sound_cells(row)[1:], strict=True)))


def _staged(row: Sequence[Any]) -> StagedLearning:
    return parse_stored(_staged_in, row, f"staged learning {row[_ID]}")


def _staged_in(row: Sequence[Any]) -> StagedLearning:
    _, *cells, _ = sound_cells(row)
    return learning_fields.staged_of(dict(zip(learning_fields.STAGED_FIELDS, cells, strict=True)))
