"""Nearest vectors of a project by an exhaustive scan over int8 rows; the caller compares the best again exactly."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.growing_array import GrowingArray
from memory_layer.adapters.embedded.ram_index.top_k import best_positions
from memory_layer.domain.retrieval.exact_scores import quantized

try:
    import simsimd
except ImportError:  # no wheel for this platform: numpy is slower, not different
    simsimd = None  # type: ignore[assignment]

_CHUNK_ROWS = 2_048
"""Rows converted at once: so many fit the second-level cache."""
_FEW_ACCEPTED = 16
"""Ratio of all rows to accepted ones, beyond which it is quicker to pick these out first."""
_BLOCK_ROWS = 16_384
"""Rows of half a millisecond of scanning: no search waits longer for a helper that was held up."""

_helper = ThreadPoolExecutor(1, thread_name_prefix="scan")
"""Thread on a second core, for twice the speed. OpenMP's would wait for each other, and stall on a busy core."""


@dataclass(frozen=True, slots=True)
class VectorView:
    """View of rows, their scales and their slots: shapes (n, dimensions), (n,), (n,)."""

    rows: NDArray[np.int8]
    scales: NDArray[np.float32]
    slots: NDArray[np.int32]


class VectorMatrix:
    """Matrix of one vector for some of a project's slots."""

    def __init__(self, dimensions: int) -> None:
        self._rows: GrowingArray[np.int8] = GrowingArray(np.int8, (dimensions,))
        self._scales: GrowingArray[np.float32] = GrowingArray(np.float32)
        self._slots: GrowingArray[np.int32] = GrowingArray(np.int32)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def view(self) -> VectorView:
        return VectorView(self._rows.rows, self._scales.rows, self._slots.rows)

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes + self._scales.nbytes + self._slots.nbytes

    def reserve(self, rows: int) -> None:
        for column in (self._rows, self._scales, self._slots):
            column.reserve(rows)

    def extend(self, slots: NDArray[Any], vectors: NDArray[np.float16]) -> None:
        """Appends one unit vector per slot; shapes (m,), (m, dimensions)."""
        self._slots.extend(slots)
        for start in range(0, len(vectors), _CHUNK_ROWS):
            rows, scales = quantized(vectors[start : start + _CHUNK_ROWS].astype(np.float32))
            self._rows.extend(rows)
            self._scales.extend(scales)

    def renumber(self, new_slots: NDArray[np.int32]) -> None:
        """Follows a compaction: the new slot of each old one, -1 where it is gone."""
        moved = new_slots[self._slots.rows]
        kept = moved >= 0
        self._rows.keep(kept)
        self._scales.keep(kept)
        self._slots.keep(kept)
        self._slots.rows[:] = moved[kept]


def nearest(
    view: VectorView, query: NDArray[np.float32], accepted: NDArray[np.bool_], k: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The `k` rows nearest to a unit vector by estimate, and those that tie with the last; in no order.

    Args:
        query: shape (dimensions,).
        accepted: mask of the slots that count.

    Returns:
        Slots, and cosines, off by .003 at most among 100,000 rows of MiniLM's length.
    """
    if _FEW_ACCEPTED * np.count_nonzero(accepted) < len(view.rows):
        view = _only(view, np.flatnonzero(accepted[view.slots]))
    if not len(view.rows):
        return np.empty(0, np.int32), np.empty(0, np.float32)
    cosines = _scan(view, query)
    positions = best_positions(cosines, accepted, k, slots=view.slots)
    return view.slots[positions], cosines[positions]


def _only(view: VectorView, rows: NDArray[np.intp]) -> VectorView:
    return VectorView(view.rows[rows], view.scales[rows], view.slots[rows])


def _scan(view: VectorView, query: NDArray[np.float32]) -> NDArray[np.float32]:
    if simsimd is None:
        return _numpy_scan(view, query)
    row, scale = quantized(query.astype(np.float32)[None])
    dots = _dots(row[0], view.rows)
    dots *= view.scales
    dots *= scale
    return dots


def _dots(row: NDArray[np.int8], rows: NDArray[np.int8]) -> NDArray[np.float32]:
    """Dot products of one row with all the others; a helper thread takes blocks from the same heap, if it has time."""
    if len(rows) <= _BLOCK_ROWS:
        return np.asarray(simsimd.dot(row, rows, out_dtype="float32"))
    dots = np.empty(len(rows), np.float32)
    heap = iter(range(0, len(rows), _BLOCK_ROWS))

    def work() -> None:
        for start in heap:
            block = slice(start, start + _BLOCK_ROWS)
            dots[block] = np.asarray(simsimd.dot(row, rows[block], out_dtype="float32"))

    helper = _helper.submit(work)
    work()
    if not helper.cancel():
        helper.result()
    return dots


def _numpy_scan(view: VectorView, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scans a chunk at a time, because numpy multiplies int8 matrices without BLAS."""
    chunks = (view.rows[start : start + _CHUNK_ROWS] for start in range(0, len(view.rows), _CHUNK_ROWS))
    dots = np.concatenate([chunk.astype(np.float32) @ query for chunk in chunks])
    return dots * view.scales
