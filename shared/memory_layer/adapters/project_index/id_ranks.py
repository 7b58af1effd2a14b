"""Ranks of ids in their order: ids are mostly made in it, so that an append is cheap and few are ever sorted."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.growing_array import GrowingArray

UNRANKED: Final = np.iinfo(np.int32).max
_FEWEST_RENEWED = 4_096
_RENEWED_SHARE = 16
"""Part of all ids that may stay without a rank before all are ranked anew."""

Ranks = NDArray[np.int32]


class IdRanks:
    """Rank of each slot's id among the ranked ones; UNRANKED where an id came that sorts before one already there.

    Views of earlier moments read it while slots are appended; it changes nothing that they have read.
    """

    def __init__(self) -> None:
        self._ranks: GrowingArray[np.int32] = GrowingArray(np.int32)
        self._next = 0
        self._last = b""
        self._unranked = 0
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        return self._ranks.nbytes

    @property
    def is_due(self) -> bool:
        """True when so many ids have no rank that it is quicker to rank all anew than to compare these."""
        return self._unranked > max(_FEWEST_RENEWED, len(self._ranks) // _RENEWED_SHARE)

    def of_first(self, slots: int) -> Ranks:
        """The ranks of the first so many slots."""
        return self._ranks.rows[:slots]

    def extend(self, ids: Sequence[bytes]) -> None:
        """Appends the ids of the next slots."""
        order = sorted(range(len(ids)), key=ids.__getitem__)
        with self._lock:
            behind = [row for row in order if ids[row] > self._last][: UNRANKED - self._next]
            ranks = np.full(len(ids), UNRANKED, np.int32)
            ranks[behind] = np.arange(self._next, self._next + len(behind))
            self._ranks.extend(ranks)
            self._unranked += len(ids) - len(behind)
            if behind:
                self._next, self._last = self._next + len(behind), ids[behind[-1]]

    def renew(self, order: NDArray[np.intp], last: bytes) -> None:
        """Ranks the first slots anew; those appended meanwhile wait for the next time.

        Args:
            order: these slots in the order of their ids.
            last: the id of the last of them.
        """
        with self._lock:
            ranks = np.full(len(self._ranks), UNRANKED, np.int32)
            ranks[order] = np.arange(len(order), dtype=np.int32)
            self._replace(ranks)
            self._next, self._last = len(order), last

    def kept(self, kept: NDArray[np.bool_]) -> IdRanks:
        """Ranks of these slots alone, for the views after a compaction."""
        ranks = IdRanks()
        ranks._next, ranks._last = self._next, self._last
        ranks._replace(self._ranks.rows[kept])
        return ranks

    def _replace(self, ranks: Ranks) -> None:
        """Replaces the array as a whole: a view reads the one or the other."""
        replaced: GrowingArray[np.int32] = GrowingArray(np.int32)
        replaced.extend(ranks)
        self._ranks, self._unranked = replaced, int(np.count_nonzero(ranks == UNRANKED))
