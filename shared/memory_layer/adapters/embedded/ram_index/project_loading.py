"""Projects in RAM: their loading, their catching up with the log in SQLite, and their eviction."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

from memory_layer.adapters.embedded.ram_index.change_feed import (
    batch_of_chunk,
    changed_chunks,
    record_count,
    removed_keys,
)
from memory_layer.adapters.embedded.ram_index.packed_columns import Chunk
from memory_layer.adapters.embedded.sqlite.project_rows import UNKNOWN_PROJECT, log_head, log_heads
from memory_layer.adapters.process.freed_memory import give_back_freed_memory
from memory_layer.adapters.project_index.project_index import ProjectIndex
from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.vector_layout import VectorLayout
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.process import Turns

CAUGHT_UP_IN_TURN: Final = 256
"""Writes that a recall catches up with in its turn; other recalls need not wait for more, nor for a first load."""


WEIGHED_EVERY: Final = 64
"""Writes after which the bytes of a project are counted anew."""


class LoadedProject:
    """A project in RAM and how far into its log it has come; `lock` is held while it catches up."""

    def __init__(self, key: int, index: ProjectIndex) -> None:
        self.lock = threading.Lock()
        self.key = key
        self.index = index
        self.seen = 0
        self.nbytes = 0
        self.weighed_at = -WEIGHED_EVERY


class LoadedProjects:
    """The projects in RAM, in the order in which they were last asked for.

    Args:
        reader: this thread's connection.
        layout: models of the vectors that are loaded.
        max_bytes: projects least recently asked for are dropped beyond this; the one in use always stays.
        turns: left by threads that load a project, or wait until another one has.
    """

    def __init__(
        self,
        reader: Callable[[], sqlite3.Connection],
        layout: VectorLayout,
        max_bytes: int,
        turns: Turns,
    ) -> None:
        self._reader = reader
        self._layout = layout
        self._max_bytes = max_bytes
        self._turns = turns
        self._projects: OrderedDict[Scope, LoadedProject] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def scopes(self) -> list[Scope]:
        """Scopes of the projects in RAM, the one asked for last at the end."""
        with self._lock:
            return list(self._projects)

    def up_to_date(self, scope: Scope) -> tuple[ProjectIndex | None, int]:
        """The project with everything committed until now, and the position of its log that this is."""
        found = self.all_up_to_date([scope])
        return found[0][1:] if found else (None, 0)

    def all_up_to_date(self, scopes: Sequence[Scope]) -> list[tuple[Scope, ProjectIndex, int]]:
        """Those of a tenant's projects that exist, each as `up_to_date`. Args: scopes: at least one."""
        heads = log_heads(self._reader(), scopes)
        return [(scope, *self._at(scope, *heads[scope])) for scope in scopes if scope in heads]

    def _at(self, scope: Scope, key: int, position: int) -> tuple[ProjectIndex, int]:
        """The project at this position of its log, at least."""
        project = self.project(scope, key)
        if position != project.seen:
            with self._held(project, is_long=position - project.seen > CAUGHT_UP_IN_TURN):
                self._catch_up(project, scope)
            self._evict_beside(scope)
        return project.index, project.seen

    @contextmanager
    def _held(self, project: LoadedProject, *, is_long: bool) -> Iterator[None]:
        """Holds a project's lock. No thread waits for it in its turn, so that one that holds it may wait for a turn."""
        if is_long or not project.lock.acquire(blocking=False):
            with self._turns.left(), project.lock:
                yield
            return
        try:
            yield
        finally:
            project.lock.release()

    def at_hand(
        self, scope: Scope, most_behind: int
    ) -> tuple[LoadedProject | None, ProjectIndex | None, int, int]:
        """The project as it is in RAM, if it lacks at most so many writes, else brought up to date.

        Returns:
            The project, its index, the position up to which this has come, and the log's when it was asked for last;
            None, None, 0 and 0 for an unknown one.
        """
        key, position = log_head(self._reader(), scope)
        if key == UNKNOWN_PROJECT:
            return None, None, 0, 0
        project = self.project(scope, key)
        if not 0 < project.seen <= position <= project.seen + most_behind:
            _, position = self.up_to_date(scope)
        with project.lock:
            return project, project.index, project.seen, position

    def project(self, scope: Scope, key: int) -> LoadedProject:
        """The project under this key as far as it has been read: empty if it is new here, or had another key."""
        with self._lock:
            project = self._projects.get(scope)
            if project is None or project.key != key:
                project = self._projects[scope] = LoadedProject(key, self._empty(scope))
            self._projects.move_to_end(scope)
            return project

    def drop(self, scope: Scope) -> None:
        """Removes a project from RAM, if it is there; the next question loads it anew."""
        with self._lock:
            self._projects.pop(scope, None)

    def _empty(self, scope: Scope) -> ProjectIndex:
        return ProjectIndex(scope, self._layout.width)

    def _catch_up(self, project: LoadedProject, scope: Scope) -> None:
        """Reads the log on from where the project is; from the start where the log is shorter, as after a restore.

        The position is read before the rows: a commit in between is read twice, never missed.
        """
        connection = self._reader()
        _, position = log_head(connection, scope)
        if position < project.seen:
            project.index, project.seen = self._empty(scope), 0
        chunks = changed_chunks(connection, project.key, project.seen)
        if project.seen == 0:
            project.index.reserve(record_count(connection, project.key))
            load_project(project.index, chunks, scope.project, self._layout)
            project.index.settle()
            give_back_freed_memory()
        else:
            for chunk in chunks:
                project.index.put(batch_of_chunk(chunk, scope.project, self._layout))
        project.index.remove(removed_keys(connection, project.key, project.seen))
        project.seen = position
        if position >= project.weighed_at + WEIGHED_EVERY or position < project.weighed_at:
            project.weighed_at, project.nbytes = position, project.index.nbytes

    def _evict_beside(self, scope: Scope) -> None:
        """Evicts the projects least recently asked for, but for this one, until the others fit."""
        with self._lock:
            total = sum(project.nbytes for project in self._projects.values())
            for idle in [idle for idle in self._projects if idle != scope]:
                if total <= self._max_bytes:
                    return
                total -= self._projects.pop(idle).nbytes


def load_project(index: ProjectIndex, chunks: Iterator[Chunk], project: str, layout: VectorLayout) -> None:
    """Loads chunks: while this thread puts one, which is mostly numpy's work, another reads the next.

    What the other makes is freed again as a whole; what stays is made here, beside nothing that goes.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="load") as pool:
        chunk = next(chunks, None)
        while chunk is not None:
            coming = pool.submit(next, chunks, None)
            index.put(batch_of_chunk(chunk, project, layout))
            chunk = coming.result()


@contextmanager
def unavailable_without_database() -> Iterator[None]:
    """Turns what a damaged or missing database raises into the index's own error."""
    try:
        yield
    except (sqlite3.Error, *UNREADABLE) as error:  # a damaged cell may be of any type
        raise IndexUnavailable(f"the search index cannot be read: {error}; run: mem doctor") from error
