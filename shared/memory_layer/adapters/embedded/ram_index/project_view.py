"""Immutable view of a project in RAM, and both arms of a search in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.filter_columns import Mask
from memory_layer.adapters.embedded.ram_index.id_column import IdView
from memory_layer.adapters.embedded.ram_index.postings import PostingsView, bm25
from memory_layer.adapters.embedded.ram_index.top_k import Positions, Scores, best_positions
from memory_layer.adapters.embedded.ram_index.vector_matrix import VectorView, nearest
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters

Slots = NDArray[np.signedinteger[Any]]
TextField = Literal["content", "context"]


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
    ids: IdView
    terms: Mapping[TextField, PostingsView]
    vectors: Mapping[TextField, VectorView]


def lexical(view: ProjectView, field: TextField, query: ProjectQuery) -> dict[str, float]:
    """The `k` best by BM25, by id, best first; equal scores by id."""
    if not query.terms or not view.terms[field].texts:
        return {}
    scores = bm25(view.terms[field], query.terms)
    slots = best_positions(scores, view.accepted, query.k, above=0.0)
    return _ranked(view, slots, scores[slots], query.k)


def semantic(view: ProjectView, field: TextField, query: ProjectQuery) -> dict[str, float]:
    """The `k` nearest by exact cosine, by id, best first; equal ones by id."""
    if query.vector is None:
        return {}
    slots, cosines = nearest(view.vectors[field], query.vector, view.accepted, query.k)
    is_near = cosines > query.nearer_than
    return _ranked(view, slots[is_near], cosines[is_near], query.k)


def _ranked(view: ProjectView, slots: Slots, scores: Scores, k: int) -> dict[str, float]:
    first = _best(view, slots, scores, k)
    found = zip(scores[first].tolist(), view.ids.of(slots[first]), strict=True)
    return {id: score for score, id in sorted(found, key=lambda item: (-item[0], item[1]))}


def _best(view: ProjectView, slots: Slots, scores: Scores, k: int) -> Positions:
    """Positions of the `k` highest scores, in no order; of those that tie with the last, the first by id."""
    if len(slots) <= k:
        return np.arange(len(slots))
    last = np.partition(scores, -k)[-k]
    sure, tied = np.flatnonzero(scores > last), np.flatnonzero(scores == last)
    if len(sure) + len(tied) > k:
        is_first = np.zeros(len(view.accepted), np.bool_)
        is_first[view.ids.first_slots(slots[tied], k - len(sure))] = True
        tied = tied[is_first[slots[tied]]]
    return np.concatenate((sure, tied))
