"""Nearest vectors of a project, exactly: an int8 scan of rows or of their heads, then the stored rows of the best."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.growing_array import GrowingArray
from memory_layer.adapters.project_index.head_rows import (
    HeadEstimates,
    HeadQuery,
    HeadRows,
    HeadView,
    fitted_heads,
)
from memory_layer.adapters.project_index.int8_scan import (
    CHUNK_ROWS,
    HALF_PRECISION,
    QuantizedQuery,
    half_precision_dots,
    quantized_query,
    row_errors,
    scan,
)
from memory_layer.adapters.project_index.mapped_rows import MappedArray, MappedRows, MappedView
from memory_layer.adapters.project_index.top_k import best_positions
from memory_layer.domain.arrays import kth_highest, true_rows
from memory_layer.domain.retrieval.exact_scores import exact_cosines, quantized

_FEW_ACCEPTED = 16
"""Ratio of all rows to accepted ones, beyond which it is quicker to pick these out first."""
_HEADS_FROM = 65_536
"""Rows from which on a scan of the heads is quicker than one of the rows."""
_REFITTED_GROWTH = 2
"""Growth of a matrix after which the axes are fitted anew: other subjects have come."""
_FEW_WANTED = 32
"""Ratio of all rows to those wanted, below which the heads leave too many."""
_MOST_LEFT = 6
"""Part of all rows that the heads may leave; where they leave more of a sample, the rows are scanned without them."""
_LONGEST = 1.01
"""A row of unit length is no longer than this after it was rounded to float16."""
_ROUNDING = 1e-5

_fitter = ThreadPoolExecutor(1, thread_name_prefix="fit")
"""Thread that fits axes: searches scan the rows until it is done."""

Positions = NDArray[np.intp]
Accepted = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class VectorView:
    """View of rows, their scales and their slots: shapes (n, dimensions), (n,), (n,); slots ascend.

    Args:
        error: the largest length that quantization took off a row.
        heads: of the same rows; None: they are few, or the axes are being fitted.
    """

    rows: NDArray[np.int8]
    scales: NDArray[np.float32]
    slots: NDArray[np.int32]
    stored: MappedView
    error: float
    heads: HeadView | None

    def stored_rows(self, positions: NDArray[Any]) -> NDArray[np.float16]:
        """The vectors at these positions as they were stored; shape (m, dimensions)."""
        return self.stored.take(positions)


class VectorMatrix:
    """Matrix of one vector for some of a project's slots: int8 rows to scan, and the stored ones to compare exactly.

    Args:
        folder: where the stored rows lie in an unlinked file; None: tempfile's.
    """

    def __init__(self, dimensions: int, folder: Path | None = None) -> None:
        self._rows = MappedArray(np.int8, dimensions, folder)
        self._scales: GrowingArray[np.float32] = GrowingArray(np.float32)
        self._slots: GrowingArray[np.int32] = GrowingArray(np.int32)
        self._stored = MappedRows(dimensions, folder)
        self._error = 0.0
        self._heads: HeadRows | None = None
        self._fitting: Future[HeadRows] | None = None
        self._view: VectorView | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def slots(self) -> NDArray[np.int32]:
        """Slots that have a vector, ascending."""
        return self._slots.rows

    @property
    def view(self) -> VectorView:
        """View of the rows as they are; kept until there are others."""
        if self._view is None or self._fitting is not None:
            stored = self._stored.view
            self._fit_heads(stored)
            heads = None if self._heads is None else self._heads.view
            columns = self._rows.rows, self._scales.rows, self._slots.rows
            self._view = VectorView(*columns, stored, self._error, heads)
        return self._view

    @property
    def nbytes(self) -> int:
        """Bytes of private memory; the rows are mapped."""
        heads = 0 if self._heads is None else self._heads.nbytes
        return self._rows.nbytes + self._scales.nbytes + self._slots.nbytes + self._stored.nbytes + heads

    def reserve(self, rows: int) -> None:
        for column in (self._rows, self._scales, self._slots, self._stored):
            column.reserve(rows)

    def extend(self, slots: NDArray[Any], vectors: NDArray[np.float16]) -> None:
        """Appends one unit vector per slot; shapes (m,), (m, dimensions)."""
        self._view = None
        self._slots.extend(slots)
        self._stored.extend(vectors)
        for start in range(0, len(vectors), CHUNK_ROWS):
            chunk = vectors[start : start + CHUNK_ROWS].astype(np.float32)
            rows, scales = quantized(chunk)
            self._error = max(self._error, float(row_errors(chunk, rows, scales).max()))
            self._rows.extend(rows)
            self._scales.extend(scales)
            if self._heads is not None:
                self._heads.extend(chunk)

    def renumber(self, new_slots: NDArray[np.int32]) -> None:
        """Follows a compaction: the new slot of each old one, -1 where it is gone."""
        self._view = None
        moved = new_slots[self._slots.rows]
        kept = moved >= 0
        for column in (self._rows, self._scales, self._slots, self._stored):
            column.keep(kept)
        self._slots.rows[:] = moved[kept]
        self._fitting = None
        if self._heads is not None:
            self._heads.keep(kept)

    def _fit_heads(self, stored: MappedView) -> None:
        """Takes over the heads that were fitted, or has them fitted when they are due."""
        if self._fitting is None:
            fitted = 0 if self._heads is None else self._heads.fitted_rows
            if len(self) >= max(_HEADS_FROM, _REFITTED_GROWTH * fitted):
                self._fitting = _fitter.submit(fitted_heads, stored, len(self))
        elif self._fitting.done():
            self._heads, self._fitting = self._fitting.result().follow(stored, len(self)), None


def nearest(
    view: VectorView, query: NDArray[np.float32], accepted: Accepted, k: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The `k` rows nearest to a unit vector, and those that tie with the last; in no order.

    Args:
        query: shape (dimensions,).
        accepted: mask of the slots that count.

    Returns:
        Slots, and cosines of the stored rows (domain.retrieval.exact_scores).
    """
    return nearest_scanned(VectorScan(view, query, quantized_query(query.astype(np.float32))), accepted, k)


@dataclass
class VectorScan:
    """Scan of a view for one vector, kept: a second list, of fewer records, costs no second scan."""

    view: VectorView
    query: NDArray[np.float32]
    asked: QuantizedQuery
    _of_heads: HeadEstimates | None = None

    @cached_property
    def cosines(self) -> NDArray[np.float32]:
        """Estimates of all rows."""
        return scan(self.view.rows, self.view.scales, self.asked)

    def of_heads(self, heads: HeadView, asked: HeadQuery) -> HeadEstimates:
        """Estimates of all rows by their heads."""
        if self._of_heads is None:
            self._of_heads = heads.estimates(asked)
        return self._of_heads


def nearest_scanned(
    scanned: VectorScan, accepted: Accepted, k: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The nearest rows, as `nearest`."""
    view, query = scanned.view, scanned.query
    if not len(view.rows):
        return np.empty(0, np.int32), np.empty(0, np.float64)
    positions = _candidates(scanned, accepted, k)
    cosines = _by_chunks(view, positions, lambda rows: exact_cosines(rows, query))
    if len(positions) > k:
        best = cosines >= kth_highest(cosines, k)
        positions, cosines = positions[best], cosines[best]
    return view.slots[positions], cosines


def _candidates(scanned: VectorScan, accepted: Accepted, k: int) -> Positions:
    """Positions of accepted rows, the `k` nearest among them."""
    view, query = scanned.view, scanned.asked
    if _FEW_ACCEPTED * np.count_nonzero(accepted) < len(view.rows):
        few = true_rows(accepted[view.slots])
        return _near(view, query, few, k)
    if view.heads is not None and _FEW_WANTED * k < len(view.rows):
        left = _left_by_heads(scanned, view.heads, accepted, k)
        if left is not None:
            return left
    cosines = scanned.cosines
    best = best_positions(cosines, accepted, k, slots=view.slots)
    error = _error(view, query)
    least = float(cosines.take(best).min()) - error if len(best) >= k else -np.inf
    near = (cosines >= least - error).nonzero()[0]
    return _within_half_precision(view, query, near[accepted.take(view.slots.take(near))], k)


def _within_half_precision(
    view: VectorView, query: QuantizedQuery, positions: Positions, k: int
) -> Positions:
    """Those of these positions that may be among the `k` nearest of them by the dot products of stored rows."""
    if len(positions) <= k:
        return positions
    dots = _by_chunks(view, positions, lambda rows: half_precision_dots(rows, query.vector))
    near: Positions = positions[dots >= kth_highest(dots, k) - 2.0 * HALF_PRECISION * query.length]
    return near


def _left_by_heads(scanned: VectorScan, heads: HeadView, accepted: Accepted, k: int) -> Positions | None:
    """Positions of the accepted rows that may be among the `k` nearest by their heads; None: too many are left."""
    view, query = scanned.view, scanned.asked
    asked = heads.asked(query)
    if not _heads_tell(view, heads, query, asked, k):
        return None
    found = scanned.of_heads(heads, asked)
    least = _least(view, query, best_positions(found.dots, accepted, k, slots=view.slots), k)
    left = found.reaching(least)
    # first, as under a filter on another subject the heads leave most; to pick many takes longer than to scan all
    left = left[accepted[view.slots[left]]]
    if _MOST_LEFT * len(left) > len(view.rows):
        return None
    return left[_estimates(view, query, left) >= least - _error(view, query)]


def _heads_tell(view: VectorView, heads: HeadView, query: QuantizedQuery, asked: HeadQuery, k: int) -> bool:
    """False if the heads leave too many rows of a sample: the query is far from all that the project is about."""
    found = heads.sample_estimates(asked)
    wanted = max(1, k * len(found.dots) // len(view.rows))
    best = np.argpartition(found.dots, -wanted)[-wanted:]
    left = found.reaching(_least(view, query, heads.sample.positions[best], wanted))
    return _MOST_LEFT * len(left) <= len(found.dots)


def _near(view: VectorView, query: QuantizedQuery, positions: Positions, k: int) -> Positions:
    """Those of these positions that may be among the `k` nearest of them."""
    if len(positions) <= k:
        return positions
    cosines = _estimates(view, query, positions)
    best = positions[cosines >= kth_highest(cosines, k)]
    return positions[cosines >= _least(view, query, best, k) - _error(view, query)]


def _least(view: VectorView, query: QuantizedQuery, positions: Positions, k: int) -> float:
    """A cosine that the `k`-th nearest row has at least, as so many of these positions have it."""
    if len(positions) < k:
        return -np.inf
    dots = _by_chunks(view, positions, lambda rows: half_precision_dots(rows, query.vector))
    return float(kth_highest(dots, k)) - HALF_PRECISION * query.length


def _estimates(view: VectorView, query: QuantizedQuery, positions: Positions) -> NDArray[np.float32]:
    found = view.rows.take(positions, 0), view.scales[positions]
    return scan(*found, query) if len(positions) else np.empty(0, np.float32)


def _error(view: VectorView, query: QuantizedQuery) -> float:
    """Bound of the error of an estimate: by what quantization took off row and query."""
    return view.error * query.length + query.error * (_LONGEST + view.error) + _ROUNDING


def _by_chunks(
    view: VectorView, positions: Positions, score: Callable[[NDArray[np.float16]], NDArray[Any]]
) -> NDArray[Any]:
    """Scores of stored rows, a chunk at a time: a hundred thousand copies of one text are all near."""
    if len(positions) <= CHUNK_ROWS:
        return score(view.stored_rows(positions))
    starts = range(0, len(positions), CHUNK_ROWS)
    return np.concatenate([score(view.stored_rows(positions[at : at + CHUNK_ROWS])) for at in starts])
