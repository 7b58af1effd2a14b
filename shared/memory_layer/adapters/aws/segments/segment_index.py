"""SearchIndex of a deployment without a search domain: the index in RAM, over segments in S3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Protocol

import numpy as np

from memory_layer.adapters.aws.segments.loaded_segments import SegmentedProjects
from memory_layer.adapters.aws.segments.segment_store import SegmentStore
from memory_layer.adapters.project_index import project_search
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.integrity.index_comparison import ReconcileReport, VectorCoverage
from memory_layer.domain.list_order import ListOrder, OrderedId
from memory_layer.domain.memory import Ref, Scope, Tier
from memory_layer.domain.retrieval.candidates import CandidateTable, Mentioned, MentionedRows, RecordTable
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
)
from memory_layer.ports.process import Clock


class ReconcileSegments(Protocol):
    def __call__(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport: ...


class SegmentIndex:
    """Index in the process that asks, loaded from segments; the compactor writes them, and the log has what is newer.

    Every question reads the manifest anew, after its caller has read the log: what is in neither was never committed.
    Facts of records are read off the records, as the table counts recalls and the segments do not follow that.

    Args:
        model, dimensions: of the embedder in use; vectors of another model are not searched.
        reconcile: compares a project with its records; it needs the table.
    """

    def __init__(
        self, store: SegmentStore, *, model: str, dimensions: int, clock: Clock, reconcile: ReconcileSegments
    ) -> None:
        self._store = store
        self._model = model
        self._projects = SegmentedProjects(store, model, dimensions, clock)
        self._reconcile = reconcile

    def covered(self, scope: Scope) -> int:
        """Returns 0: the store's log holds just what is not here yet."""
        del scope
        return 0

    def search(self, query: IndexQuery) -> IndexAnswer:
        """The best `k` of each arm and field over all scopes; an unknown project is empty. Raises: IndexUnavailable."""
        found = project_search.search(self._projects.up_to_date(query.scopes), query)
        trusted = None if found.trusted is None else _without_facts(found.trusted)
        return replace(found, candidates=_without_facts(found.candidates), trusted=trusted)

    def nearest_contents(self, query: NearQuery) -> NearContents:
        """The contents near to each vector; what was written since is not told. Raises: IndexUnavailable."""
        vectors = np.stack(query.vectors)
        found: tuple[dict[Ref, float], ...] = ({},) * len(vectors)
        for scope, index in self._projects.up_to_date((query.scope,)):
            near = index.near_contents(vectors, query)
            found = tuple({Ref(scope.project, id): cosine for id, cosine in one.items()} for one in near)
        return NearContents(found)

    def standing(
        self, scopes: tuple[Scope, ...], filters: Filters, viewer: Viewer, *, now: datetime, k: int
    ) -> RecordTable:
        """The `k` records of highest confidence × relevance_score. Raises: IndexUnavailable."""
        loaded = self._projects.up_to_date(scopes)
        return replace(project_search.standing(loaded, scopes, filters, viewer, now, k), facts=None)

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
        """The records tied to each of these things, the `k` best, of a hub none. Raises: IndexUnavailable."""
        loaded = self._projects.up_to_date(scopes)
        found = project_search.mentioning(
            loaded, scopes, mentions, filters, viewer, now=now, k=k, hub_above=hub_above
        )
        return replace(found, records=replace(found.records, facts=None))

    def tags(self, scopes: tuple[Scope, ...], sight: Sight | None = None) -> KnownTags:
        """Every tag that a record in recall of these projects carries, in order."""
        return project_search.tags(self._projects.up_to_date(scopes), sight)

    def labels(self, scopes: tuple[Scope, ...], patterns: Sequence[str], k: int) -> Labels:
        """The first `k`, in order, of the tags and of the URNs in use that match patterns."""
        return project_search.labels(self._projects.up_to_date(scopes), patterns, k)

    def ordered(
        self, query: ListQuery, order: ListOrder, *, after: OrderedId | None, k: int
    ) -> list[OrderedId]:
        return self._projects.catalogue(query.scope).ordered(query, order, after, k)

    def count(self, query: ListQuery) -> int:
        return self._projects.catalogue(query.scope).count(query)

    def created_by_day(self, query: ListQuery) -> dict[date, int]:
        return self._projects.catalogue(query.scope).created_by_day(query)

    def stats(self, scope: Scope, viewer: Viewer, *, now: datetime) -> ProjectStats:
        """Counts a project over all statuses, as of what has arrived here."""
        return self._projects.catalogue(scope).stats(viewer, now)

    def projects(self, tenant: str, viewer: Viewer, *, after: str | None, limit: int) -> list[ProjectCount]:
        found: list[ProjectCount] = []
        for scope in sorted(self._store.projects(tenant), key=lambda one: one.project):
            if len(found) == limit:
                break
            if scope.project > (after or ""):
                found += self._project_count(scope, viewer)
        return found

    def coverage(self) -> VectorCoverage:
        """Counts the records of all tenants, and those with vectors. Raises: IndexUnavailable."""
        manifests = [self._projects.manifest(scope).manifest for scope in self._store.projects()]
        embedded = sum(manifest.embedded.get(self._model, 0) for manifest in manifests)
        return VectorCoverage(sum(manifest.records for manifest in manifests), embedded)

    def unembedded(self, scope: Scope, *, after: str | None, k: int) -> list[str]:
        """The first `k` ids after this one, in order, of records that name no model, or another one."""
        manifest = self._projects.manifest(scope).manifest
        if manifest.records == manifest.embedded.get(self._model, 0):
            return []
        return self._projects.catalogue(scope).unembedded(after or "", k)

    def settled(
        self, scope: Scope, tier: Tier, *, since: datetime | None, until: datetime, after: str | None, k: int
    ) -> list[str]:
        """The first `k` ids after this one of unpinned records of a tier last written in [since, until)."""
        return self._projects.catalogue(scope).settled(tier, since, until, after or "", k)

    def reconcile(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport:
        """Compares a project's segments with its records and repairs differences. Raises: Unavailable."""
        return self._reconcile(scope, after=after, is_dry_run=is_dry_run)

    def _project_count(self, scope: Scope, viewer: Viewer) -> Iterator[ProjectCount]:
        counts = self._projects.manifest(scope).manifest.counts
        seen = [
            count
            for persona, count in counts.items()
            if viewer.sees_all_personas or not persona or persona in viewer.personas
        ]
        if seen:
            yield ProjectCount(scope.project, sum(total for total, _ in seen), sum(used for _, used in seen))


def _without_facts(table: CandidateTable) -> CandidateTable:
    return CandidateTable(replace(table.records, facts=None), table.scores)
