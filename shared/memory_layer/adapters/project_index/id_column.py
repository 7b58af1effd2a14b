"""Packed ids of a project's slots: a Python string each would take twice the room."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.growing_array import GrowingArray
from memory_layer.adapters.project_index.id_ranks import UNRANKED, IdRanks
from memory_layer.domain.arrays import places_of

_WORD = 8


@dataclass(frozen=True, slots=True)
class IdView:
    """View of the ids as UTF-8 end to end; the id of a slot is at starts[slot] to starts[slot + 1].

    Args:
        is_backwards: the last id sorts first.
    """

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ranks: IdRanks
    is_backwards: bool = False

    @property
    def backwards(self) -> "IdView":
        """The same ids in the opposite order."""
        return replace(self, is_backwards=not self.is_backwards)

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

    def places(self, slots: NDArray[Any]) -> NDArray[np.integer[Any]]:
        """Numbers that sort as these slots' ids do."""
        ranks = self.ranks.of_first(len(self.starts) - 1)[slots]
        places = np.asarray(ranks) if (ranks != UNRANKED).all() else places_of(self.of(slots))
        return -places if self.is_backwards else places

    def first_slots(self, slots: NDArray[Any], k: int) -> NDArray[Any]:
        """The `k` of these slots whose ids sort first, in that order; a million may tie where few are asked for."""
        left = slots
        if len(slots) > k:
            left = np.concatenate(self._first_by_rank(slots, k))
        ids = self.of(left)
        in_order = sorted(range(len(left)), key=ids.__getitem__, reverse=self.is_backwards)
        return np.asarray(left[in_order[:k]])

    def are_first(self, slots: NDArray[Any], k: int) -> NDArray[np.bool_]:
        """Tests which of these slots, each once, have the `k` ids that sort first; fewer than `k` are all first."""
        if len(slots) <= k:
            return np.ones(len(slots), np.bool_)
        ranks = self.ranks.of_first(len(self.starts) - 1)[slots]
        if k and not self.is_backwards and (ranks != UNRANKED).all():
            return np.asarray(ranks <= np.partition(ranks, k - 1)[k - 1])
        return np.isin(slots, self.first_slots(slots, k))

    def are_behind(self, slots: NDArray[Any], id: str) -> NDArray[np.bool_]:
        """Tests which of these slots' ids sort behind an id, be it one of them or not."""
        if self.ranks.is_due:
            self._rank_anew()
        ranks = self.ranks.of_first(len(self.starts) - 1)
        among = ranks[slots]
        until = self._last_rank_until(id, ranks)
        behind: NDArray[np.bool_] = among <= until if self.is_backwards else among > until
        unranked = np.flatnonzero(among == UNRANKED)
        is_behind = id.__gt__ if self.is_backwards else id.__lt__
        behind[unranked] = list(map(is_behind, self.of(slots[unranked])))
        return behind

    def _last_rank_until(self, id: str, ranks: NDArray[np.int32]) -> int:
        """Rank of the last ranked id up to an id, backwards of the last before it; -1 where there is none."""
        ranked = np.flatnonzero(ranks != UNRANKED)
        in_order = np.full(int(ranks[ranked].max(initial=-1)) + 1, -1, np.intp)
        in_order[ranks[ranked]] = ranked
        in_order = in_order[in_order >= 0]
        bisect = bisect_left if self.is_backwards else bisect_right
        until = bisect(range(len(in_order)), id, key=lambda at: self.of(in_order[at : at + 1])[0])
        return int(ranks[in_order[until - 1]]) if until else -1

    def _first_by_rank(self, slots: NDArray[Any], k: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The first `k` of the slots with a rank, and some that may come first of those without."""
        if self.ranks.is_due:
            self._rank_anew()
        ranks = self.ranks.of_first(len(self.starts) - 1)[slots]
        has_none = ranks == UNRANKED
        places = np.where(has_none, UNRANKED, -ranks) if self.is_backwards else ranks
        last = np.partition(places, k - 1)[k - 1]
        return slots[(places <= last) & ~has_none], self._first_by_words(slots[has_none], k)

    def _first_by_words(self, slots: NDArray[Any], k: int) -> NDArray[Any]:
        """The slots with the first `k` ids and those that tie so far, by eight bytes of every id at a time."""
        chosen = slots[:0]
        for offset in range(0, self._longest(slots), _WORD):
            if len(chosen) + len(slots) <= k:
                break
            words = self._words(slots, offset)
            words = ~words if self.is_backwards else words
            last = np.partition(words, k - len(chosen) - 1)[k - len(chosen) - 1]
            chosen = np.concatenate((chosen, slots[words < last]))
            slots = slots[words == last]
        return np.concatenate((chosen, slots))

    def _rank_anew(self) -> None:
        slots = np.arange(len(self.starts) - 1)
        words = [self._words(slots, offset) for offset in range(0, self._longest(slots), _WORD)]
        order = np.lexsort((np.diff(self.starts), *reversed(words)))
        self.ranks.renew(order, self.of(order[-1:])[0].encode())

    def _longest(self, slots: NDArray[Any]) -> int:
        return int((self.starts[slots + 1] - self.starts[slots]).max(initial=0))

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
        self._ranks = IdRanks()

    @property
    def view(self) -> IdView:
        return IdView(self._text.rows, self._starts.rows, self._ranks)

    @property
    def nbytes(self) -> int:
        return self._text.nbytes + self._starts.nbytes + self._ranks.nbytes

    def extend(self, ids: Sequence[str]) -> None:
        encoded = [id.encode() for id in ids]
        sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))
        self._starts.extend(len(self._text) + np.cumsum(sizes))
        self._text.extend(np.frombuffer(b"".join(encoded), np.uint8))
        self._ranks.extend(encoded)

    def keep(self, kept: NDArray[np.bool_]) -> None:
        sizes = np.diff(self._starts.rows)
        self._text.keep(np.repeat(kept, sizes))
        self._starts = GrowingArray(np.int64)
        self._starts.extend(np.concatenate(([0], np.cumsum(sizes[kept]))))
        self._ranks = self._ranks.kept(kept)
