"""Append-only postings in numpy: one large sorted segment, with a few small ones behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.growing_array import GrowingArray
from memory_layer.adapters.project_index.segment import Segment, runs_of
from memory_layer.domain.retrieval.exact_scores import said_once

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


@dataclass(slots=True, eq=False)
class PostingsView:
    """View of one text field for BM25.

    Args:
        once: what a term counts that the text of a slot says once (exact_scores.said_once); shape (slots,).
        live: which slots are not yet replaced or removed; None: all.
        texts: live texts with at least one term.
        total_length: sum of their lengths.
    """

    segments: tuple[Segment, ...]
    once: NDArray[np.float32]
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
        self._once: NDArray[np.float32] = np.empty(0, np.float32)
        self._once_state: tuple[int, int, int] | None = None

    @property
    def nbytes(self) -> int:
        new = self._new_hashes.nbytes + self._new_slots.nbytes + self._new_counts.nbytes
        return (
            self._lengths.nbytes + self._once.nbytes + new + sum(segment.nbytes for segment in self._segments)
        )

    def view(self, live: NDArray[np.bool_] | None) -> PostingsView:
        """View of the texts appended until now, to be searched while more are appended."""
        self._sort_new()
        self._merge_small()
        return PostingsView(tuple(self._segments), self._said_once(), live, self._texts, self._total_length)

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
        self._once_state = None

    def _said_once(self) -> NDArray[np.float32]:
        """Computes it anew when texts have come or gone: it depends on the average length."""
        state = len(self._lengths), self._texts, self._total_length
        if state != self._once_state:
            self._once = said_once(self._lengths.rows, self._texts, self._total_length)
            self._once_state = state
        return self._once

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
    return Segment.of(hashes[is_first], starts, slots[order], counts[order])


def _stable_order(hashes: NDArray[np.uint32]) -> NDArray[np.intp]:
    """As a stable argsort, in a third of the time: numpy sorts numbers of 16 bits, here the halves, by radix."""
    order = np.argsort(hashes.astype(np.uint16), kind="stable")
    return order[np.argsort((hashes >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]


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
    return Segment.of(terms, starts, slots, counts)


def holders(view: PostingsView, hashes: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Numbers of terms with the slots that hold them, by term, then slot; those of removed texts among them.

    Args:
        view: of texts that have each term once.
    """
    runs = runs_of(view.segments, np.array(hashes, np.uint32))
    if runs is None:
        return np.empty(0, np.int64), np.empty(0, np.int32)
    if len(view.segments) == 1:  # they lie in this order
        return np.repeat(runs.terms, runs.sizes), runs.slots
    postings = distinct(np.repeat(runs.terms, runs.sizes) << _SLOT_BITS | runs.slots)
    return postings >> _SLOT_BITS, (postings & ((1 << _SLOT_BITS) - 1)).astype(np.int32)
