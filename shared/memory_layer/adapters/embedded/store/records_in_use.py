"""Records that reads ask for again and again, kept under the seals of their rows."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.record_rows import Accesses, seal_of, with_accesses
from memory_layer.domain.memory import Memory, Scope

RECORDS_MAX: Final = 2048
"""Most records kept, of some two kilobytes each; the one longest unused goes first."""

PROVEN_MAX: Final = 16_384
"""Most rows without a seal whose cells are known to hold their digest, some 150 bytes each."""


Cells = tuple[Any, ...]
"""Cells of a row, as SQLite gives them."""


@dataclass(slots=True, eq=False)
class _Kept:
    """Record with the seal of the row that it was read from: no other cells have the same.

    Args:
        counted: cells that its accesses were read from.
    """

    seal: bytes
    counted: Cells
    memory: Memory


class RecordsInUse:
    """Records of sealed rows. What is found here is what the row said when it was sealed, whatever its cells say now.

    Args:
        accesses_of: reads the accesses off their cells; asked only of cells that have changed.
        records_max: most records kept.
    """

    def __init__(self, accesses_of: Callable[[Cells], Accesses], records_max: int = RECORDS_MAX) -> None:
        self._accesses_of = accesses_of
        self._max = records_max
        self._kept: OrderedDict[tuple[Scope, str], _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def has(self, scope: Scope, id: str) -> bool:
        return (scope, id) in self._kept

    def find(self, scope: Scope, id: str, seal: bytes | None, counted: Cells) -> Memory | None:
        """Record whose row has this seal now.

        Args:
            seal: None of a row that is older than seals.
            counted: cells of its accesses.
        """
        with self._lock:
            kept = self._kept.pop((scope, id), None)
            if kept is None or kept.seal != seal:
                return None
            if kept.counted != counted:
                kept.memory = with_accesses(kept.memory, self._accesses_of(counted))
                kept.counted = counted
            self._kept[scope, id] = kept
            return kept.memory

    def keep(self, memory: Memory, seal: bytes | None, counted: Cells) -> None:
        """Keeps the record of a row that held its seal. Args: counted: cells of its accesses."""
        if seal is None:
            return
        place = memory.scope, memory.id
        with self._lock:
            self._kept[place] = _Kept(seal, counted, memory)
            self._kept.move_to_end(place)
            if len(self._kept) > self._max:
                self._kept.popitem(last=False)


class ProvenCells:
    """Cells of rows without a seal that held their digest when last read: their seal is 20 times faster.

    Args:
        most: rows at a time; then all are forgotten.
    """

    def __init__(self, most: int = PROVEN_MAX) -> None:
        self._most = most
        self._seals: set[bytes] = set()

    def has(self, cells: tuple[Any, ...]) -> bool:
        return seal_of(cells) in self._seals

    def add(self, cells: tuple[Any, ...]) -> None:
        if len(self._seals) >= self._most:
            self._seals.clear()
        self._seals.add(seal_of(cells))
