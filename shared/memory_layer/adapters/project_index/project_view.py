"""Immutable view of a project in RAM, and the ranked lists of a search in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.bm25 import TextScores, bm25
from memory_layer.adapters.project_index.filter_columns import Mask
from memory_layer.adapters.project_index.int8_scan import QuantizedQuery, quantized_query
from memory_layer.adapters.project_index.postings import PostingsView, distinct
from memory_layer.adapters.project_index.slot_rows import SlotRows
from memory_layer.adapters.project_index.top_k import Scores, best_positions
from memory_layer.adapters.project_index.vector_matrix import VectorScan, VectorView, nearest_scanned
from memory_layer.domain.access import Viewer
from memory_layer.domain.arrays import kth_highest, true_rows
from memory_layer.domain.filters import Filters
from memory_layer.domain.retrieval.abstention import WordCounts
from memory_layer.domain.retrieval.candidates import LISTS, TOLD, CandidateTable
from memory_layer.domain.retrieval.facts import TELLS_DAYS, is_trusted, told_scores
from memory_layer.domain.retrieval.told_days import DaySpans
from memory_layer.domain.retrieval.trusted_candidates import is_crowded
from memory_layer.domain.text.analyzer import term_hash

Slots = NDArray[np.signedinteger[Any]]
TextField = Literal["content", "context"]


def counts_by_hash(counts: Mapping[str, int]) -> Mapping[int, int]:
    """Counts of terms by their hashes, in the same order."""
    hashed: dict[int, int] = {}
    for term, count in counts.items():
        key = term_hash(term)
        hashed[key] = hashed.get(key, 0) + count
    return hashed


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectQuery:
    """Query of one project: `terms` are the query's counts by term hash; None leaves an arm out.

    `trusted` bounds the lists of trusted records, which are told where others crowd these out; 0: they are not.
    """

    terms: Mapping[int, int] | None
    vector: NDArray[np.float32] | None
    filters: Filters
    viewer: Viewer
    now: datetime
    k: int
    content_only: bool = False
    nearer_than: float = -1.0
    days: DaySpans = ()
    trusted: int = 0


@dataclass(frozen=True, slots=True)
class ProjectView:
    """View of the project at one moment, which appends and compactions leave alone: masks and rows."""

    accepted: Mask
    trusted: Mask
    rows: SlotRows
    terms: Mapping[TextField, PostingsView]
    vectors: Mapping[TextField, VectorView]


@dataclass(slots=True, eq=False)
class ScoredSlots:
    """Slots that one list holds, each once, in any order, with their scores; shapes (n,)."""

    slots: Slots
    scores: Scores


NO_SLOTS = ScoredSlots(np.empty(0, np.int32), np.empty(0))


@dataclass(frozen=True, slots=True)
class ProjectScan:
    """Scans of a view for one query, kept: the lists of trusted records cost no second scan."""

    view: ProjectView
    query: ProjectQuery
    words: dict[TextField, TextScores] = field(default_factory=dict)
    vectors: dict[TextField, VectorScan] = field(default_factory=dict)

    def candidates(self) -> CandidateTable:
        """Candidates of all lists: the best `k` of each; of equal ones the first by id. What tells of the days asked
        for says so in every list."""
        return self._candidates(self.view.accepted, self.query.k)

    @property
    def searched(self) -> int:
        """Number of records that pass the filters and may be seen."""
        return int(np.count_nonzero(self.view.accepted))

    def word_counts(self, terms: Sequence[str]) -> WordCounts:
        """Number of records that hold each of these terms, in content or in context. Args: terms: of the query."""
        places = {hash: place for place, hash in enumerate(self.query.terms or ())}
        counts = np.zeros(len(places), np.int64)
        for found in map(self._words_of, self.view.terms):
            np.maximum(counts, found.holders, out=counts)
        at = [places[term_hash(term)] for term in terms]
        texts = self.view.terms["content"].texts if self.view.terms else 0
        return WordCounts(texts, dict(zip(terms, counts[at].tolist(), strict=True)))

    def trusted(self, found: CandidateTable) -> CandidateTable:
        """Candidates among trusted records alone. Args: found: `candidates`, which has all where nobody crowds."""
        if found.records.facts is not None and not is_crowded(found, self.query.k, self.query.trusted):
            return found.take(true_rows(is_trusted(found.records.facts)))
        accepted = self.view.accepted & self.view.trusted
        if not accepted.any():
            return found.take(np.empty(0, np.intp))
        return self._candidates(accepted, self.query.trusted)

    def _candidates(self, accepted: Mask, k: int) -> CandidateTable:
        view, query = self.view, self.query
        fields: tuple[TextField, ...] = ("content",) if query.content_only else ("content", "context")
        lists = [
            ranked
            for each in fields
            for ranked in (self._lexical(each, accepted, k), self._semantic(each, accepted, k))
        ]
        told = [self._telling(accepted, k).slots] if query.days else []
        slots = distinct(np.concatenate([*told, *(ranked.slots for ranked in lists)]))
        records = view.rows.table(slots)
        scores = np.full((len(LISTS), len(slots)), np.nan)
        for number, ranked in enumerate(lists):
            scores[number, np.searchsorted(slots, ranked.slots)] = ranked.scores
        if records.facts is not None and query.days:
            scores[TOLD] = told_scores(records.facts, query.days)
        return CandidateTable(records, scores)

    def _telling(self, accepted: Mask, k: int) -> ScoredSlots:
        """The `k` that tell most of the days asked for."""
        facts = self.view.rows.facts
        slots = true_rows(accepted & (facts["flags"] & TELLS_DAYS != 0))
        scores = told_scores(facts.take(slots), self.query.days)
        is_told = ~np.isnan(scores)
        return _best(self.view, slots[is_told], scores[is_told], k)

    def _lexical(self, of: TextField, accepted: Mask, k: int) -> ScoredSlots:
        """The `k` best by BM25."""
        view, terms = self.view, self.query.terms
        if not terms or not view.terms[of].texts:
            return NO_SLOTS
        found = self._words_of(of)
        best = best_positions(found.scores, accepted, k, above=0.0, slots=found.slots)
        slots = best if found.slots is None else found.slots[best]
        return _best(view, slots, found.scores[best], k)

    def _words_of(self, of: TextField) -> TextScores:
        if of not in self.words:
            self.words[of] = bm25(self.view.terms[of], self.query.terms or {})
        return self.words[of]

    def _quantized(self, vector: NDArray[np.float32]) -> QuantizedQuery:
        """The query's vector, quantized once for both texts."""
        known = next(iter(self.vectors.values()), None)
        return quantized_query(vector.astype(np.float32)) if known is None else known.asked

    def _semantic(self, of: TextField, accepted: Mask, k: int) -> ScoredSlots:
        """The `k` nearest by exact cosine."""
        vector, vectors = self.query.vector, self.view.vectors[of]
        if vector is None:
            return NO_SLOTS
        if of not in self.vectors:
            self.vectors[of] = VectorScan(vectors, vector, self._quantized(vector))
        slots, cosines = nearest_scanned(self.vectors[of], accepted, k)
        is_near = cosines > self.query.nearer_than
        return _best(self.view, slots[is_near], cosines[is_near], k)


def _best(view: ProjectView, slots: Slots, scores: Scores, k: int) -> ScoredSlots:
    """The `k` highest scores; of those that tie with the last, the first by id."""
    if len(slots) <= k:
        return ScoredSlots(slots, scores)
    last = kth_highest(scores, k)
    sure, tied = true_rows(scores > last), true_rows(scores == last)
    if len(sure) + len(tied) > k:
        tied = tied[view.rows.id_view.are_first(slots[tied], k - len(sure))]
    first = np.concatenate((sure, tied))
    return ScoredSlots(slots[first], scores[first])
