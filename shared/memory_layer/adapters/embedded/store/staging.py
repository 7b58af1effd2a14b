"""Runs and staged learnings in their tables: writes of a commit, and reads."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import get_args

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys
from memory_layer.adapters.embedded.store import collection_rows
from memory_layer.adapters.stored_form.learning_fields import (
    FEEDBACK,
    RUNS,
    STAGED,
    removal_conflict,
    write_conflict,
)
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.learning.implicit_feedback import ImplicitFeedback
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus
from memory_layer.domain.memory import Scope
from memory_layer.ports.collections import FeedbackPage, RunPage, StagedPage


def write_run(connection: sqlite3.Connection, key: int, record: RunRecord) -> None:
    """Writes a run. Raises: VersionConflict: it is not at the version before."""
    if not collection_rows.write(connection, RUNS, key, record):
        raise write_conflict(record)


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
        if not collection_rows.write(connection, STAGED, key, item, end):
            raise write_conflict(item)


def _latest(staged: Iterable[StagedLearning]) -> datetime:
    """Latest time that staged learnings name: the present, as far as a commit tells."""
    times = ((item.staged_at, item.validated_at, item.decided_at) for item in staged)
    return max(time for each in times for time in each if time is not None)


def remove_staged(connection: sqlite3.Connection, key: int, staged: StagedLearning) -> None:
    """Deletes a staged learning. Raises: VersionConflict: it is not at this version."""
    if not collection_rows.remove(connection, STAGED, key, staged):
        raise removal_conflict(staged)


def remove_run(connection: sqlite3.Connection, key: int, record: RunRecord) -> None:
    """Deletes a run. Raises: VersionConflict: it is not at this version."""
    if not collection_rows.remove(connection, RUNS, key, record):
        raise removal_conflict(record)


def write_feedback(connection: sqlite3.Connection, key: int, feedback: ImplicitFeedback) -> None:
    """Writes implicit feedback; deletes it if no entry is left.

    Raises:
        VersionConflict: it is not at the version before.
    """
    if feedback.entries:
        is_written = collection_rows.write(connection, FEEDBACK, key, feedback)
    else:
        stored = replace(feedback, version=feedback.version - 1)
        is_written = collection_rows.remove(connection, FEEDBACK, key, stored)
    if not is_written:
        raise write_conflict(feedback)


class StagingRows:
    """Runs and staged learnings of all projects: the port ports.collections.LearningStore."""

    def __init__(self, database: Database, keys: ProjectKeys) -> None:
        self._database = database
        self._keys = keys
        self._runs = collection_rows.CollectionRows(database, keys, RUNS)
        self._staged = collection_rows.CollectionRows(database, keys, STAGED)
        self._feedback = collection_rows.CollectionRows(database, keys, FEEDBACK)

    def feedback(self, scope: Scope, names: Collection[str]) -> dict[str, ImplicitFeedback]:
        return self._feedback.get_many(scope, names)

    def feedback_page(self, scope: Scope, *, after: str | None, limit: int) -> FeedbackPage:
        rows = self._feedback.rows(scope, "memory > ? ORDER BY memory LIMIT ?", after or "", limit + 1)
        found = tuple(self._feedback.records(scope, rows[:limit]))
        return FeedbackPage(found, str(rows[limit - 1][2]) if len(rows) > limit else None)

    def runs_named(self, scope: Scope, ids: Collection[str]) -> dict[str, RunRecord]:
        return self._runs.get_many(scope, ids)

    def run(self, scope: Scope, run_id: str) -> RunRecord | None:
        return self._runs.get_many(scope, [run_id]).get(run_id)

    def runs(self, scope: Scope, *, after: collection_rows.Place | None, limit: int) -> RunPage:
        listed = collection_rows.RowList("received_at", newest_first=True)
        return RunPage(*self._runs.page(scope, listed, after, limit))

    def staged(self, scope: Scope, ids: Collection[str]) -> dict[str, StagedLearning]:
        return self._staged.get_many(scope, ids)

    def staged_page(
        self,
        scope: Scope,
        statuses: Collection[StagedStatus],
        viewer: Viewer,
        *,
        after: collection_rows.Place | None,
        limit: int,
    ) -> StagedPage:
        any_of = [{"status": status} for status in dict.fromkeys(statuses)]
        listed = collection_rows.RowList("staged_at", any_of, viewer)
        return StagedPage(*self._staged.page(scope, listed, after, limit))

    def staged_counts(self, scope: Scope, viewer: Viewer) -> dict[StagedStatus, int]:
        is_seen, own = collection_rows.visible_to(viewer)
        sql = f"SELECT status, count(*) FROM staged WHERE project_key = ? AND {is_seen} GROUP BY status"
        found = dict(self._database.reader().execute(sql, (self._keys.of(scope), *own)).fetchall())
        return {status: found.get(status, 0) for status in get_args(StagedStatus)}
