"""BM25 of a project's texts: the weights of terms summed by slot, and each sum damped by its text's length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.postings import PostingsView
from memory_layer.adapters.project_index.segment import runs_of
from memory_layer.domain.arrays import true_rows
from memory_layer.domain.retrieval.exact_scores import inverse_frequencies, repeat_factors

_FEW_POSTINGS = 16
"""Ratio of all slots to postings, beyond which it is quicker to pick the slots that have one than to damp all."""

Scores = NDArray[np.float64]


@dataclass(slots=True, eq=False)
class TextScores:
    """Scores of texts, >= 0.

    Args:
        slots: ascending; None: of every slot.
        holders: number of live texts that hold each term of the query, in its order.
    """

    slots: NDArray[Any] | None
    scores: Scores
    holders: NDArray[np.int64]


def bm25(view: PostingsView, query: Mapping[int, int]) -> TextScores:
    """Lucene's BM25 of the slots that hold a term of the query.

    A text says nearly every term once, and what that counts depends on the text's length alone: a posting costs no
    more than the addition of its term's weight, and each text is damped once.

    Args:
        query: count of each term in the query, by term hash.

    Source: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework"; as in Lucene since 8,
    idf × tf / (tf + k1 × (1 - b + b × length / average length)), idf = ln(1 + (N - n + .5) / (n + .5)).
    """
    runs = runs_of(view.segments, np.fromiter(query.keys(), np.uint32, len(query)))
    if runs is None or not view.texts:
        return TextScores(np.empty(0, np.intp), np.empty(0), np.zeros(len(query), np.int64))
    holders = np.bincount(runs.terms, runs.live_sizes(view.live), len(query)).astype(np.int64)
    weights = inverse_frequencies(view.texts, holders)
    weights *= np.fromiter(query.values(), np.float64, len(query))
    of_runs = weights.take(runs.terms)
    added = np.repeat(of_runs, runs.sizes)
    summed = np.asarray(np.bincount(runs.slots, added, len(view.once)), np.float64)
    if len(runs.repeat_slots):
        factors = repeat_factors(runs.repeat_counts, view.once.take(runs.repeat_slots))
        np.add.at(summed, runs.repeat_slots, np.repeat(of_runs, runs.repeat_sizes) * factors)
    slots, scores = _damped(view, summed, len(runs.slots))
    return TextScores(slots, scores, holders)


def _damped(view: PostingsView, summed: Scores, postings: int) -> tuple[NDArray[Any] | None, Scores]:
    if _FEW_POSTINGS * postings > len(summed):
        summed *= view.once
        return None, summed
    slots = true_rows(summed > 0)  # of booleans it takes a tenth of the time
    return slots, summed.take(slots) * view.once.take(slots)
