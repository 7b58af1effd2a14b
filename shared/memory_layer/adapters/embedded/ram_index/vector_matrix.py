"""Nearest vectors of a project by an exhaustive scan over int8 rows; the caller compares the best again exactly."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.growing_array import GrowingArray
from memory_layer.adapters.embedded.ram_index.mapped_rows import MappedRows, MappedView
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
    """View of rows, their scales and their slots: shapes (n, dimensions), (n,), (n,); slots ascend."""

    rows: NDArray[np.int8]
    scales: NDArray[np.float32]
    slots: NDArray[np.int32]
    stored: MappedView

    def stored_rows(self, positions: NDArray[Any]) -> NDArray[np.float16]:
        """The vectors at these positions as they were stored; shape (m, dimensions)."""
        return self.stored.take(positions)


class VectorMatrix:
    """Matrix of one vector for some of a project's slots: int8 rows to scan, and the stored ones to compare exactly.

    Args:
        folder: where the stored rows lie in an unlinked file; None: tempfile's.
    """

    def __init__(self, dimensions: int, folder: Path | None = None) -> None:
        self._rows: GrowingArray[np.int8] = GrowingArray(np.int8, (dimensions,))
        self._scales: GrowingArray[np.float32] = GrowingArray(np.float32)
        self._slots: GrowingArray[np.int32] = GrowingArray(np.int32)
        self._stored = MappedRows(dimensions, folder)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def view(self) -> VectorView:
        return VectorView(self._rows.rows, self._scales.rows, self._slots.rows, self._stored.view)

    @property
    def nbytes(self) -> int:
        """Bytes of private memory; the stored rows are mapped."""
        return self._rows.nbytes + self._scales.nbytes + self._slots.nbytes + self._stored.nbytes

    def reserve(self, rows: int) -> None:
        for column in (self._rows, self._scales, self._slots, self._stored):
            column.reserve(rows)

    def extend(self, slots: NDArray[Any], vectors: NDArray[np.float16]) -> None:
        """Appends one unit vector per slot; shapes (m,), (m, dimensions)."""
        self._slots.extend(slots)
        self._stored.extend(vectors)
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
        self._stored.keep(kept)
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
    rows, scales, slots = view.rows, view.scales, view.slots
    if _FEW_ACCEPTED * np.count_nonzero(accepted) < len(rows):
        few = np.flatnonzero(accepted[slots])
        rows, scales, slots = rows[few], scales[few], slots[few]
    if not len(rows):
        return np.empty(0, np.int32), np.empty(0, np.float32)
    cosines = _scan(rows, scales, query)
    positions = best_positions(cosines, accepted, k, slots=slots)
    return slots[positions], cosines[positions]


def _scan(
    rows: NDArray[np.int8], scales: NDArray[np.float32], query: NDArray[np.float32]
) -> NDArray[np.float32]:
    if simsimd is None:
        return _numpy_scan(rows, scales, query)
    row, scale = quantized(query.astype(np.float32)[None])
    dots = _dots(row[0], rows)
    dots *= scales
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


def _numpy_scan(
    rows: NDArray[np.int8], scales: NDArray[np.float32], query: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Scans a chunk at a time, because numpy multiplies int8 matrices without BLAS."""
    chunks = (rows[start : start + _CHUNK_ROWS] for start in range(0, len(rows), _CHUNK_ROWS))
    dots = np.concatenate([chunk.astype(np.float32) @ query for chunk in chunks])
    return dots * scales
