"""Inverted lists over the heads of a matrix: approximate, and held here against the exact answer of the product."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index import vector_matrix
from memory_layer.adapters.project_index.head_rows import HeadView
from memory_layer.adapters.project_index.int8_scan import QuantizedQuery, quantized_query, scan
from memory_layer.adapters.project_index.vector_matrix import VectorView
from memory_layer.domain.retrieval.exact_scores import exact_cosines
from tests.bench.vectors import Matrix, unit

ROUNDS = 8

Positions = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of rows around centroids.

    Args:
        order: positions of the rows, list by list; heads: in this order.
        starts: of each list; the last list is the overflow, which is always scanned.
    """

    centroids: Matrix
    order: Positions
    starts: NDArray[np.int64]
    heads: HeadView


def trained(rows: Matrix, lists: int, randomness: np.random.Generator) -> Matrix:
    """Centroids of spherical k-means; the same rows and generator give the same."""
    centroids = rows[randomness.choice(len(rows), lists, replace=False)]
    for _ in range(ROUNDS):
        nearest_of, _ = assigned(rows, centroids)
        sums = np.zeros_like(centroids)
        np.add.at(sums, nearest_of, rows)
        empty = np.flatnonzero(np.bincount(nearest_of, minlength=lists) == 0)
        sums[empty] = rows[randomness.choice(len(rows), len(empty))]
        centroids = unit(sums)
    return centroids


def assigned(rows: Matrix, centroids: Matrix) -> tuple[Positions, NDArray[np.float32]]:
    """The nearest centroid of each row, and its cosine."""
    found = [_nearest_centroid(rows[at : at + 2_048], centroids) for at in range(0, len(rows), 2_048)]
    return np.concatenate([one for one, _ in found]), np.concatenate([cosine for _, cosine in found])


def _nearest_centroid(rows: Matrix, centroids: Matrix) -> tuple[Positions, NDArray[np.float32]]:
    cosines = rows @ centroids.T
    best = cosines.argmax(axis=1)
    return best, cosines[np.arange(len(rows)), best]


def listed(view: VectorView, centroids: Matrix, of_rows: Positions) -> Lists:
    """Lists with heads in their order. Args: of_rows: list of each row; len(centroids): the overflow."""
    if view.heads is None:
        raise SystemExit("the heads have not been fitted")
    order = np.argsort(of_rows, kind="stable")
    starts = np.searchsorted(of_rows[order], np.arange(len(centroids) + 2))
    heads = view.heads
    moved = HeadView(
        heads.axes, heads.rows[order], heads.scales[order], heads.tails[order], heads.error, heads.sample
    )
    return Lists(centroids, order, starts, moved)


def probed(lists: Lists, query: Matrix, share: float) -> tuple[list[slice], float]:
    """Spans of the nearest lists with this share of all rows, and the overflow; and the best cosine to a centroid."""
    cosines = lists.centroids @ query
    nearest_first = np.argsort(-cosines)
    sizes = np.diff(lists.starts)[nearest_first]
    count = int(np.searchsorted(np.cumsum(sizes), share * len(lists.order))) + 1
    chosen = [*np.sort(nearest_first[:count]).tolist(), len(lists.centroids)]
    spans = [slice(int(lists.starts[one]), int(lists.starts[one + 1])) for one in chosen]
    return [span for span in spans if span.start < span.stop], float(cosines[nearest_first[0]])


def by_lists(
    view: VectorView, lists: Lists, query: Matrix, accepted: NDArray[np.bool_], share: float, k: int
) -> tuple[NDArray[np.int32], NDArray[np.float64], float]:
    """As `nearest` among the probed lists alone; and the best cosine to a centroid."""
    asked = quantized_query(query)
    spans, told = probed(lists, query, share)
    head = lists.heads.asked(asked)
    dots = np.concatenate([scan(lists.heads.rows[at], lists.heads.scales[at], head.head) for at in spans])
    highest = np.concatenate([lists.heads.tails[at] for at in spans]) * np.float32(head.tail) + dots
    positions = np.concatenate([lists.order[at] for at in spans])
    left = _left(view, asked, positions, dots, highest + np.float32(head.error), accepted, k)
    cosines = vector_matrix._by_chunks(view, left, lambda rows: exact_cosines(rows, query))
    best = np.argsort(-cosines, kind="stable")[:k]
    return view.slots[left[best]], cosines[best], told


def _left(
    view: VectorView,
    asked: QuantizedQuery,
    positions: Positions,
    dots: NDArray[np.float32],
    highest: NDArray[np.float32],
    accepted: NDArray[np.bool_],
    k: int,
) -> Positions:
    """Those of the probed rows that may be among the nearest of them."""
    is_accepted = accepted[view.slots[positions]]
    dots = np.where(is_accepted, dots, np.float32(-2))
    best = positions[np.argpartition(dots, -k)[-k:]] if len(dots) > k else positions
    least = vector_matrix._least(view, asked, best[accepted[view.slots[best]]], k)
    left = positions[is_accepted & (highest >= least)]
    return left[vector_matrix._estimates(view, asked, left) >= least - vector_matrix._error(view, asked)]
