"""Segment of sorted postings, and the runs of it that a query's terms have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.domain.arrays import true_rows

_FEW_RUNS = 8
_LONG_RUN = 128
"""Mean length of runs from which on slices are quicker than one index of all postings."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Sorted postings, by ascending term, then slot; those of terms[i] are at starts[i] to starts[i + 1].

    Args:
        repeats: positions, ascending, of the postings whose term occurs more than once: one in thirteen.
        repeat_starts: of each term's repeats among these.
        repeat_slots, repeat_counts: of these; all others count 1.
    """

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    slots: NDArray[np.int32]
    repeats: NDArray[np.int32]
    repeat_starts: NDArray[np.int32]
    repeat_slots: NDArray[np.int32]
    repeat_counts: NDArray[np.uint8]

    @classmethod
    def of(
        cls,
        terms: NDArray[np.uint32],
        starts: NDArray[np.int64],
        slots: NDArray[np.int32],
        counts: NDArray[np.uint8],
    ) -> Segment:
        repeats = true_rows(counts > 1)
        repeat_starts = np.searchsorted(repeats, starts).astype(np.int32)
        places = repeats.astype(np.int32)
        return cls(terms, starts, slots, places, repeat_starts, slots[repeats], counts[repeats])

    @property
    def nbytes(self) -> int:
        repeats = self.repeats.nbytes + self.repeat_slots.nbytes + self.repeat_counts.nbytes
        starts = self.starts.nbytes + self.repeat_starts.nbytes
        return self.terms.nbytes + starts + self.slots.nbytes + repeats

    @property
    def counts(self) -> NDArray[np.uint8]:
        """Count of each posting."""
        counts = np.ones(len(self.slots), np.uint8)
        counts[self.repeats] = self.repeat_counts
        return counts

    @property
    def term_of_each(self) -> NDArray[np.uint32]:
        return np.repeat(self.terms, np.diff(self.starts))


@dataclass(slots=True, eq=False)
class Runs:
    """Postings of a query's terms, run by run: those of one term in one segment.

    Args:
        terms: which of the query's terms each run is of.
        sizes: of each run.
        slots: of all postings, end to end.
        repeat_sizes, repeat_slots, repeat_counts: of those whose term occurs more than once.
    """

    terms: NDArray[np.intp]
    sizes: NDArray[np.int64]
    slots: NDArray[np.int32]
    repeat_sizes: NDArray[np.int32]
    repeat_slots: NDArray[np.int32]
    repeat_counts: NDArray[np.uint8]

    def live_sizes(self, live: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Number of each run's postings that are of live texts."""
        if live is None:
            return self.sizes
        starts = np.cumsum(self.sizes) - self.sizes  # no run is empty
        return np.asarray(np.add.reduceat(live.take(self.slots), starts, dtype=np.int64), np.int64)


@dataclass(slots=True, eq=False)
class _Places:
    """Places of some terms' postings in a segment: the terms that it has, and the starts of their runs."""

    segment: Segment
    terms: NDArray[np.intp]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    repeat_starts: NDArray[np.int32]
    repeat_sizes: NDArray[np.int32]

    @classmethod
    def of(cls, segment: Segment, hashes: NDArray[np.uint32]) -> _Places:
        places = np.minimum(segment.terms.searchsorted(hashes), len(segment.terms) - 1)
        terms = true_rows(segment.terms.take(places) == hashes)
        at = places.take(terms)
        after = at + 1
        starts, repeats = segment.starts.take(at), segment.repeat_starts.take(at)
        sizes, repeat_sizes = segment.starts.take(after), segment.repeat_starts.take(after)
        sizes -= starts
        repeat_sizes -= repeats
        return cls(segment, terms, starts, sizes, repeats, repeat_sizes)

    def runs(self) -> Runs:
        """The postings of these terms."""
        segment = self.segment
        (slots,) = _end_to_end((segment.slots,), self.starts, self.sizes)
        repeats = (segment.repeat_slots, segment.repeat_counts)
        repeat_slots, repeat_counts = _end_to_end(repeats, self.repeat_starts, self.repeat_sizes)
        return Runs(self.terms, self.sizes, slots, self.repeat_sizes, repeat_slots, repeat_counts)


def runs_of(segments: Sequence[Segment], hashes: NDArray[np.uint32]) -> Runs | None:
    """The postings of these terms; None: there are none."""
    found = [_Places.of(segment, hashes) for segment in segments if len(segment.terms)]
    runs = [places.runs() for places in found if len(places.terms)]
    if len(runs) <= 1:
        return runs[0] if runs else None
    return Runs(
        np.concatenate([one.terms for one in runs]),
        np.concatenate([one.sizes for one in runs]),
        np.concatenate([one.slots for one in runs]),
        np.concatenate([one.repeat_sizes for one in runs]),
        np.concatenate([one.repeat_slots for one in runs]),
        np.concatenate([one.repeat_counts for one in runs]),
    )


def _end_to_end(
    arrays: Sequence[NDArray[Any]],
    starts: NDArray[np.signedinteger[Any]],
    sizes: NDArray[np.signedinteger[Any]],
) -> list[NDArray[Any]]:
    """Runs of each array, end to end; many short ones by one index, as each slice costs as much as 64 elements."""
    if len(sizes) <= _FEW_RUNS or sizes.sum() > _LONG_RUN * len(sizes):
        spans = list(map(slice, starts.tolist(), (starts + sizes).tolist()))
        if len(spans) == 1:
            return [array[spans[0]] for array in arrays]
        return [np.concatenate([array[span] for span in spans]) for array in arrays]
    ends = np.cumsum(sizes)
    at = np.repeat(starts - ends + sizes, sizes)
    at += np.arange(len(at))
    return [array.take(at) for array in arrays]
