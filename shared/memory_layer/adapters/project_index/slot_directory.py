"""Directory of the slots of a project's records."""

import numpy as np
from numpy.typing import NDArray

ABSENT = -1
_FOLD_SHARE = 8
_FOLD_LEAST = 1_024


class SlotDirectory:
    """Live slot by record key: sorted arrays, 12 bytes a record, under a small dictionary of the newest."""

    def __init__(self) -> None:
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._slots: NDArray[np.int32] = np.empty(0, np.int32)
        self._recent: dict[int, int] = {}

    @property
    def nbytes(self) -> int:
        return self._keys.nbytes + self._slots.nbytes + 100 * len(self._recent)

    def find(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """The slot of each key, ABSENT where it has none."""
        at = np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))
        found = np.full(len(keys), ABSENT, np.int32)
        if len(self._keys):
            found = np.where(self._keys[at] == keys, self._slots[at], ABSENT).astype(np.int32)
        if self._recent:
            recent = self._recent
            for position, key in enumerate(keys.tolist()):
                found[position] = recent.get(key, found[position])
        return found

    def assign(self, keys: NDArray[np.int64], slots: NDArray[np.int32]) -> None:
        """Assigns these keys to these slots (ABSENT: to none)."""
        self._recent.update(zip(keys.tolist(), slots.tolist(), strict=True))
        if len(self._recent) > max(_FOLD_LEAST, len(self._keys) // _FOLD_SHARE):
            self._fold()

    def rebuild(self, keys: NDArray[np.int64]) -> None:
        """Rebuilds the directory: key i lives in slot i, and no other key anywhere."""
        order = np.argsort(keys, kind="stable")
        self._keys, self._slots, self._recent = keys[order], order.astype(np.int32), {}

    def _fold(self) -> None:
        recent = np.fromiter(self._recent.keys(), np.int64, len(self._recent))
        kept = ~np.isin(self._keys, recent)
        recent_slots = np.fromiter(self._recent.values(), np.int32, len(self._recent))
        keys = np.concatenate((self._keys[kept], recent))
        slots = np.concatenate((self._slots[kept], recent_slots))
        order = np.argsort(keys, kind="stable")
        order = order[slots[order] != ABSENT]
        self._keys, self._slots, self._recent = keys[order], slots[order], {}
