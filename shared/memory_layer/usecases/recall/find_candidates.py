"""First step of a recall: candidates for a query with raw scores, from the index and from records it has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import TypeAlias, get_args

from memory_layer.domain.access import SHARED_PROJECT, Principal, Viewer, viewer_of
from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import OUT_OF_RECALL, Memory, Ref, Scope, Tier
from memory_layer.domain.policy import Synonyms
from memory_layer.domain.retrieval.abstention import UNKNOWN_TYPICAL_COSINE as UNKNOWN
from memory_layer.domain.retrieval.abstention import WordCounts, chance_cosine, is_near
from memory_layer.domain.retrieval.asked_period import AskedPeriod, period_in
from memory_layer.domain.retrieval.blending import DEPTH
from memory_layer.domain.retrieval.candidates import CandidateTable, table_of_refs
from memory_layer.domain.retrieval.merged_candidates import cut_to, united
from memory_layer.domain.retrieval.release_questions import searched_words
from memory_layer.domain.retrieval.told_days import DaySpans
from memory_layer.domain.retrieval.trusted_candidates import TRUSTED_DEPTH, complete, without
from memory_layer.domain.text.spelling_variants import with_variants
from memory_layer.domain.text.synonyms import expanded, short_forms
from memory_layer.errors import EmbedderUnavailable, IndexUnavailable
from memory_layer.ports.commit import Vector
from memory_layer.ports.index import IndexQuery
from memory_layer.ports.process import Ports, question_vector
from memory_layer.ports.records import UNSEEN_MAX
from memory_layer.usecases.recall.hydrate import hydrate_records
from memory_layer.usecases.recall.score_records import ScoredBy, scored_records

RECORDS_WITHOUT_INDEX = 500
"""Newest records that are read and scored one by one while there is no index."""

UNSEEN_READ = 100
"""Records of a project not yet indexed that are read in its place for preferences, pins and ties."""

NO_EMBEDDER = "embedding provider unavailable; results are lexical-only (exact-term matches), not semantic"
INDEX_FAR_BEHIND = f"search index far behind; beside it only the newest {UNSEEN_MAX:,} changes were looked at"
NO_INDEX = (
    f"search index unavailable; only the newest {RECORDS_WITHOUT_INDEX} records were looked at "
    "(if it was lost, mem admin reindex builds it anew)"
)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates of a query: raw scores of both arms over both texts, and notes on what was not there to be used.

    `searched` counts the memories that could have been found, `words` how common the query's words are among them.
    `trusted` are those found among trusted memories alone, where that was asked; they are in the table too.
    `unseen` are the records asked for that the index has not seen yet, whether or not the query found them, as
    `unseen_refs` lists them; `newest` those that were looked at because there was no index.
    """

    table: CandidateTable
    notes: tuple[str, ...]
    has_semantic_arm: bool
    typical_cosine: float
    searched: int
    unseen: tuple[Ref, ...] = ()
    newest: Mapping[Ref, Memory] | None = None
    words: WordCounts = field(default_factory=WordCounts)
    trusted: CandidateTable | None = None

    @property
    def chance_cosine(self) -> float:
        """Cosine that the best of all searched records would reach by chance, if none of them bears on the query."""
        return chance_cosine(self.searched, self.typical_cosine)

    @property
    def best_cosine(self) -> float:
        """Highest cosine of a content with the query; 1 where only words were compared."""
        if not self.has_semantic_arm:
            return 1.0
        best = np.fmax.reduce(self.table.scores_of("content_semantic"), initial=-np.inf)
        return float(best) if np.isfinite(best) else 0.0

    @property
    def cosines(self) -> NDArray[np.float64]:
        """Greatest cosine of each record with the query, over both texts; NaN: only words were compared."""
        return np.fmax(self.table.scores_of("content_semantic"), self.table.scores_of("context_semantic"))

    def near_rows(self) -> NDArray[np.bool_]:
        """Tests which records are nearer than chance, in either text; and the nearest of all, which is judged."""
        cosines = np.fmax(self.cosines, -1.0)
        is_nearest = (cosines == cosines.max(initial=-1.0)) & (cosines > -1.0)
        return np.asarray(is_near(cosines, self.chance_cosine) | is_nearest)


QueryVector: TypeAlias = tuple["Vector | None", tuple[str, ...]]
"""Vector of a query, None without one, and notes on why there is none."""


@dataclass(frozen=True, slots=True)
class CandidateSearch:
    """Search for candidates: query, filters, scopes, viewer and time.

    Args:
        within: the only scopes searched; None: the project and what its tenant shares.
        embedded: the query as `embedded` makes it of this search; None: not yet.
        synonyms: of the project.
        asker: as `Principal.author`; None: nobody in particular.
    """

    project: Scope
    query: str
    filters: Filters
    viewer: Viewer
    now: datetime
    is_lexical_only: bool = False
    reads_own_writes: bool = True
    within: tuple[Scope, ...] | None = None
    embedded: QueryVector | None = None
    synonyms: Synonyms = field(default_factory=dict)
    asker: str | None = None

    @property
    def searched_text(self) -> str:
        """Query with what its short forms and German words stand for."""
        return expanded(self.query, self.synonyms)

    @property
    def searched_words(self) -> str:
        """Words that are looked for: of a question on a release fewer, of others with other spellings."""
        return searched_words(self.query) or " ".join(
            (with_variants(self.searched_text, self.query), *short_forms(self.query))
        )

    @property
    def period(self) -> AskedPeriod | None:
        """Period that the query names, by the time of asking."""
        return period_in(self.query, self.now)

    @property
    def asked_days(self) -> DaySpans:
        """Days of the period that the query names; empty: it names none."""
        return () if self.period is None else self.period.days

    def scored_by(self, vector: Vector | None) -> ScoredBy:
        """Search as records are scored by that are read one by one."""
        return ScoredBy(self.scopes, self.searched_words, vector, self.asked_days)

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return recalled_scopes(self.project) if self.within is None else self.within


def recalled_scopes(project: Scope) -> tuple[Scope, ...]:
    """Scopes that a recall of a project reads: the project, and what its tenant shares."""
    return tuple(dict.fromkeys((project, Scope(project.tenant, SHARED_PROJECT))))


def search_for_all(ports: Ports, principal: Principal, project: str) -> CandidateSearch:
    """Search without words: for all memories in use that this caller may see."""
    return CandidateSearch(
        project=principal.scope(project),
        query="",
        filters=Filters(),
        viewer=viewer_of(principal),
        now=ports.clock.now(),
    )


Unseen: TypeAlias = "Sequence[Ref] | IndexUnavailable | None"
"""Result of `unseen_refs`, or its error; None: not read yet."""


def find_candidates(ports: Ports, search: CandidateSearch, unseen: Unseen = None) -> Candidates:
    """Searches the index by both arms, adds records it has not seen, and reads the newest instead if it is down.

    Args:
        unseen: `unseen_refs`, where they were read just before.
    """
    vector, notes = search.embedded or _query_vector(ports, search)
    try:
        if isinstance(unseen, IndexUnavailable):
            raise unseen
        found = _searched(ports, search, vector, unseen_refs(ports, search) if unseen is None else unseen)
    except IndexUnavailable:
        newest = newest_records(ports, search)
        table = scored_records(ports, search.scored_by(vector), newest)
        found = Candidates(table, (NO_INDEX,), vector is not None, UNKNOWN, len(newest), newest=newest)
    return replace(found, notes=(*notes, *found.notes)) if notes else found


def merge_candidates(one: Candidates, other: Candidates) -> Candidates:
    """Merges the candidates of two searches with one query."""
    return replace(
        one,
        table=complete(cut_to(united(one.table, other.table), DEPTH), one.trusted or other.trusted),
        searched=max(one.searched, other.searched),
        notes=tuple(dict.fromkeys((*one.notes, *other.notes))),
        unseen=tuple(dict.fromkeys((*one.unseen, *other.unseen))),
        newest=one.newest if other.newest is None else {**(one.newest or {}), **other.newest},
    )


def embedded(ports: Ports, search: CandidateSearch) -> CandidateSearch:
    """Embeds the query of a search, before its turn has come: the model works beside other threads."""
    return replace(search, embedded=_query_vector(ports, search))


def _query_vector(ports: Ports, search: CandidateSearch) -> QueryVector:
    if search.is_lexical_only:
        return None, ()
    try:
        return question_vector(ports.embedder, search.searched_text), ()
    except EmbedderUnavailable:
        return None, (NO_EMBEDDER,)


def _searched(
    ports: Ports, search: CandidateSearch, vector: Vector | None, unseen: Sequence[Ref]
) -> Candidates:
    """Candidates of the index with records it has not seen; a note says if those are more than are looked at."""
    answer = ports.index.search(
        IndexQuery(
            scopes=search.scopes,
            text=search.searched_words,
            vector=vector,
            filters=search.filters,
            viewer=search.viewer,
            now=search.now,
            k=DEPTH,
            days=search.asked_days,
            trusted=TRUSTED_DEPTH,
        )
    )
    found = Candidates(
        complete(answer.candidates, answer.trusted),
        (),
        vector is not None,
        answer.typical_cosine,
        answer.searched,
        words=answer.words,
        trusted=answer.trusted,
    )
    if not unseen:
        return found
    lying = ports.store.memories.unseen(search.project.tenant, unseen)
    readable, no_bodies = hydrate_records(
        ports.store.memories, (memory for memory, _ in lying.values() if memory.tier not in OUT_OF_RECALL)
    )
    asked_for = search.filters.acceptor()  # before the scores: other words are no statistics of theirs
    records = {memory.ref: memory for memory in readable if asked_for(memory)}
    vectors = {ref: found for ref, (_, found) in lying.items() if found is not None}
    news = scored_records(ports, search.scored_by(vector), records, vectors)
    gone = table_of_refs(search.project.tenant, unseen).identities
    seen = without(answer.candidates, gone)  # its words may no longer be theirs
    trusted = None if answer.trusted is None else without(answer.trusted, gone)
    notes = (*((INDEX_FAR_BEHIND,) if len(unseen) >= UNSEEN_MAX else ()), *no_bodies)
    asked = tuple(ref for ref in unseen if ref in records)
    searched = answer.searched - (len(answer.candidates) - len(seen)) + len(asked)
    table = complete(cut_to(united(news, seen), DEPTH), trusted)
    return replace(found, table=table, notes=notes, searched=searched, unseen=asked, trusted=trusted)


def unseen_refs(ports: Ports, search: CandidateSearch) -> list[Ref]:
    """Lists written records that the index has not seen yet, each project's newest first; to be read before the index.

    Raises:
        IndexUnavailable: the index cannot be asked now, or is too far behind.
    """
    return unseen_in(ports, search.scopes) if search.reads_own_writes else []


def unseen_in(ports: Ports, scopes: Sequence[Scope]) -> list[Ref]:
    """Lists written records of projects as `unseen_refs`, the projects side by side. Raises: IndexUnavailable"""
    places = {scope: ports.index.covered(scope) for scope in scopes}
    read = ports.store.memories.written_after
    reads = [partial(read, scope, at) for scope, at in places.items() if at is not None]
    return list(chain(*ports.together.each(reads)))


def newest_unseen(unseen: Iterable[Ref]) -> list[Ref]:
    """Takes each project's newest `UNSEEN_READ` refs of `unseen_refs`: the index catches up with the oldest first."""
    taken = Counter[str]()
    news: list[Ref] = []
    for ref in unseen:
        if taken[ref.project] < UNSEEN_READ:
            taken[ref.project] += 1
            news.append(ref)
    return news


def newest_records(ports: Ports, search: CandidateSearch) -> dict[Ref, Memory]:
    """Reads the newest records that the search asks for, which stand in for the index while there is none."""
    asked = search.filters.tier or get_args(Tier)
    tiers = tuple(tier for tier in asked if tier not in OUT_OF_RECALL)
    filters = replace(search.filters, tier=tiers)
    page = partial(ports.store.memories.page, now=search.now, after=None, limit=RECORDS_WITHOUT_INDEX)
    pages = [page(scope, filters, search.viewer) for scope in (search.scopes if tiers else ())]
    return {memory.ref: memory for page in pages for memory in page.memories}
