"""Dot products of a query with int8 rows, on one core or two."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_layer.domain.retrieval.exact_scores import INT8_MAX

try:
    import simsimd
except ImportError:  # no wheel for this platform: numpy is slower, not different
    simsimd = None  # type: ignore[assignment]

CHUNK_ROWS = 2_048
"""Rows converted at once: so many fit the second-level cache."""
BLOCK_ROWS = 16_384
"""Rows of half a millisecond of scanning: no search waits longer for a helper that was held up."""

_helper = ThreadPoolExecutor(1, thread_name_prefix="scan")
"""Thread on a second core, for twice the speed. OpenMP's would wait for each other, and stall on a busy core."""


@dataclass(frozen=True, slots=True)
class QuantizedQuery:
    """A query, as it is and quantized as rows are.

    Args:
        error: length of what quantization has taken off it.
    """

    vector: NDArray[np.float32]
    row: NDArray[np.int8]
    scale: np.float32
    length: float
    error: float


def quantized_query(vector: NDArray[np.float32]) -> QuantizedQuery:
    scale = np.abs(vector).max() / np.float32(INT8_MAX) or np.float32(1)
    row = np.rint(vector / scale)
    off = vector - row * scale
    length, error = float(vector @ vector) ** 0.5, float(off @ off) ** 0.5
    return QuantizedQuery(vector, row.astype(np.int8), scale, length, error)


def scan(rows: NDArray[np.int8], scales: NDArray[np.float32], query: QuantizedQuery) -> NDArray[np.float32]:
    """Dot product of each row with a query; off by what quantization has taken off both."""
    if not len(rows):
        return np.empty(0, np.float32)
    if simsimd is None:
        return _numpy_scan(rows, scales, query.vector)
    dots = _dots(query.row, rows)
    dots *= scales
    dots *= query.scale
    return dots


def half_precision_dots(rows: NDArray[np.float16], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Dot product of each row with a query rounded to float16; off by `HALF_PRECISION` times its length."""
    if simsimd is None or not len(rows):
        return np.asarray(rows.astype(np.float32) @ query, np.float32)
    return np.asarray(simsimd.dot(query.astype(np.float16), rows, out_dtype="float32"))


HALF_PRECISION = 2.0**-10
"""Twice the rounding of float16: more than that of its smallest numbers, and of the sum."""


def row_errors(
    vectors: NDArray[np.float32], rows: NDArray[np.int8], scales: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Length of what quantization has taken off each row."""
    return np.asarray(np.linalg.norm(vectors - rows * scales[:, None], axis=1), np.float32)


def _dots(row: NDArray[np.int8], rows: NDArray[np.int8]) -> NDArray[np.float32]:
    """Dot products of one row with all the others; a helper thread takes blocks from the same heap, if it has time."""
    if len(rows) <= BLOCK_ROWS:
        return np.asarray(simsimd.dot(row, rows, out_dtype="float32"))
    dots = np.empty(len(rows), np.float32)
    heap = iter(range(0, len(rows), BLOCK_ROWS))

    def work() -> None:
        for start in heap:
            block = slice(start, start + BLOCK_ROWS)
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
    chunks = (rows[start : start + CHUNK_ROWS] for start in range(0, len(rows), CHUNK_ROWS))
    dots = np.concatenate([chunk.astype(np.float32) @ query for chunk in chunks])
    return dots * scales
