"""Commits with their bodies beside the table, and with the marks of their projects."""

import logging
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from typing import Final, TypeAlias

from memory_layer.adapters.aws.store import partition_erasure
from memory_layer.adapters.aws.store.news_gate import AnnouncedNews, entries_of
from memory_layer.adapters.aws.store.project_marks import ProjectRegistry, WriteMarks
from memory_layer.adapters.aws.store.sessions import SessionEntries
from memory_layer.adapters.aws.store.transaction import CommitTransactions
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.records_table import RecordsTable
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Scope
from memory_layer.errors import (
    AnnouncementCancelled,
    Conflict,
    Invalid,
    MemoryLayerError,
    StoreUnavailable,
    TooLarge,
    TooMany,
)
from memory_layer.ports.commit import Change, Commit

ErasedRecord: TypeAlias = tuple[Scope, str, int]
"""Project and id of an erased record, and the version of its tombstone."""

CROWDED: Final = StoreUnavailable(
    "others were storing near texts all the while; nothing was written, send it again"
)
"""Error of a commit that found the gate of news taken at each attempt."""

_log = logging.getLogger(__name__)


class ErasedBodies:
    """Bodies of erased records, deleted after the commit that erases. Args: bodies: of all records."""

    def __init__(self, table: RecordsTable, bodies: Bodies) -> None:
        self._table = table
        self._bodies = bodies
        self._waiting: list[ErasedRecord] = []

    def delete(self, erased: Sequence[ErasedRecord]) -> None:
        """Deletes bodies; those that the bucket keeps now wait for `settle`, and for the projector."""
        self._waiting.extend(self._still_there(erased))

    def settle(self) -> bool:
        """Deletes the bodies that wait, and says that none is left."""
        waiting, self._waiting = self._waiting, []
        self.delete(waiting)
        return not self._waiting

    def finish_erasure(self, scope: Scope, id: str, version: int) -> None:
        """Deletes what a crash may have left beside a tombstone of this version, if anything."""
        partition_erasure.finish_erasure(self._table, scope, id, version)
        self._erase(scope, id, version)

    def _still_there(self, erased: Sequence[ErasedRecord]) -> list[ErasedRecord]:
        """Deletes bodies; returns the records whose bodies the bucket keeps now."""
        waiting = []
        for one in erased:
            try:
                self._erase(*one)
            except StoreUnavailable as error:
                _log.warning("the bodies of %s are not deleted yet: %s", one[1], error.detail)
                waiting.append(one)
        return waiting

    def _erase(self, scope: Scope, id: str, version: int) -> None:
        """Deletes bodies; those of an id created anew meanwhile stay."""
        if partition_erasure.has_tombstone(self._table, scope, id, version):
            self._bodies.erase(scope, [id])


class DynamoCommits:
    """Writer of commits: the port ports.record_store.CommitWriter. Args: executor: sends several at a time."""

    def __init__(
        self,
        table: RecordsTable,
        transactions: CommitTransactions,
        bodies: Bodies,
        erased: ErasedBodies,
        news: AnnouncedNews,
        registry: ProjectRegistry,
        marks: WriteMarks,
        sessions: SessionEntries,
        executor: Executor,
    ) -> None:
        self._table = table
        self._transactions = transactions
        self._bodies = bodies
        self._erased = erased
        self._news = news
        self._registry = registry
        self._marks = marks
        self._sessions = sessions
        self._executor = executor

    def commit(self, commit: Commit) -> None:
        try:
            self._note_and_run(commit)
        except StoreUnavailable:  # it may have taken effect all the same
            with suppress(StoreUnavailable):
                self._marks.renew([commit.scope])
            raise
        self._marks.renew([commit.scope])

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        """Carries out each commit as a transaction of its own; sixteen are on their way at any time."""
        errors: dict[int, MemoryLayerError | None] = {}
        for _ in self._table.backoff.rounds():
            left = [(place, commit) for place, commit in enumerate(commits) if place not in errors]
            errors.update(self._admitted(left))
            if len(errors) == len(commits):
                break
        unmarked = {scope: self._unmarked(scope) for scope in {commit.scope for commit in commits}}
        found = ((errors.get(place, CROWDED), commit.scope) for place, commit in enumerate(commits))
        return [error or unmarked[scope] for error, scope in found]

    def _admitted(self, commits: Sequence[tuple[int, Commit]]) -> dict[int, MemoryLayerError | None]:
        """Carries out the commits that the gate of news lets through; the errors by place, of what waits none."""
        answer = self._news.enter(entries_of(commits))
        let_in = [
            (place, commit)
            for place, commit in commits
            if place not in answer.refused and place not in answer.waiting
        ]
        errors = self._executor.map(lambda one: self._attempt(one[1], answer.announced.get(one[0])), let_in)
        done = {place: error for (place, _), error in zip(let_in, errors, strict=True)}
        failed = {*answer.refused, *(place for place, error in done.items() if _has_failed(error))}
        self._news.leave(key for place, key in answer.announced.items() if place in failed)
        late = {place for place, error in done.items() if isinstance(error, AnnouncementCancelled)}
        return {**answer.refused, **{place: done[place] for place in done.keys() - late}}

    def _unmarked(self, scope: Scope) -> MemoryLayerError | None:
        try:
            self._marks.renew([scope])
        except MemoryLayerError as error:
            return error
        return None

    def _attempt(self, commit: Commit, announced: Key | None) -> MemoryLayerError | None:
        try:
            self._note_and_run(commit, announced)
        except MemoryLayerError as error:
            return error
        return None

    def _note_and_run(self, commit: Commit, announced: Key | None = None) -> None:
        self._registry.note(commit.scope)
        self._run(commit, announced)

    def _run(self, commit: Commit, announced: Key | None) -> None:
        """Writes bodies first: whatever happens then, the words are in the item or there."""
        packed = self._bodies.put_away(commit)
        try:
            self._transactions.run(packed, announced)
        except (Conflict, Invalid, TooLarge, TooMany):  # a commit without an answer may have taken effect
            self._drop_orphans(packed)
            raise
        self._bodies.put_away(replace(commit, changes=tuple(filter(_reuses_erased_id, commit.changes))))
        self._sessions.register(change.memory for change in commit.changes)
        erased = [(commit.scope, one.id, one.before + 1) for one in commit.erasures]
        self._erased.delete(erased)

    def _drop_orphans(self, packed: Commit) -> None:
        """Deletes bodies of missing records: an erasure may have come before the body was written."""
        for change in packed.changes:
            if change.words is not None and not partition_erasure.has_record(
                self._table, packed.scope, change.memory.id
            ):
                self._bodies.erase(packed.scope, [change.memory.id])


def _has_failed(error: MemoryLayerError | None) -> bool:
    """Says that nothing was written, which is unknown where the table did not answer."""
    return error is not None and not isinstance(error, StoreUnavailable)


def _reuses_erased_id(change: Change) -> bool:
    """Says that a new record takes an erased id: an unfinished erasure may take its body, which is written again."""
    return change.before == 0 and change.memory.version > 1
