"""Lists of hashes, one for each slot of a project, end to end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.growing_array import GrowingArray


@dataclass(frozen=True, slots=True)
class HashListView:
    """View of the lists; that of a slot is at starts[slot] to starts[slot + 1]."""

    hashes: NDArray[np.uint32]
    starts: NDArray[np.int64]

    def of(self, slot: int) -> list[int]:
        """The hashes of one slot, ascending."""
        hashes: list[int] = self.hashes[self.starts[slot] : self.starts[slot + 1]].tolist()
        return hashes


class HashLists:
    """Column with a list of hashes for every slot."""

    def __init__(self) -> None:
        self._hashes: GrowingArray[np.uint32] = GrowingArray(np.uint32)
        self._starts: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._starts.extend(np.zeros(1, np.int64))

    @property
    def view(self) -> HashListView:
        return HashListView(self._hashes.rows, self._starts.rows)

    @property
    def nbytes(self) -> int:
        return self._hashes.nbytes + self._starts.nbytes

    def extend(self, hashes: NDArray[np.uint32], sizes: NDArray[np.int64]) -> None:
        """Appends the lists of the next slots. Args: hashes: end to end; sizes: of each list."""
        self._starts.extend(len(self._hashes) + np.cumsum(sizes))
        self._hashes.extend(hashes)

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drops all lists but these; earlier views keep theirs."""
        sizes = np.diff(self._starts.rows)
        self._hashes.keep(np.repeat(kept, sizes))
        self._starts = GrowingArray(np.int64)
        self._starts.extend(np.concatenate(([0], np.cumsum(sizes[kept]))))
