"""Immutable view of a project in RAM, and the ranked lists of a search in it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.filter_columns import Mask
from memory_layer.adapters.embedded.ram_index.postings import PostingsView, bm25, distinct
from memory_layer.adapters.embedded.ram_index.slot_rows import SlotRows
from memory_layer.adapters.embedded.ram_index.top_k import Scores, best_positions
from memory_layer.adapters.embedded.ram_index.vector_matrix import VectorView, nearest
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.retrieval.candidates import LISTS, CandidateTable
from memory_layer.domain.retrieval.exact_scores import exact_cosines

Slots = NDArray[np.signedinteger[Any]]
TextField = Literal["content", "context"]
VectorReader = Callable[[TextField, Sequence[int]], Mapping[int, bytes]]
"""Reader of the stored float16 vectors of some record keys; those that are gone are left out."""

_SPARE_CANDIDATES = 16
"""Candidates compared exactly beyond the k asked for: the scan alone finds .991 of the ten nearest, with these all."""
_SCAN_ERROR = 0.02
"""Bound of the error of a cosine of the scan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectQuery:
    """Query of one project: `terms` are the query's counts by term hash; None leaves an arm out."""

    terms: Mapping[int, int] | None
    vector: NDArray[np.float32] | None
    filters: Filters
    viewer: Viewer
    now: datetime
    k: int
    content_only: bool = False
    nearer_than: float = -1.0


@dataclass(frozen=True, slots=True)
class ProjectView:
    """View of the project at one moment; appends and compactions leave it alone."""

    accepted: Mask
    rows: SlotRows
    terms: Mapping[TextField, PostingsView]
    vectors: Mapping[TextField, VectorView]


@dataclass(frozen=True, slots=True)
class ScoredSlots:
    """Slots that one list holds, each once, in any order, with their scores; shapes (n,)."""

    slots: Slots
    scores: Scores


NO_SLOTS = ScoredSlots(np.empty(0, np.int32), np.empty(0))


def candidates(view: ProjectView, query: ProjectQuery, read_vectors: VectorReader) -> CandidateTable:
    """Candidates of all lists: the best `k` of each; of equal ones the first by id."""
    fields: tuple[TextField, ...] = ("content",) if query.content_only else ("content", "context")
    lists = [
        ranked
        for field in fields
        for ranked in (lexical(view, field, query), semantic(view, field, query, read_vectors))
    ]
    slots = distinct(np.concatenate([ranked.slots for ranked in lists]))
    scores = np.full((len(LISTS), len(slots)), np.nan)
    for number, ranked in enumerate(lists):
        scores[number, np.searchsorted(slots, ranked.slots)] = ranked.scores
    return CandidateTable(view.rows.table(slots), scores)


def lexical(view: ProjectView, field: TextField, query: ProjectQuery) -> ScoredSlots:
    """The `k` best by BM25."""
    if not query.terms or not view.terms[field].texts:
        return NO_SLOTS
    scores = bm25(view.terms[field], query.terms)
    slots = best_positions(scores, view.accepted, query.k, above=0.0)
    return _best(view, slots, scores[slots], query.k)


def semantic(
    view: ProjectView, field: TextField, query: ProjectQuery, read_vectors: VectorReader
) -> ScoredSlots:
    """The `k` nearest by exact cosine."""
    if query.vector is None:
        return NO_SLOTS
    limit = query.k + _SPARE_CANDIDATES
    slots, cosines = nearest(view.vectors[field], query.vector, view.accepted, limit)
    is_near = cosines > query.nearer_than - _SCAN_ERROR
    first = _best(view, slots[is_near], cosines[is_near], limit)
    if not len(first.slots):
        return NO_SLOTS
    estimates = first.scores.astype(np.float64)
    keys = view.rows.keys[first.slots].tolist()
    stored = read_vectors(field, keys)
    known = [position for position, key in enumerate(keys) if key in stored]
    exact = np.frombuffer(b"".join(stored[keys[position]] for position in known), "<f2")
    estimates[known] = exact_cosines(exact.reshape(len(known), len(query.vector)), query.vector)
    return _best(view, first.slots, estimates, query.k)


def _best(view: ProjectView, slots: Slots, scores: Scores, k: int) -> ScoredSlots:
    """The `k` highest scores; of those that tie with the last, the first by id."""
    if len(slots) <= k:
        return ScoredSlots(slots, scores)
    last = np.partition(scores, -k)[-k]
    sure, tied = np.flatnonzero(scores > last), np.flatnonzero(scores == last)
    if len(sure) + len(tied) > k:
        tied = tied[np.isin(slots[tied], view.rows.id_view.first_slots(slots[tied], k - len(sure)))]
    first = np.concatenate((sure, tied))
    return ScoredSlots(slots[first], scores[first])
