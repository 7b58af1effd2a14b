"""Immutable view of a project in RAM, and the ranked lists of a search in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.bm25 import bm25
from memory_layer.adapters.embedded.ram_index.filter_columns import Mask
from memory_layer.adapters.embedded.ram_index.postings import PostingsView, distinct
from memory_layer.adapters.embedded.ram_index.slot_rows import SlotRows
from memory_layer.adapters.embedded.ram_index.top_k import Scores, best_positions
from memory_layer.adapters.embedded.ram_index.vector_matrix import VectorView, nearest
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.retrieval.candidates import LISTS, TOLD, CandidateTable
from memory_layer.domain.retrieval.facts import TELLS_DAYS, told_scores
from memory_layer.domain.retrieval.told_days import DaySpans

Slots = NDArray[np.signedinteger[Any]]
TextField = Literal["content", "context"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectQuery:
    """Query of one project: `terms` are the query's counts by term hash; None leaves an arm out.

    `is_of_trusted` asks for trusted records alone.
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
    is_of_trusted: bool = False


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


def candidates(view: ProjectView, query: ProjectQuery) -> CandidateTable:
    """Candidates of all lists: the best `k` of each; of equal ones the first by id. What tells of the days asked for
    says so in every list."""
    fields: tuple[TextField, ...] = ("content",) if query.content_only else ("content", "context")
    lists = [
        ranked for field in fields for ranked in (lexical(view, field, query), semantic(view, field, query))
    ]
    told = [telling(view, query).slots] if query.days else []
    slots = distinct(np.concatenate([*told, *(ranked.slots for ranked in lists)]))
    records = view.rows.table(slots)
    scores = np.full((len(LISTS), len(slots)), np.nan)
    for number, ranked in enumerate(lists):
        scores[number, np.searchsorted(slots, ranked.slots)] = ranked.scores
    if records.facts is not None and query.days:
        scores[TOLD] = told_scores(records.facts, query.days)
    return CandidateTable(records, scores)


def telling(view: ProjectView, query: ProjectQuery) -> ScoredSlots:
    """The `k` that tell most of the days asked for."""
    facts = view.rows.facts
    slots = np.flatnonzero(view.accepted & (facts["flags"] & TELLS_DAYS != 0))
    scores = told_scores(facts.take(slots), query.days)
    is_told = ~np.isnan(scores)
    return _best(view, slots[is_told], scores[is_told], query.k)


def lexical(view: ProjectView, field: TextField, query: ProjectQuery) -> ScoredSlots:
    """The `k` best by BM25."""
    if not query.terms or not view.terms[field].texts:
        return NO_SLOTS
    found = bm25(view.terms[field], query.terms)
    best = best_positions(found.scores, view.accepted, query.k, above=0.0, slots=found.slots)
    slots = best if found.slots is None else found.slots[best]
    return _best(view, slots, found.scores[best], query.k)


def semantic(view: ProjectView, field: TextField, query: ProjectQuery) -> ScoredSlots:
    """The `k` nearest by exact cosine."""
    if query.vector is None:
        return NO_SLOTS
    slots, cosines = nearest(view.vectors[field], query.vector, view.accepted, query.k)
    is_near = cosines > query.nearer_than
    return _best(view, slots[is_near], cosines[is_near], query.k)


def _best(view: ProjectView, slots: Slots, scores: Scores, k: int) -> ScoredSlots:
    """The `k` highest scores; of those that tie with the last, the first by id."""
    if len(slots) <= k:
        return ScoredSlots(slots, scores)
    last = np.partition(scores, -k)[-k]
    sure, tied = np.flatnonzero(scores > last), np.flatnonzero(scores == last)
    if len(sure) + len(tied) > k:
        is_first = np.zeros(len(view.accepted), np.bool_)
        is_first[view.rows.id_view.first_slots(slots[tied], k - len(sure))] = True
        tied = tied[is_first[slots[tied]]]
    first = np.concatenate((sure, tied))
    return ScoredSlots(slots[first], scores[first])
