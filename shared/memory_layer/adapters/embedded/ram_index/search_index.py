"""SearchIndex in RAM over SQLite: a project is loaded when first asked for, then follows its log."""

import sqlite3
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from heapq import nsmallest

from memory_layer.adapters.embedded.ram_index import statistics
from memory_layer.adapters.embedded.ram_index.across_projects import merge_arms, merge_mentions
from memory_layer.adapters.embedded.ram_index.change_feed import (
    batch_of_chunk,
    changed_chunks,
    gone_keys,
    record_count,
)
from memory_layer.adapters.embedded.ram_index.project_index import ProjectIndex
from memory_layer.adapters.embedded.ram_index.project_loading import load_project, stored_vectors
from memory_layer.adapters.embedded.ram_index.project_view import ProjectQuery, TextField
from memory_layer.adapters.embedded.ram_index.row_comparison import (
    compare_with_rows,
    lost_search_rows,
    snapshot,
)
from memory_layer.adapters.embedded.ram_index.upkeep_queries import (
    model_coverage,
    settled_ids,
    unembedded_ids,
)
from memory_layer.adapters.embedded.store.transaction import UNKNOWN_PROJECT
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import OVERLAPS, Filters
from memory_layer.domain.integrity.index_comparison import ReconcileReport, VectorCoverage
from memory_layer.domain.memory import Ref, Scope, Tier
from memory_layer.domain.retrieval.abstention import UNKNOWN_TYPICAL_COSINE, added_up, sample_seed
from memory_layer.domain.retrieval.mentions import Key
from memory_layer.domain.text.analyzer import analyze, term_hash
from memory_layer.domain.tier_policy import first_fitting
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.index import NO_HUB, IndexAnswer, IndexQuery, Labels, MentionedRecords, ProjectStats

DEFAULT_MAX_BYTES = 4 * 2**30


class _Project:
    """A project in RAM and how far into its log it has come; `lock` is held while it catches up."""

    def __init__(self, key: int, index: ProjectIndex) -> None:
        self.lock = threading.Lock()
        self.key = key
        self.index = index
        self.seen = 0
        self.nbytes = 0


class EmbeddedIndex:
    """Recall without a server: every search sees all that any process committed before it.

    Args:
        reader: this thread's connection.
        model, dimensions: of the embedder in use; vectors of another model are not searched.
        max_bytes: projects least recently asked for are dropped beyond this; the one in use always stays.
    """

    def __init__(
        self,
        reader: Callable[[], sqlite3.Connection],
        *,
        model: str,
        dimensions: int,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> None:
        self._reader = reader
        self._model = model
        self._dimensions = dimensions
        self._max_bytes = max_bytes
        self._projects: OrderedDict[Scope, _Project] = OrderedDict()
        self._lock = threading.Lock()

    def covered(self, scope: Scope) -> int:
        """The position of the project's log up to which it is in RAM now.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        with _unavailable_without_database():
            return self._up_to_date(scope)[1]

    def search(self, query: IndexQuery) -> IndexAnswer:
        """The best `k` of each arm and field over all scopes; an unknown project is empty.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        said = Counter(() if query.text is None else analyze(query.text))
        asked = ProjectQuery(
            terms=None if query.text is None else Counter(map(term_hash, said.elements())),
            vector=query.vector,
            filters=query.filters,
            viewer=query.viewer,
            now=query.now,
            k=query.k,
            content_only=query.content_only,
            nearer_than=query.nearer_than,
        )
        with _unavailable_without_database():
            projects = {scope: self._up_to_date(scope) for scope in query.scopes}
            found = {
                scope.project: index.search(asked, self._read_vectors)
                for scope, (index, _) in projects.items()
                if index is not None
            }
        answer = IndexAnswer(merge_arms(found, query.k))
        if query.vector is None or query.content_only:
            return answer
        first, known = projects[query.scopes[0]][0], [index for index, _ in projects.values() if index]
        return replace(
            answer,
            typical_cosine=UNKNOWN_TYPICAL_COSINE if first is None else first.typical_cosine(),
            searched=sum(index.count(query.filters, query.viewer, query.now) for index in known),
            words=added_up(index.words(list(said)) for index in known),
        )

    def standing(
        self, scopes: tuple[Scope, ...], filters: Filters, viewer: Viewer, *, now: datetime, k: int
    ) -> list[Ref]:
        """The `k` records asked for with the highest confidence × relevance_score, best first, then by id.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        found = [
            (-score, id, scope.project)
            for scope, index in self._loaded(scopes)
            for score, id in index.standing(filters, viewer, now, k)
        ]
        return [Ref(project, id) for _, id, project in nsmallest(k, found)]

    def mentioning(
        self,
        scopes: tuple[Scope, ...],
        mentions: Sequence[Key],
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        k: int,
        hub_above: int = NO_HUB,
    ) -> dict[Key, MentionedRecords]:
        """The records tied to each of these things, the `k` in the best standing of them; of a hub none.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        hashes = [term_hash(key) for key in mentions]
        found = [
            (scope.project, index.mentioning(hashes, filters, viewer, now, k, hub_above))
            for scope, index in self._loaded(scopes)
        ]
        return merge_mentions(mentions, found, k, hub_above) if mentions else {}

    def tags(self, scopes: tuple[Scope, ...]) -> list[str]:
        """Every tag that a record of these projects carries, in order.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        return sorted({tag for _, index in self._loaded(scopes) for tag in index.labels("tags")})

    def labels(self, scopes: tuple[Scope, ...], patterns: Sequence[str], k: int) -> Labels:
        """The first `k` in order of the tags, and of the URNs, in use that patterns mean.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        indexes = [index for _, index in self._loaded(scopes)]
        return {
            field: first_fitting(patterns, {label for index in indexes for label in index.labels(field)}, k)
            for field in OVERLAPS
        }

    def stats(self, scope: Scope, viewer: Viewer, *, now: datetime) -> ProjectStats:
        """Counts of a project over all statuses, from the tables themselves.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        with _unavailable_without_database():
            return statistics.project_stats(
                self._reader(), self._log_head(scope)[0], viewer, now, self._model
            )

    def coverage(self) -> VectorCoverage:
        """Over all records of this file.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        with _unavailable_without_database():
            return model_coverage(self._reader(), self._model)

    def unembedded(self, scope: Scope, *, after: str | None, k: int) -> list[str]:
        """The first `k` ids after this one, in order, of records that name no model, or another than the one in use.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        with _unavailable_without_database():
            return unembedded_ids(self._reader(), self._log_head(scope)[0], self._model, after or "", k)

    def settled(
        self, scope: Scope, tier: Tier, *, since: datetime | None, until: datetime, after: str | None, k: int
    ) -> list[str]:
        """As ports.SearchIndex.settled, from the tables themselves.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        with _unavailable_without_database():
            return settled_ids(self._reader(), self._log_head(scope)[0], tier, since, until, after or "", k)

    def reconcile(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport:
        """Compare the project in RAM, if it is there, with the rows; one that differs is dropped, and loaded anew.

        Search rows that are lost are told of; whoever has the model makes them anew.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        with _unavailable_without_database():
            lost = lost_search_rows(self._reader(), self._log_head(scope)[0], int(after or 0))
            found = self._compared(scope) if after is None else ReconcileReport()
        if found.counts and not is_dry_run:
            with self._lock:
                self._projects.pop(scope, None)
        return replace(
            found,
            missing=found.missing + len(lost.ids),
            without_vectors=lost.ids,
            next_cursor=None if lost.next_position is None else str(lost.next_position),
        )

    def _compared(self, scope: Scope) -> ReconcileReport:
        """In one snapshot; a process that never searched the project has nothing to compare."""
        if scope not in self.loaded_projects:
            return ReconcileReport(looked_at=record_count(self._reader(), self._log_head(scope)[0]))
        self._up_to_date(scope)
        project = self._project(scope, self._log_head(scope)[0])
        with project.lock, snapshot(self._reader()) as connection:
            if self._log_head(scope)[1] != project.seen:
                return ReconcileReport(
                    left=(f"{scope.project}: it was written to just now; the next run compares it",)
                )
            return compare_with_rows(connection, project.key, *project.index.standings())

    @property
    def loaded_projects(self) -> list[Scope]:
        """Which projects are in RAM, the one asked for last at the end."""
        with self._lock:
            return list(self._projects)

    def _loaded(self, scopes: Sequence[Scope]) -> list[tuple[Scope, ProjectIndex]]:
        with _unavailable_without_database():
            projects = [(scope, self._up_to_date(scope)[0]) for scope in scopes]
        return [(scope, index) for scope, index in projects if index is not None]

    def _up_to_date(self, scope: Scope) -> tuple[ProjectIndex | None, int]:
        """The project with everything committed until now, and the position of its log that this is."""
        key, position = self._log_head(scope)
        if key == UNKNOWN_PROJECT:
            return None, 0
        project = self._project(scope, key)
        if position != project.seen:
            with project.lock:
                self._catch_up(project, scope)
            self._evict_beside(scope)
        return project.index, project.seen

    def _log_head(self, scope: Scope) -> tuple[int, int]:
        """Key of the project and position of its log."""
        sql = "SELECT key, position FROM projects WHERE tenant = ? AND project = ?"
        return self._reader().execute(sql, scope).fetchone() or (UNKNOWN_PROJECT, 0)

    def _project(self, scope: Scope, key: int) -> _Project:
        with self._lock:
            project = self._projects.get(scope)
            if project is None or project.key != key:
                project = self._projects[scope] = _Project(key, self._empty(scope))
            self._projects.move_to_end(scope)
            return project

    def _empty(self, scope: Scope) -> ProjectIndex:
        return ProjectIndex(self._dimensions, sample_seed(scope))

    def _catch_up(self, project: _Project, scope: Scope) -> None:
        """Read on from where the project is; from the start where the log is shorter, as after a restore.

        The position is read before the rows: whatever is committed in between is read twice, never missed.
        """
        connection = self._reader()
        _, position = self._log_head(scope)
        if position < project.seen:
            project.index, project.seen = self._empty(scope), 0
        chunks = changed_chunks(connection, project.key, project.seen)
        if project.seen == 0:
            project.index.reserve(record_count(connection, project.key))
            load_project(project.index, chunks, self._model, self._dimensions)
        else:
            for chunk in chunks:
                project.index.put(batch_of_chunk(chunk, self._model, self._dimensions))
        project.index.remove(gone_keys(connection, project.key, project.seen))
        project.seen, project.nbytes = position, project.index.nbytes

    def _evict_beside(self, scope: Scope) -> None:
        with self._lock:
            total = sum(project.nbytes for project in self._projects.values())
            for idle in [idle for idle in self._projects if idle != scope]:
                if total <= self._max_bytes:
                    return
                total -= self._projects.pop(idle).nbytes

    def _read_vectors(self, field: TextField, keys: Sequence[int]) -> dict[int, bytes]:
        return stored_vectors(self._reader(), field, keys)


@contextmanager
def _unavailable_without_database() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise IndexUnavailable(f"the search index cannot be read: {error}; run: mem doctor") from error
