"""Commits of the record store: each a transaction, acknowledged once the project's mark says that it was written to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import suppress

from memory_layer.adapters.aws.store.project_marks import ProjectRegistry
from memory_layer.adapters.aws.write_marks import WriteMarks
from memory_layer.domain.memory import Scope
from memory_layer.errors import MemoryLayerError, StoreUnavailable
from memory_layer.ports.commit import Commit


class Commits(ABC):
    """What of DynamoRecordStore writes records."""

    _registry: ProjectRegistry
    _marks: WriteMarks
    _executor: Executor

    @abstractmethod
    def _run(self, commit: Commit) -> None: ...

    def commit(self, commit: Commit) -> None:
        try:
            self._note_and_run(commit)
        except StoreUnavailable:  # it may have taken effect all the same
            with suppress(StoreUnavailable):
                self._marks.renew([commit.scope])
            raise
        self._marks.renew([commit.scope])

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        """Each commit is a transaction of its own; sixteen are on their way at any time."""
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
