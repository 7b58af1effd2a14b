"""BM25 over append-only postings in numpy: one large sorted segment, with a few small ones behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.growing_array import GrowingArray
from memory_layer.domain.retrieval.exact_scores import inverse_frequencies, saturation

_Number = TypeVar("_Number", bound=np.generic)

_MERGE_RATIO = 4
"""Ratio of sizes: a segment stays as it is while it is so many times larger than all behind it."""
_SLOT_BITS = 32
_MOST_UNSORTED = 1_000_000
"""Postings that may wait for the next search to sort them; about what a processor's cache holds."""


@dataclass(frozen=True, slots=True)
class TermRows:
    """The terms of some texts end to end: hashes, their counts, and how many of them each text has."""

    hashes: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    sizes: NDArray[np.int64]

    def take(self, rows: NDArray[np.intp]) -> TermRows:
        """The terms of some of the texts, by ascending position."""
        is_taken = np.zeros(len(self.sizes), np.bool_)
        is_taken[rows] = True
        kept = np.repeat(is_taken, self.sizes)
        return TermRows(self.hashes[kept], self.counts[kept], self.sizes[rows])


@dataclass(frozen=True, slots=True)
class Segment:
    """Sorted postings, by ascending term, then slot; those of terms[i] are at starts[i] to starts[i + 1]."""

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    slots: NDArray[np.int32]
    counts: NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        return self.terms.nbytes + self.starts.nbytes + self.slots.nbytes + self.counts.nbytes

    @property
    def term_of_each(self) -> NDArray[np.uint32]:
        return np.repeat(self.terms, np.diff(self.starts))


@dataclass(frozen=True, slots=True)
class PostingsView:
    """View of one text field for BM25.

    Args:
        lengths: terms in the text of each slot, repeats counted; shape (slots,).
        live: which slots are not yet replaced or removed; None: all.
        texts: live texts with at least one term.
        total_length: sum of their lengths.
    """

    segments: tuple[Segment, ...]
    lengths: NDArray[np.uint16]
    live: NDArray[np.bool_] | None
    texts: int
    total_length: int


class Postings:
    """Postings of one text field of a project."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []
        self._new_hashes: GrowingArray[np.uint32] = GrowingArray(np.uint32)
        self._new_slots: GrowingArray[np.int32] = GrowingArray(np.int32)
        self._new_counts: GrowingArray[np.uint8] = GrowingArray(np.uint8)
        self._lengths: GrowingArray[np.uint16] = GrowingArray(np.uint16)
        self._texts = 0
        self._total_length = 0

    @property
    def nbytes(self) -> int:
        new = self._new_hashes.nbytes + self._new_slots.nbytes + self._new_counts.nbytes
        return self._lengths.nbytes + new + sum(segment.nbytes for segment in self._segments)

    def view(self, live: NDArray[np.bool_] | None) -> PostingsView:
        """View of the texts appended until now, to be searched while more are appended."""
        self._sort_new()
        self._merge_small()
        return PostingsView(tuple(self._segments), self._lengths.rows, live, self._texts, self._total_length)

    def reserve(self, texts: int) -> None:
        self._lengths.reserve(texts)

    def extend(self, rows: TermRows) -> None:
        """Appends the texts of the next slots, one each."""
        first = len(self._lengths)
        slots = np.repeat(np.arange(first, first + len(rows.sizes), dtype=np.int32), rows.sizes)
        self._new_hashes.extend(rows.hashes)
        self._new_slots.extend(slots)
        self._new_counts.extend(rows.counts)
        if len(self._new_hashes) > _MOST_UNSORTED:
            self._sort_new()
        ends = np.cumsum(rows.sizes)
        total = np.concatenate(([0], np.cumsum(rows.counts, dtype=np.int64)))
        lengths = total[ends] - total[ends - rows.sizes]
        self._lengths.extend(np.minimum(lengths, np.iinfo(np.uint16).max))
        self._count(self._lengths.rows[first:], 1)

    def remove(self, slots: NDArray[Any]) -> None:
        """Takes these texts out of the counts; the caller's live mask hides them."""
        self._count(self._lengths.rows[slots], -1)

    def renumber(self, new_slots: NDArray[np.int32]) -> None:
        """Follows a compaction: the new slot of each old one, ascending, -1 where it is gone."""
        self._sort_new()
        moved = [(segment, new_slots[segment.slots]) for segment in self._segments]
        self._segments = [
            _sorted(segment.term_of_each[slots >= 0], slots[slots >= 0], segment.counts[slots >= 0])
            for segment, slots in moved
            if (slots >= 0).any()
        ]
        self._lengths.keep(new_slots >= 0)

    def _count(self, lengths: NDArray[np.uint16], sign: int) -> None:
        self._texts += sign * int(np.count_nonzero(lengths))
        self._total_length += sign * int(lengths.sum(dtype=np.int64))

    def _sort_new(self) -> None:
        if len(self._new_hashes):
            new = _sorted(self._new_hashes.rows, self._new_slots.rows, self._new_counts.rows)
            self._segments.append(new)
            self._new_hashes.clear()
            self._new_slots.clear()
            self._new_counts.clear()

    def _merge_small(self) -> None:
        """Merges the first segment that is not much larger than all behind it with these."""
        behind = sum(len(segment.slots) for segment in self._segments)
        for first, segment in enumerate(self._segments[:-1]):
            behind -= len(segment.slots)
            if len(segment.slots) <= _MERGE_RATIO * behind:
                self._segments[first:] = [_merged(self._segments[first:])]
                return


def _sorted(hashes: NDArray[np.uint32], slots: NDArray[np.int32], counts: NDArray[np.uint8]) -> Segment:
    order = _stable_order(hashes)
    hashes = hashes[order]
    is_first = _is_first(hashes)
    starts = np.append(np.flatnonzero(is_first), len(hashes))
    return Segment(hashes[is_first], starts, slots[order], counts[order])


def _stable_order(hashes: NDArray[np.uint32]) -> NDArray[np.intp]:
    """As a stable argsort, in a third of the time: numpy sorts whole numbers of 64 bits with wide registers."""
    numbered = hashes.astype(np.uint64) << np.uint64(32) | np.arange(len(hashes), dtype=np.uint64)
    numbered.sort()
    return (numbered & np.uint64(2**32 - 1)).astype(np.intp)


def _is_first(ascending: NDArray[Any]) -> NDArray[np.bool_]:
    return np.concatenate(([True], ascending[1:] != ascending[:-1]))[: len(ascending)]


def distinct(values: NDArray[_Number]) -> NDArray[_Number]:
    """Distinct values, ascending, as numpy.unique; that would load numpy.ma, for which a first recall would wait."""
    ascending = np.sort(values)
    return ascending[_is_first(ascending)]


def _merged(segments: Sequence[Segment]) -> Segment:
    """Merges segments in linear time: every posting is copied to its place among its term's, older slots first."""
    terms = distinct(np.concatenate([segment.terms for segment in segments]))
    places = [np.searchsorted(terms, segment.terms) for segment in segments]
    sizes = np.zeros(len(terms), np.int64)
    for segment, place in zip(segments, places, strict=True):
        sizes[place] += np.diff(segment.starts)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    slots, counts, free = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.uint8), starts[:-1].copy()
    for segment, place in zip(segments, places, strict=True):
        segment_sizes = np.diff(segment.starts)
        targets = np.repeat(free[place] - segment.starts[:-1], segment_sizes)
        targets += np.arange(len(targets))
        slots[targets], counts[targets] = segment.slots, segment.counts
        free[place] += segment_sizes
    return Segment(terms, starts, slots, counts)


def bm25(view: PostingsView, query: Mapping[int, int]) -> NDArray[np.float64]:
    """Lucene's BM25 of every slot; 0 where no term of the query occurs.

    Args:
        query: count of each term in the query, by term hash.

    Returns:
        Shape (slots,).

    Source: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework"; as in Lucene since 8,
    idf × tf / (tf + k1 × (1 - b + b × length / average length)), idf = ln(1 + (N - n + .5) / (n + .5)).
    """
    hashes = np.fromiter(query.keys(), np.uint32, len(query))
    matches = [_matches(segment, hashes) for segment in view.segments if query and len(segment.terms)]
    if not matches or not view.texts:
        return np.zeros(len(view.lengths))
    slots, counts, sizes = map(np.concatenate, zip(*matches, strict=True))
    n = _live_sizes(view.live, slots, sizes).reshape(-1, len(query)).sum(axis=0)
    idf = inverse_frequencies(view.texts, n)
    weights = np.tile(idf * np.fromiter(query.values(), np.float64, len(query)), len(matches))
    saturated = saturation(counts, view.lengths.take(slots), view.texts, view.total_length)
    scores = np.bincount(slots, np.repeat(weights, sizes) * saturated, len(view.lengths))
    return np.asarray(scores, np.float64)


def holders(view: PostingsView, hashes: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Numbers of terms with the slots that hold them, by term, then slot; those of removed texts among them."""
    wanted = np.array(hashes, np.uint32)
    found = [_matches(segment, wanted) for segment in view.segments if len(wanted) and len(segment.terms)]
    terms = np.arange(len(wanted), dtype=np.int64)
    of_terms = [np.repeat(terms, sizes) << _SLOT_BITS | slots for slots, _, sizes in found]
    postings = distinct(np.concatenate([np.zeros(0, np.int64), *of_terms]))
    return postings >> _SLOT_BITS, (postings & ((1 << _SLOT_BITS) - 1)).astype(np.int32)


def holder_counts(view: PostingsView, hashes: Sequence[int]) -> NDArray[np.int64]:
    """Count of live texts that hold each of these terms; shape (len(hashes),)."""
    wanted, counts = np.array(hashes, np.uint32), np.zeros(len(hashes), np.int64)
    for segment in view.segments if hashes else ():
        if not len(segment.terms):
            continue
        if view.live is None:
            counts += _runs(segment, wanted)[1]
        else:
            slots, _, sizes = _matches(segment, wanted)
            counts += _live_sizes(view.live, slots, sizes)
    return counts


def _matches(
    segment: Segment, hashes: NDArray[np.uint32]
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64]]:
    """Slots and counts of each term's postings end to end, and the number of postings of each term."""
    starts, sizes = _runs(segment, hashes)
    spans = [slice(start, start + size) for start, size in zip(starts.tolist(), sizes.tolist(), strict=True)]
    slots = np.concatenate([segment.slots[span] for span in spans])
    return slots, np.concatenate([segment.counts[span] for span in spans]), sizes


def _runs(segment: Segment, hashes: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Start and number of each term's postings."""
    at = np.minimum(np.searchsorted(segment.terms, hashes), len(segment.terms) - 1)
    starts = segment.starts[at]
    return starts, np.where(segment.terms[at] == hashes, segment.starts[at + 1] - starts, 0)


def _live_sizes(
    live: NDArray[np.bool_] | None, slots: NDArray[np.int32], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Number of postings of live texts in each run of postings."""
    if live is None:
        return sizes
    total = np.concatenate(([0], np.cumsum(live.take(slots))))
    ends = np.cumsum(sizes)
    live_sizes: NDArray[np.int64] = total[ends] - total[ends - sizes]
    return live_sizes
