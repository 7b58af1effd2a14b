"""Batches of records for the RAM index, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.filter_columns import FilterRows
from memory_layer.adapters.project_index.postings import TermRows

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.facts import Facts

_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd: Knuth's multiplicative hash
_MENTIONS_SALT = 7 << 48


@dataclass(frozen=True, slots=True)
class VectorRows:
    """Vectors of those records that have one.

    Args:
        records: their positions in the batch, ascending; shape (v,).
        vectors: shape (v, dimensions), rows of unit length; four dimensions fill a word of fingerprints.
    """

    records: NDArray[np.intp]
    vectors: NDArray[np.float16]

    def take(self, rows: NDArray[np.intp]) -> VectorRows:
        """The vectors of some of the records (ascending), which are numbered anew."""
        kept = np.isin(self.records, rows)
        return VectorRows(np.searchsorted(rows, self.records[kept]), self.vectors[kept])


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordBatch:
    """Batch of m records as columns. A record without a context has no terms and no vector of one.

    Args:
        positions: in the project's log.
        mentions: the things that the records are tied to (domain.retrieval.mentions), as terms that each has once.
    """

    keys: NDArray[np.int64]
    positions: NDArray[np.int64]
    ids: Sequence[str]
    filters: FilterRows
    facts: Facts
    content_terms: TermRows
    context_terms: TermRows
    mentions: TermRows
    content_vectors: VectorRows
    context_vectors: VectorRows

    def take(self, rows: NDArray[np.intp]) -> RecordBatch:
        """Some of the records, by ascending position."""
        return RecordBatch(
            keys=self.keys[rows],
            positions=self.positions[rows],
            ids=[self.ids[row] for row in rows.tolist()],
            filters=self.filters.take(rows),
            facts=self.facts[rows],
            content_terms=self.content_terms.take(rows),
            context_terms=self.context_terms.take(rows),
            mentions=self.mentions.take(rows),
            content_vectors=self.content_vectors.take(rows),
            context_vectors=self.context_vectors.take(rows),
        )


def fingerprints(rows: RecordBatch) -> NDArray[np.uint64]:
    """One number per record that changes when any of its terms, ties or vectors does (but for one time in 2^64)."""
    total = np.zeros(len(rows.keys), np.uint64)
    for salt, terms in enumerate((rows.content_terms, rows.context_terms), start=1):
        words = (terms.hashes.astype(np.uint64) << np.uint64(8)) | terms.counts
        total += _sums(_mixed(words + np.uint64(salt << 48)), terms.sizes)
    total += _sums(
        _mixed(rows.mentions.hashes.astype(np.uint64) + np.uint64(_MENTIONS_SALT)), rows.mentions.sizes
    )
    for salt, vectors in enumerate((rows.content_vectors, rows.context_vectors), start=3):
        if len(vectors.records):
            total[vectors.records] += _vector_sums(vectors.vectors) * np.uint64(2 * salt + 1) + np.uint64(
                salt
            )
    return total


def _vector_sums(vectors: NDArray[np.float16]) -> NDArray[np.uint64]:
    words = np.ascontiguousarray(vectors).view(np.uint64)
    return words @ _mixed(np.arange(1, words.shape[1] + 1, dtype=np.uint64) | np.uint64(1))


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    words = words * _MIX
    words ^= words >> np.uint64(29)
    return words * _MIX


def _sums(words: NDArray[np.uint64], sizes: NDArray[Any]) -> NDArray[np.uint64]:
    """Sum of each run of so many words, wrapping around."""
    totals = np.concatenate((np.zeros(1, np.uint64), np.cumsum(words, dtype=np.uint64)))
    ends = np.cumsum(sizes)
    sums: NDArray[np.uint64] = totals[ends] - totals[ends - sizes]
    return sums
