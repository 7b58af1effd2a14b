"""Column of the tags, or entities, of a project's slots: (slot, label) pairs, found by reading all pairs.

Three million pairs are read in a millisecond; an inverted list for every rare label would take more memory
than the labels themselves.
"""

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.coded_column import CodeDictionary, CodedValues
from memory_layer.adapters.project_index.growing_array import GrowingArray

_NO_LABEL = 0
"""Code of a pair that no longer holds: that of None, which no record carries."""


class LabelColumn:
    """Column of any number of labels for every slot; those of one slot are neighbours."""

    def __init__(self) -> None:
        self._dictionary = CodeDictionary()
        self._codes: GrowingArray[np.int32] = GrowingArray(np.int32)
        self._slots: GrowingArray[np.int32] = GrowingArray(np.int32)
        self._starts: GrowingArray[np.int32] = GrowingArray(np.int32)
        self._sizes: GrowingArray[np.uint8] = GrowingArray(np.uint8)
        self._dropped = 0

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in (self._codes, self._slots, self._starts, self._sizes))

    @property
    def is_mostly_dropped(self) -> bool:
        return 2 * self._dropped > len(self._codes)

    def extend(self, labels: CodedValues[Sequence[str]]) -> None:
        """Appends the labels of the next slots."""
        distinct_sizes = np.fromiter(map(len, labels.values), np.int64, len(labels.values))
        names = map(self._dictionary.__getitem__, chain.from_iterable(labels.values))
        distinct_codes = np.fromiter(names, np.int32, int(distinct_sizes.sum()))
        sizes = distinct_sizes[labels.rows]
        starts = np.cumsum(sizes) - sizes
        shifts = (np.cumsum(distinct_sizes) - distinct_sizes)[labels.rows] - starts
        slots = len(self._sizes) + np.arange(len(sizes))
        self._starts.extend(len(self._codes) + starts)
        self._sizes.extend(sizes)
        self._slots.extend(np.repeat(slots, sizes))
        self._codes.extend(distinct_codes[np.arange(sizes.sum()) + np.repeat(shifts, sizes)])

    def replace(self, slots: NDArray[np.int32], labels: CodedValues[Sequence[str]]) -> None:
        """Replaces the labels of these slots."""
        for slot, row in zip(slots.tolist(), labels.rows.tolist(), strict=True):
            codes = [self._dictionary[name] for name in labels.values[row]]
            if self._of(slot).tolist() != codes:
                self._drop(slot)
                self._starts.rows[slot], self._sizes.rows[slot] = len(self._codes), len(codes)
                self._codes.extend(np.array(codes, np.int32))
                self._slots.extend(np.full(len(codes), slot, np.int32))

    def clear(self, slots: NDArray[np.int32]) -> None:
        for slot in slots.tolist():
            self._drop(slot)

    def mask(self, wanted: Collection[str], slots: int) -> NDArray[np.bool_]:
        """Mask of the slots that carry at least one of the labels. Args: slots: the number of all."""
        known = [code for label in wanted if (code := self._dictionary.get(label)) is not None]
        mask = np.zeros(slots, np.bool_)
        mask[self._slots.rows[np.isin(self._codes.rows, known)]] = True
        return mask

    def labels(self, among: NDArray[np.bool_] | None = None) -> set[str]:
        """All labels that some slot carries. Args: among: mask of the slots asked; all of them."""
        names = list(self._dictionary)
        codes = self._codes.rows if among is None else self._codes.rows[among[self._slots.rows]]
        carried = np.flatnonzero(np.bincount(codes, minlength=1)).tolist()
        return {name for code in carried if (name := names[code]) is not None}

    def renumber(self, new_slots: NDArray[Any]) -> None:
        """Follows a compaction: the new slot of each old one, -1 where it is gone."""
        kept = (new_slots[self._slots.rows] >= 0) & (self._codes.rows != _NO_LABEL)
        self._codes.keep(kept)
        self._slots.keep(kept)
        self._slots.rows[:] = new_slots[self._slots.rows]
        self._sizes.keep(new_slots >= 0)
        self._starts.keep(new_slots >= 0)
        # Pairs are written back to front, so a slot keeps the place of its first pair.
        self._starts.rows[self._slots.rows[::-1]] = np.arange(len(self._slots))[::-1]
        self._dropped = 0

    def _of(self, slot: int) -> NDArray[np.int32]:
        start = int(self._starts.rows[slot])
        return self._codes.rows[start : start + int(self._sizes.rows[slot])]

    def _drop(self, slot: int) -> None:
        self._dropped += int(self._sizes.rows[slot])
        self._of(slot)[:] = _NO_LABEL
        self._sizes.rows[slot] = 0
