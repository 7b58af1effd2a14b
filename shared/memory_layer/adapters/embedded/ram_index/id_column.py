"""Packed ids of a project's slots: a Python string each would take twice the room."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.growing_array import GrowingArray

_WORD = 8


@dataclass(frozen=True, slots=True)
class IdView:
    """View of the ids as UTF-8 end to end; the id of a slot is at starts[slot] to starts[slot + 1]."""

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]

    def of(self, slots: NDArray[Any]) -> list[str]:
        """The ids of some slots, in their order."""
        text = memoryview(self.text)  # type: ignore[arg-type]
        ends = self.starts[slots + 1].tolist()
        return [
            str(text[start:end], "utf-8")
            for start, end in zip(self.starts[slots].tolist(), ends, strict=True)
        ]

    def first(self, slots: NDArray[Any], k: int) -> list[str]:
        """The `k` of these slots' ids that sort first, in that order."""
        return self.of(self.first_slots(slots, k))

    def first_slots(self, slots: NDArray[Any], k: int) -> NDArray[Any]:
        """The `k` of these slots whose ids sort first, in that order.

        Eight bytes of every id at a time, because a million may tie where few are asked for.
        """
        chosen = slots[:0]
        sizes = self.starts[slots + 1] - self.starts[slots]
        for offset in range(0, int(sizes.max(initial=0)), _WORD):
            if len(chosen) + len(slots) <= k:
                break
            words = self._words(slots, offset)
            last = np.partition(words, k - len(chosen) - 1)[k - len(chosen) - 1]
            chosen = np.concatenate((chosen, slots[words < last]))
            slots = slots[words == last]
        left = np.concatenate((chosen, slots))
        ids = self.of(left)
        return np.asarray(left[sorted(range(len(left)), key=ids.__getitem__)[:k]])

    def _words(self, slots: NDArray[Any], offset: int) -> NDArray[np.uint64]:
        """Eight bytes of each id from an offset on, as a number that sorts as they do; zeros past the end."""
        at = self.starts[slots][:, None] + np.arange(offset, offset + _WORD)
        is_inside = at < self.starts[slots + 1][:, None]
        letters = np.where(is_inside, self.text[np.minimum(at, len(self.text) - 1)], 0).astype(np.uint8)
        words: NDArray[np.uint64] = letters.view(">u8")[:, 0]
        return words


class IdColumn:
    """Column with the id of every slot."""

    def __init__(self) -> None:
        self._text: GrowingArray[np.uint8] = GrowingArray(np.uint8)
        self._starts: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._starts.extend(np.zeros(1, np.int64))

    @property
    def view(self) -> IdView:
        return IdView(self._text.rows, self._starts.rows)

    @property
    def nbytes(self) -> int:
        return self._text.nbytes + self._starts.nbytes

    def extend(self, ids: Sequence[str]) -> None:
        encoded = [id.encode() for id in ids]
        sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))
        self._starts.extend(len(self._text) + np.cumsum(sizes))
        self._text.extend(np.frombuffer(b"".join(encoded), np.uint8))

    def keep(self, kept: NDArray[np.bool_]) -> None:
        sizes = np.diff(self._starts.rows)
        self._text.keep(np.repeat(kept, sizes))
        self._starts = GrowingArray(np.int64)
        self._starts.extend(np.concatenate(([0], np.cumsum(sizes[kept]))))
