"""Commits, each all or nothing, in one transaction that one flush of the disk makes durable."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ensure_project
from memory_layer.adapters.embedded.store.change_cells import ChangeCells, change_cells
from memory_layer.adapters.embedded.store.news_gate import NewsGate
from memory_layer.adapters.embedded.store.record_bodies import ErasedBodyRows
from memory_layer.adapters.embedded.store.transaction import apply_commit
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Scope
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Clock


def commit_all(
    database: Database, bodies: Bodies, commits: Sequence[Commit], clock: Clock
) -> list[MemoryLayerError | None]:
    """Applies each commit; returns the error of each that is refused.

    Raises:
        StoreUnavailable: nothing was written.
    """
    packed = [commit if _adds_records(commit) else bodies.put_away(commit) for commit in commits]
    made = iter(change_cells([change for commit in packed for change in commit.changes]))
    entries = [(commit, list(islice(made, len(commit.changes)))) for commit in packed]
    if len(entries) == 1:
        return [_commit_alone(database, bodies, *entries[0], clock)]
    with database.writing() as connection:
        transaction = _Transaction(connection, bodies, clock)
        return [transaction.attempt(*entry) for entry in entries]


def _commit_alone(
    database: Database, bodies: Bodies, commit: Commit, cells: Sequence[ChangeCells], clock: Clock
) -> MemoryLayerError | None:
    """Applies one commit, which needs no savepoint: the transaction is its own."""
    try:
        with database.writing() as connection, _refusals():
            _Transaction(connection, bodies, clock).apply(commit, cells)
    except _Refused as refused:
        return refused.error
    return None


class SqliteCommits:
    """Writer of commits: the port ports.record_store.CommitWriter.

    Args:
        erased: deleted after commits that erase.
        clock: says when a commit enters the audit log.
        on_write: told of each project that was written to; within a long transaction before its end.
    """

    def __init__(
        self,
        database: Database,
        bodies: Bodies,
        erased: ErasedBodyRows,
        clock: Clock,
        on_write: Callable[[Scope], None] | None = None,
    ) -> None:
        self._database = database
        self._bodies = bodies
        self._erased = erased
        self._clock = clock
        self._on_write = on_write

    def commit(self, commit: Commit) -> None:
        (error,) = self.commit_each([commit])
        if error is not None:
            raise error

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        """Applies each commit in a savepoint of its own; one disk flush makes them all durable."""
        errors = commit_all(self._database, self._bodies, commits, self._clock)
        if any(commit.erasures for commit in commits):
            self._erased.delete()
        if self._on_write is not None:
            for scope in {commit.scope for commit in commits}:
                self._on_write(scope)
        return errors


class _Transaction:
    """Commits in a transaction that the caller begins and ends; each project is looked up once."""

    def __init__(self, connection: sqlite3.Connection, bodies: Bodies, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._bodies = bodies
        self._keys: dict[Scope, int] = {}
        self._news = NewsGate(connection)

    def attempt(self, commit: Commit, cells: Sequence[ChangeCells]) -> MemoryLayerError | None:
        """Applies a commit in a savepoint of its own."""
        self._connection.execute("SAVEPOINT one")
        try:
            self.apply(commit, cells)
        except MemoryLayerError as error:
            self._connection.execute("ROLLBACK TO one")
            self._keys.clear()  # rows of new projects are gone with it
            return error
        finally:
            self._connection.execute("RELEASE one")
        return None

    def apply(self, commit: Commit, cells: Sequence[ChangeCells]) -> None:
        """Applies a commit.

        Args:
            cells: of each of its changes.

        Raises:
            MemoryLayerError: as ports.record_store.CommitWriter.commit; the caller rolls back.
        """
        if _adds_records(commit) and (packed := self._bodies.put_away(commit)) is not commit:
            commit, cells = packed, change_cells(packed.changes)
        key = self._key(commit.scope)
        for change in commit.changes:
            self._news.refuse_near(key, change)
        apply_commit(self._connection, key, commit, cells, self._clock.now())

    def _key(self, scope: Scope) -> int:
        key = self._keys.get(scope)
        if key is None:
            key = self._keys[scope] = ensure_project(self._connection, scope)
        return key


class _Refused(Exception):
    """Refusal of a commit on its way out of the transaction, which it undoes."""

    def __init__(self, error: MemoryLayerError) -> None:
        super().__init__(error)
        self.error = error


@contextmanager
def _refusals() -> Iterator[None]:
    """Tells refusals from errors of the transaction itself."""
    try:
        yield
    except MemoryLayerError as error:
        raise _Refused(error) from error


def _adds_records(commit: Commit) -> bool:
    """True if a commit adds records: their bodies are written under the lock, as those of no record may be deleted."""
    return any(change.before == 0 for change in commit.changes)
