"""Commits with their bodies beside the table, and with the marks of their projects."""

import logging
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

from memory_layer.adapters.aws.store import partition_erasure
from memory_layer.adapters.aws.store.project_marks import ProjectRegistry, WriteMarks
from memory_layer.adapters.aws.store.transaction import CommitTransactions
from memory_layer.adapters.aws.table.records_table import RecordsTable
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Scope
from memory_layer.errors import Conflict, Invalid, MemoryLayerError, StoreUnavailable, TooLarge, TooMany
from memory_layer.ports.commit import Change, Commit

ErasedRecord: TypeAlias = tuple[Scope, str, int]
"""Project and id of an erased record, and the version of its tombstone."""

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
        registry: ProjectRegistry,
        marks: WriteMarks,
        executor: Executor,
    ) -> None:
        self._table = table
        self._transactions = transactions
        self._bodies = bodies
        self._erased = erased
        self._registry = registry
        self._marks = marks
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
        errors = list(self._executor.map(self._attempt, commits))
        unmarked = {scope: self._unmarked(scope) for scope in {commit.scope for commit in commits}}
        return [error or unmarked[commit.scope] for commit, error in zip(commits, errors, strict=True)]

    def _unmarked(self, scope: Scope) -> MemoryLayerError | None:
        try:
            self._marks.renew([scope])
        except MemoryLayerError as error:
            return error
        return None

    def _attempt(self, commit: Commit) -> MemoryLayerError | None:
        try:
            self._note_and_run(commit)
        except MemoryLayerError as error:
            return error
        return None

    def _note_and_run(self, commit: Commit) -> None:
        self._registry.note(commit.scope)
        self._run(commit)

    def _run(self, commit: Commit) -> None:
        """Writes bodies first: whatever happens then, the words are in the item or there."""
        packed = self._bodies.put_away(commit)
        try:
            self._transactions.run(packed)
        except (Conflict, Invalid, TooLarge, TooMany):  # a commit without an answer may have taken effect
            self._drop_orphans(packed)
            raise
        self._bodies.put_away(replace(commit, changes=tuple(filter(_reuses_erased_id, commit.changes))))
        erased = [(commit.scope, one.id, one.before + 1) for one in commit.erasures]
        self._erased.delete(erased)

    def _drop_orphans(self, packed: Commit) -> None:
        """Deletes bodies of missing records: an erasure may have come before the body was written."""
        for change in packed.changes:
            if change.words is not None and not partition_erasure.has_record(
                self._table, packed.scope, change.memory.id
            ):
                self._bodies.erase(packed.scope, [change.memory.id])


def _reuses_erased_id(change: Change) -> bool:
    """Says that a new record takes an erased id: an unfinished erasure may take its body, which is written again."""
    return change.before == 0 and change.memory.version > 1
