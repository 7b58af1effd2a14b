"""Records that reads ask for again and again, kept under the seals of their rows."""

import threading
from dataclasses import dataclass
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.record_rows import Accesses, seal_of, with_accesses
from memory_layer.domain.memory import Memory, Scope

RECORDS_MAX: Final = 2048
"""Most records kept, of some two kilobytes each; the one longest unused goes first."""

PROVEN_MAX: Final = 16_384
"""Most rows without a seal whose cells are known to hold their digest, some 150 bytes each."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """Record with the seal of the row that it was read from: no other cells have the same."""

    seal: bytes
    accesses: Accesses
    memory: Memory


class RecordsInUse:
    """Records of sealed rows. What is found here is what the row said when it was sealed, whatever its cells say now.

    Args:
        records_max: most records kept.
    """

    def __init__(self, records_max: int = RECORDS_MAX) -> None:
        self._max = records_max
        self._kept: dict[tuple[Scope, str], _Kept] = {}
        self._lock = threading.Lock()

    def find(self, scope: Scope, id: str, seal: bytes | None, accesses: Accesses) -> Memory | None:
        """Record whose row has this seal now. Args: seal: None of a row that is older than seals."""
        with self._lock:
            kept = self._kept.pop((scope, id), None)
            if kept is None or kept.seal != seal:
                return None
            if kept.accesses != accesses:
                kept = _Kept(kept.seal, accesses, with_accesses(kept.memory, accesses))
            self._kept[scope, id] = kept
        return kept.memory

    def keep(self, memory: Memory, seal: bytes | None, accesses: Accesses) -> None:
        """Keeps the record of a row that held its seal."""
        if seal is None:
            return
        with self._lock:
            self._kept.pop((memory.scope, memory.id), None)
            self._kept[memory.scope, memory.id] = _Kept(seal, accesses, memory)
            if len(self._kept) > self._max:
                del self._kept[next(iter(self._kept))]


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
