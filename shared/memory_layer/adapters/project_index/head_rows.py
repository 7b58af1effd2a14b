"""Heads of rows: their parts along a project's principal axes, with a bound on what the rest can add."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.process.freed_memory import give_back_freed_memory
from memory_layer.adapters.project_index.growing_array import GrowingArray
from memory_layer.adapters.project_index.int8_scan import (
    BLOCK_ROWS,
    CHUNK_ROWS,
    QuantizedQuery,
    quantized_query,
    row_errors,
    scan,
)
from memory_layer.adapters.project_index.mapped_rows import MappedArray, MappedView
from memory_layer.domain.arrays import true_rows
from memory_layer.domain.retrieval.exact_scores import quantized

_HEAD_SHARE = 4
"""A quarter of the dimensions: 96 of MiniLM's 384 hold .8 of the energy; 64 leave thrice the rows, 128 cost more."""
_SAMPLE_ROWS = 8_192
_TOLD_BY_ROWS = 2_048
_RESAMPLED_GROWTH = 1.25
_LONGEST = 1.01
"""A row of unit length is no longer than this after it was rounded to float16."""
_ROUNDING = 1e-5
"""More than float32 loses in a square of a unit vector's length."""

Floats = NDArray[np.float32]


def principal_axes(stored: MappedView, rows: int) -> Floats:
    """The axes with most of the length of a sample of these rows, longest first; shape (dimensions, axes)."""
    step = max(1, rows // _SAMPLE_ROWS)
    sample = stored.take(np.arange(0, rows, step)).astype(np.float32)
    axes = np.linalg.eigh(sample.T @ sample).eigenvectors[:, ::-1]
    return np.ascontiguousarray(axes[:, : max(1, len(axes) // _HEAD_SHARE)])


@dataclass(frozen=True, slots=True)
class HeadQuery:
    """Head of a query, the length of its tail, and a bound on what quantization takes off a head's dot product."""

    head: QuantizedQuery
    tail: float
    error: float


@dataclass(frozen=True, slots=True)
class HeadSample:
    """Some heads, copied so that they lie together, and their positions."""

    positions: NDArray[np.intp]
    rows: NDArray[np.int8]
    scales: Floats
    tails: Floats


@dataclass(frozen=True, slots=True)
class HeadView:
    """View of heads.

    Args:
        rows, scales: the heads in int8.
        tails: length of each row beside its head.
        error: the largest length that quantization took off a head.
        sample: some of the heads.
    """

    axes: Floats
    rows: NDArray[np.int8]
    scales: Floats
    tails: Floats
    error: float
    sample: HeadSample

    def sample_estimates(self, asked: HeadQuery) -> HeadEstimates:
        """Scans the heads of the sample."""
        sample = self.sample
        return HeadEstimates(asked, sample.tails, scan(sample.rows, sample.scales, asked.head))

    def asked(self, query: QuantizedQuery) -> HeadQuery:
        head = quantized_query(query.vector @ self.axes)
        tail = max(0.0, query.length**2 - head.length**2) + _ROUNDING
        error = self.error * head.length + head.error * (_LONGEST + self.error) + _ROUNDING
        return HeadQuery(head, tail**0.5, error)

    def estimates(self, asked: HeadQuery) -> HeadEstimates:
        """Scans the heads."""
        return HeadEstimates(asked, self.tails, scan(self.rows, self.scales, asked.head))


@dataclass(frozen=True, slots=True)
class HeadEstimates:
    """Dot products of a query with all heads; the whole rows' are within |tail| · |query's tail| + error of them."""

    asked: HeadQuery
    tails: Floats
    dots: Floats

    def reaching(self, bound: float) -> NDArray[np.intp]:
        """Positions of all rows whose dot product may be as high as this, ascending."""
        starts = range(0, len(self.dots), BLOCK_ROWS)
        return np.concatenate([start + self._reaching(bound - self.asked.error, start) for start in starts])

    def _reaching(self, bound: float, start: int) -> NDArray[np.intp]:
        block = slice(start, start + BLOCK_ROWS)
        highest = self.tails[block] * np.float32(self.asked.tail)
        highest += self.dots[block]
        return true_rows(highest >= bound)


class HeadRows:
    """Heads of a matrix's rows, along axes that were fitted when it had `fitted_rows`."""

    def __init__(self, axes: Floats, fitted_rows: int) -> None:
        self.fitted_rows = fitted_rows
        self._axes = axes
        self._rows = MappedArray(np.int8, axes.shape[1])
        self._scales: GrowingArray[np.float32] = GrowingArray(np.float32)
        self._tails: GrowingArray[np.float32] = GrowingArray(np.float32)
        self._error = 0.0
        self._sampled = 0
        self._draw_sample()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def view(self) -> HeadView:
        rows, scales, tails = self._rows.rows, self._scales.rows, self._tails.rows
        if len(rows) > _RESAMPLED_GROWTH * self._sampled:
            self._draw_sample()
        return HeadView(self._axes, rows, scales, tails, self._error, self._sample)

    @property
    def nbytes(self) -> int:
        return self._axes.nbytes + self._rows.nbytes + self._scales.nbytes + self._tails.nbytes

    def extend(self, vectors: Floats) -> None:
        heads = vectors @ self._axes
        rows, scales = quantized(heads)
        squares = np.einsum("ij,ij->i", vectors, vectors) - np.einsum("ij,ij->i", heads, heads)
        tails = np.sqrt(np.maximum(squares, 0) + np.float32(_ROUNDING))
        self._error = max(self._error, float(row_errors(heads, rows, scales).max(initial=0)))
        self._rows.extend(rows)
        self._scales.extend(scales)
        self._tails.extend(tails)

    def follow(self, stored: MappedView, rows: int) -> HeadRows:
        """Adds the heads of the stored rows from its last on."""
        for start in range(len(self), rows, CHUNK_ROWS):
            positions = np.arange(start, min(rows, start + CHUNK_ROWS))
            self.extend(stored.take(positions).astype(np.float32))
        return self

    def _draw_sample(self) -> None:
        places = np.arange(0, len(self), max(1, len(self) // _TOLD_BY_ROWS))
        rows, scales, tails = self._rows.rows[places], self._scales.rows[places], self._tails.rows[places]
        self._sample = HeadSample(places, rows, scales, tails)
        self._sampled = len(self)

    def reserve(self, rows: int) -> None:
        for column in (self._rows, self._scales, self._tails):
            column.reserve(rows)

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drops all rows but these; earlier views keep theirs."""
        for column in (self._rows, self._scales, self._tails):
            column.keep(kept)
        self._sampled = 0


def fitted_heads(stored: MappedView, rows: int) -> HeadRows:
    """Heads of the first rows, along axes fitted to them."""
    heads = HeadRows(principal_axes(stored, rows), rows)
    heads.reserve(rows)
    heads.follow(stored, rows)
    give_back_freed_memory()
    return heads
