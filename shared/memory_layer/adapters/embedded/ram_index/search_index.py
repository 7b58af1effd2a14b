"""Search index in RAM over SQLite: a project is loaded when first asked for, then follows its log."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime

from memory_layer.adapters.embedded.ram_index import row_comparison, statistics, upkeep_queries
from memory_layer.adapters.embedded.ram_index.change_feed import record_count
from memory_layer.adapters.embedded.ram_index.listed_columns import ListedProjects
from memory_layer.adapters.embedded.ram_index.near_contents import near_contents
from memory_layer.adapters.embedded.ram_index.project_loading import (
    LoadedProjects,
    unavailable_without_database,
)
from memory_layer.adapters.embedded.sqlite.project_rows import log_head, project_key
from memory_layer.adapters.project_index import project_search
from memory_layer.adapters.project_index.project_index import ProjectIndex
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.integrity.index_comparison import ReconcileReport, VectorCoverage
from memory_layer.domain.list_order import ListOrder, OrderedId
from memory_layer.domain.memory import Scope, Tier
from memory_layer.domain.retrieval.candidates import (
    Mentioned,
    MentionedRows,
    RecordTable,
)
from memory_layer.domain.retrieval.vector_layout import VectorLayout
from memory_layer.domain.scope_tags import KnownTags, Sight
from memory_layer.ports.index import (
    NO_HUB,
    IndexAnswer,
    IndexQuery,
    Labels,
    ListQuery,
    NearContents,
    NearQuery,
    ProjectCount,
    ProjectStats,
    ReviewBacklog,
)
from memory_layer.ports.process import Turns

DEFAULT_MAX_BYTES = 4 * 2**30
LISTED_MAX_BYTES = 64 * 2**20
"""Bytes of the columns that lists and statistics are made of: of some 350,000 records, beside the project in use."""


class EmbeddedIndex:
    """Search index without a server: every search sees all that any process committed before it.

    Args:
        reader: this thread's connection.
        model, dimensions: of the embedder in use.
        layout: models whose vectors are searched, the one in use first; None: that one alone.
        max_bytes: projects least recently asked for are dropped beyond this; the one in use always stays.
        is_in_transaction: tells if this thread has written what `reader` does not see yet.
        turns: left by threads that load a project.
    """

    def __init__(
        self,
        reader: Callable[[], sqlite3.Connection],
        *,
        model: str,
        dimensions: int,
        layout: VectorLayout | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
        is_in_transaction: Callable[[], bool] = lambda: False,
        turns: Turns | None = None,
    ) -> None:
        self._is_in_transaction = is_in_transaction
        self._reader = reader
        self._model = model
        self._layout = layout or VectorLayout({model: dimensions})
        self._projects = LoadedProjects(reader, self._layout, max_bytes, turns or Turns())
        self._listed = ListedProjects(reader, model, LISTED_MAX_BYTES)

    def covered(self, scope: Scope) -> int | None:
        """Returns None, as a search brings the project up to date first; in a transaction what is committed.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        if not self._is_in_transaction():
            return None
        with unavailable_without_database():
            return self._projects.up_to_date(scope)[1]

    def search(self, query: IndexQuery) -> IndexAnswer:
        """The best `k` of each arm and field over all scopes; an unknown project is empty.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        loaded = self._loaded(query.scopes)
        with unavailable_without_database():
            return project_search.search(loaded, self._widened(query))

    def _widened(self, query: IndexQuery) -> IndexQuery:
        """Query whose vector is a row of all models."""
        if query.vector is None or self._layout.is_plain:
            return query
        return replace(query, vector=self._layout.widened(query.vector))

    def nearest_contents(self, query: NearQuery) -> NearContents:
        """The contents near to each vector, in one product; the last few writes are compared as they are stored.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        with unavailable_without_database():
            return near_contents(self._projects, self._reader(), self._layout, query)

    def standing(
        self, scopes: tuple[Scope, ...], filters: Filters, viewer: Viewer, *, now: datetime, k: int
    ) -> RecordTable:
        """The `k` records asked for with the highest confidence × relevance_score, best first, then by id.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        return project_search.standing(self._loaded(scopes), scopes, filters, viewer, now, k)

    def mentioning(
        self,
        scopes: tuple[Scope, ...],
        mentions: Sequence[Mentioned],
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        k: int,
        hub_above: int = NO_HUB,
    ) -> MentionedRows:
        """The `k` records in the best standing that are tied to each of these things; none of a hub.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        loaded = self._loaded(scopes)
        return project_search.mentioning(
            loaded, scopes, mentions, filters, viewer, now=now, k=k, hub_above=hub_above
        )

    def tags(self, scopes: tuple[Scope, ...], sight: Sight | None = None) -> KnownTags:
        """Every tag that a record of these projects carries, in order."""
        return project_search.tags(self._loaded(scopes), sight)

    def labels(self, scopes: tuple[Scope, ...], patterns: Sequence[str], k: int) -> Labels:
        """The first `k`, in order, of the tags and of the URNs in use that fit the patterns."""
        return project_search.labels(self._loaded(scopes), patterns, k)

    def ordered(
        self, query: ListQuery, order: ListOrder, *, after: OrderedId | None, k: int
    ) -> list[OrderedId]:
        with unavailable_without_database():
            return self._listed.answered(
                query.scope, lambda columns: columns.listed.ordered(query, order, after, k)
            )

    def count(self, query: ListQuery) -> int:
        with unavailable_without_database():
            return self._listed.answered(query.scope, lambda columns: columns.listed.count(query))

    def created_by_day(self, query: ListQuery) -> dict[date, int]:
        with unavailable_without_database():
            return self._listed.answered(query.scope, lambda columns: columns.listed.created_by_day(query))

    def stats(self, scope: Scope, viewer: Viewer, *, now: datetime) -> ProjectStats:
        """Counts of a project over all statuses and tiers."""
        with unavailable_without_database():
            return self._listed.answered(
                scope, lambda columns: statistics.project_stats(columns, self._reader(), viewer, now)
            )

    def projects(self, tenant: str, viewer: Viewer, *, after: str | None, limit: int) -> list[ProjectCount]:
        with unavailable_without_database():
            return statistics.project_counts(self._reader(), tenant, viewer, after or "", limit)

    def coverage(self) -> VectorCoverage:
        """Coverage of all records of this file by vectors of the model in use."""
        with unavailable_without_database():
            return upkeep_queries.model_coverage(self._reader(), self._model)

    def backlog(self) -> ReviewBacklog:
        """Records of this file that wait for a person. Raises: IndexUnavailable: the database cannot be read."""
        with unavailable_without_database():
            return upkeep_queries.review_backlog(self._reader())

    def unembedded(self, scope: Scope, *, after: str | None, k: int) -> list[str]:
        """The first `k` ids after this one, in order, of records that name no model, or another than the one in use."""
        with unavailable_without_database():
            return upkeep_queries.unembedded_ids(
                self._reader(), self._key(scope), self._model, after or "", k
            )

    def settled(
        self, scope: Scope, tier: Tier, *, since: datetime | None, until: datetime, after: str | None, k: int
    ) -> list[str]:
        """Ids of settled records, from the tables themselves, as ports.index.SearchIndex.settled.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        with unavailable_without_database():
            return upkeep_queries.settled_ids(
                self._reader(), self._key(scope), tier, since, until, after or "", k
            )

    def reconcile(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport:
        """Compares the project in RAM, if it is there, with the rows; if they differ, it is dropped and loaded anew.

        Lost search rows are only reported: the caller has the model to make them anew.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        with unavailable_without_database():
            lost = row_comparison.lost_search_rows(self._reader(), self._key(scope), int(after or 0))
            found = self._compared(scope) if after is None else ReconcileReport()
        if found.counts and not is_dry_run:
            self._projects.drop(scope)
        return replace(
            found,
            missing=found.missing + len(lost.ids),
            without_vectors=lost.ids,
            next_cursor=None if lost.next_position is None else str(lost.next_position),
        )

    def _compared(self, scope: Scope) -> ReconcileReport:
        """Compares in one snapshot; a process that never searched the project has nothing to compare."""
        if scope not in self.loaded_projects:
            return ReconcileReport(looked_at=record_count(self._reader(), self._key(scope)))
        self._projects.up_to_date(scope)
        project = self._projects.project(scope, self._key(scope))
        with project.lock, row_comparison.snapshot(self._reader()) as connection:
            if log_head(connection, scope)[1] != project.seen:
                return ReconcileReport(
                    left=(f"{scope.project}: it was written to just now; the next run compares it",)
                )
            return row_comparison.compare_with_rows(connection, project.key, *project.index.standings())

    def follow(self, scope: Scope) -> None:
        """Brings a project up to date behind a write, if somebody has searched it here."""
        if scope in self.loaded_projects:
            project, _ = self._projects.up_to_date(scope)
            if project is not None:
                project.typical_cosine()

    @property
    def loaded_projects(self) -> list[Scope]:
        """Scopes of the projects in RAM, the one asked for last at the end."""
        return self._projects.scopes

    def _loaded(self, scopes: Sequence[Scope]) -> list[tuple[Scope, ProjectIndex]]:
        with unavailable_without_database():
            return [(scope, index) for scope, index, _ in self._projects.all_up_to_date(scopes)]

    def _key(self, scope: Scope) -> int:
        return project_key(self._reader(), scope)
