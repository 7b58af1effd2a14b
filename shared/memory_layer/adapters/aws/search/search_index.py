"""SearchIndex on OpenSearch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, TypeVar

from opensearchpy import OpenSearch

from memory_layer.adapters.aws.search import (
    ordered_queries,
    queries,
    statistics,
    term_weights,
    trusted_queries,
    upkeep_queries,
)
from memory_layer.adapters.aws.search.aliases import READ_ALIAS
from memory_layer.adapters.aws.search.filter_clauses import Body, filter_clauses, in_scopes
from memory_layer.adapters.aws.search.hit_scores import TypicalCosines, lists_of, sample_fingerprint
from memory_layer.adapters.aws.search.labels import known_tags, matching_labels
from memory_layer.adapters.aws.search.opensearch_client import IndexMissing
from memory_layer.adapters.aws.search.search_circuit import SearchCircuit
from memory_layer.adapters.aws.search.search_requests import SearchRequests
from memory_layer.adapters.aws.search.table_comparison import ReconcileIndex, without_table
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import OVERLAPS, Filters
from memory_layer.domain.integrity.index_comparison import ReconcileReport, VectorCoverage
from memory_layer.domain.list_order import ListOrder, OrderedId
from memory_layer.domain.memory import Ref, Scope, Tier
from memory_layer.domain.retrieval.abstention import UNKNOWN_TYPICAL_COSINE
from memory_layer.domain.retrieval.mentions import MentionedRecords
from memory_layer.domain.scope_tags import KnownTags, Sight
from memory_layer.manifest.index import CONTENT_TEXT, CONTEXT_TEXT
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

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.candidates import Mentioned, MentionedRows, RecordTable

Answer = TypeVar("Answer")

_NEAR = "content_semantic"
_SAMPLE, _SEARCHED = "sample", "searched"
"""Searches beside the arms: what measures the first project's typical cosine, and how many memories there are."""


class OpenSearchIndex:
    """Index that the projector fills; it lags behind the table, and never decides what may be seen.

    A search is one `_msearch` of both arms over both texts, after the frequencies of its words.

    Args:
        client: as `search_client` makes it.
        model: of the embedder in use; vectors of another are not searched.
        alias: what is searched.
        was_built: whether there ever was an index; before the first one there is nothing to be found, which is no
            failure: all that was written stands in the log.
        reconcile: as `Reconciliation.run`; it needs the table.
        circuit: of this process; None: its own.
    """

    def __init__(
        self,
        client: OpenSearch,
        *,
        model: str,
        alias: str = READ_ALIAS,
        was_built: Callable[[], bool] = lambda: True,
        reconcile: ReconcileIndex | None = None,
        circuit: SearchCircuit | None = None,
    ) -> None:
        self._client = client
        self._model = model
        self._alias = alias
        self._requests = SearchRequests(client, alias, circuit or SearchCircuit())
        self._was_built = was_built
        self._reconcile = reconcile or without_table
        self._typical = TypicalCosines()

    def covered(self, scope: Scope) -> int:
        """Returns 0: the store's log holds just what is not here yet."""
        del scope
        return 0

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Returns the best `k` of each arm and field over all scopes; an unknown project is empty.

        Raises:
            IndexUnavailable: it cannot be asked, or a part of it did not answer.
        """
        from memory_layer.domain.retrieval.candidates import candidates_of_lists  # late: it loads numpy

        nothing = IndexAnswer(candidates_of_lists(query.scopes[0].tenant, {}))
        return self._ask(lambda: self._answer(query), nothing)

    def _ask(self, ask: Callable[[], Answer], nothing: Answer) -> Answer:
        """Asks the index; returns `nothing` where there never was one."""
        try:
            return ask()
        except IndexMissing:
            if self._was_built():
                raise
            return nothing

    def _answer(self, query: IndexQuery) -> IndexAnswer:
        terms = {} if query.text is None or query.k < 1 else term_weights.query_terms(query.text)
        frequencies = self._statistics(query, terms)
        bodies = queries.arm_bodies(query, frequencies, terms, self._model)
        scope = query.scopes[0]
        with_vectors = not self._typical.knows(scope)
        if query.vector is not None and not query.content_only:
            bodies[_SAMPLE] = queries.sample_body(scope, self._model, with_vectors=with_vectors)
            bodies[_SEARCHED] = queries.count_body(query)
        of_trusted = trusted_queries.trusted_bodies(query, frequencies, terms, self._model)
        found = self._requests.many(bodies | of_trusted, query.scopes)
        trusted = {trusted_queries.arm_of(name): found.pop(name) for name in of_trusted if name in found}
        searched = queries.total_of(found.pop(_SEARCHED, {}))
        typical = self._typical_cosine(scope, found.pop(_SAMPLE, None), with_vectors=with_vectors)
        from memory_layer.domain.retrieval.candidates import candidates_of_lists  # late: it loads numpy

        words = term_weights.word_counts(frequencies, terms)
        asks = (found, query), (trusted, replace(query, k=query.trusted))
        ranked = (lists_of(one, asked, frequencies, terms) for one, asked in asks)
        unembedded = (queries.unembedded_of(one, self._model) for one, _ in asks)
        tables = [candidates_of_lists(scope.tenant, *each) for each in zip(ranked, unembedded, strict=True)]
        return IndexAnswer(tables[0], typical, searched, words, tables[1] if query.trusted else None)

    def nearest_contents(self, query: NearQuery) -> NearContents:
        """Finds the contents near to each vector, in one `_msearch`; what was written since is not told.

        Raises:
            IndexUnavailable: it cannot be asked, or a part of it did not answer.
        """
        asked = {str(n): one for n, one in enumerate(queries.near_content_queries(query))}
        bodies = {
            name: body
            for name, one in asked.items()
            for body in queries.arm_bodies(one, {}, {}, self._model).values()
        }
        found: dict[str, Body] = self._ask(lambda: self._requests.many(bodies, (query.scope,)), {})
        return NearContents(tuple(_near(found.get(name), one) for name, one in asked.items()))

    def standing(
        self, scopes: tuple[Scope, ...], filters: Filters, viewer: Viewer, *, now: datetime, k: int
    ) -> RecordTable:
        """Returns the `k` records of highest confidence × relevance_score, best first, then by id.

        Raises:
            IndexUnavailable: it cannot be asked, or a part of it did not answer.
        """
        from memory_layer.domain.retrieval.candidates import table_of_refs  # late: it loads numpy

        body = queries.standing_body([*in_scopes(scopes), *filter_clauses(filters, viewer, now)], k)
        hits: list[Body] = (
            self._ask(lambda: queries.hits_of(self._requests.one(body, scopes)), []) if k > 0 else []
        )
        return table_of_refs(scopes[0].tenant, map(queries.standing_ref, hits))

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
        """Returns the records tied to each of these things, the `k` best, of a hub none; in one `_msearch`.

        Raises:
            IndexUnavailable: it cannot be asked, or a part of it did not answer.
        """
        conditions = [*in_scopes(scopes), *filter_clauses(filters, viewer, now)]
        bodies = {str(key): queries.mention_body(str(key), conditions, k) for key in mentions}
        found: dict[str, Body] = self._ask(lambda: self._requests.many(bodies, scopes), {}) if bodies else {}
        told = (
            queries.mentioned_of(found[str(key)], hub_above) if str(key) in found else MentionedRecords(0)
            for key in mentions
        )
        from memory_layer.domain.retrieval.candidates import mentioned_rows  # late: it loads numpy

        return mentioned_rows(scopes[0].tenant, list(told))

    def tags(self, scopes: tuple[Scope, ...], sight: Sight | None = None) -> KnownTags:
        """Returns every tag of the records of these projects, in order."""
        return self._ask(lambda: known_tags(self._in(scopes), scopes, sight), KnownTags((), ()))

    def labels(self, scopes: tuple[Scope, ...], patterns: Sequence[str], k: int) -> Labels:
        """Returns the first `k`, in order, of the tags and of the URNs in use that match patterns."""
        nothing: Labels = dict.fromkeys(OVERLAPS, ())
        return self._ask(lambda: matching_labels(self._in(scopes), scopes, patterns, k), nothing)

    def ordered(
        self, query: ListQuery, order: ListOrder, *, after: OrderedId | None, k: int
    ) -> list[OrderedId]:
        body = ordered_queries.ordered_body(query, order, after, k)
        return self._ask(lambda: ordered_queries.ordered_of(self._requests.one(body, (query.scope,))), [])

    def count(self, query: ListQuery) -> int:
        body = ordered_queries.count_matching_body(query)
        return self._ask(lambda: queries.total_of(self._requests.one(body, (query.scope,))), 0)

    def created_by_day(self, query: ListQuery) -> dict[date, int]:
        body = ordered_queries.created_by_day_body(query)
        return self._ask(
            lambda: ordered_queries.created_by_day_of(self._requests.one(body, (query.scope,))), {}
        )

    def stats(self, scope: Scope, viewer: Viewer, *, now: datetime) -> ProjectStats:
        """Counts a project over all statuses, as of what has arrived here."""
        body = statistics.stats_body(scope, viewer, now, self._model)
        return self._ask(
            lambda: statistics.stats_of(self._requests.one(body, (scope,))), statistics.no_stats()
        )

    def projects(self, tenant: str, viewer: Viewer, *, after: str | None, limit: int) -> list[ProjectCount]:
        body = statistics.projects_body(tenant, viewer, after, limit)
        return self._ask(lambda: statistics.projects_of(self._requests.one(body)), [])

    def coverage(self) -> VectorCoverage:
        """Counts all tenants' documents, and those with a vector. Raises: IndexUnavailable."""
        return self._ask(
            lambda: upkeep_queries.coverage_of(self._requests.one(upkeep_queries.coverage_body(self._model))),
            VectorCoverage(0, 0),
        )

    def backlog(self) -> ReviewBacklog:
        """Counts all tenants' documents that wait for a person. Raises: IndexUnavailable."""
        return self._ask(
            lambda: upkeep_queries.backlog_of(self._requests.one(upkeep_queries.backlog_body())),
            ReviewBacklog(0, None),
        )

    def unembedded(self, scope: Scope, *, after: str | None, k: int) -> list[str]:
        """Returns the first `k` ids after this one, in order, of documents with no model or another one."""
        body = upkeep_queries.unembedded_body(scope, self._model, after, k)
        return self._ask(lambda: upkeep_queries.ids_of(self._requests.one(body, (scope,))), [])

    def settled(
        self, scope: Scope, tier: Tier, *, since: datetime | None, until: datetime, after: str | None, k: int
    ) -> list[str]:
        """Returns the first `k` ids after this one of unpinned records of a tier last written in [since, until)."""
        body = upkeep_queries.settled_body(scope, tier, since, until, after, k)
        return self._ask(lambda: upkeep_queries.ids_of(self._requests.one(body, (scope,))), [])

    def reconcile(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport:
        """Reconciles a project as SearchIndex.reconcile.

        Raises:
            IndexUnavailable, StoreUnavailable: an engine does not answer.
        """
        return self._ask(
            lambda: self._reconcile(scope, after=after, is_dry_run=is_dry_run), ReconcileReport()
        )

    def _in(self, scopes: tuple[Scope, ...]) -> Callable[[Body], Body]:
        return lambda body: self._requests.one(body, scopes)

    def _statistics(self, query: IndexQuery, terms: Mapping[str, int]) -> term_weights.FieldStatistics:
        if not terms:
            return {}
        fields = (CONTENT_TEXT,) if query.content_only else (CONTENT_TEXT, CONTEXT_TEXT)
        return term_weights.field_statistics(
            self._requests.one(term_weights.holders_body(query.scopes, terms, fields), query.scopes),
            fields,
            terms,
        )

    def _typical_cosine(self, scope: Scope, sample: Body | None, *, with_vectors: bool) -> float:
        """Typical cosine as measured, or anew for another sample. Args: sample: None: nobody asks for it."""
        if sample is None:
            return UNKNOWN_TYPICAL_COSINE
        hits = queries.hits_of(sample)
        known = self._typical.of(scope, sample_fingerprint(hits))
        if known is not None:
            return known
        if not with_vectors:
            body = queries.sample_body(scope, self._model, with_vectors=True)
            hits = queries.hits_of(self._requests.many({_SAMPLE: body}, (scope,))[_SAMPLE])
        return self._typical.measure(scope, hits)


def _near(answer: Body | None, query: IndexQuery) -> dict[Ref, float]:
    """Cosines of the contents near to a vector; none where there never was an index."""
    return {} if answer is None else lists_of({_NEAR: answer}, query, {}, {})[_NEAR]
