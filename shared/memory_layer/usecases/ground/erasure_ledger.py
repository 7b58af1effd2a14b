"""What was erased, kept apart from the records: so that no snapshot brings it back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory_layer.domain.fields import instant
from memory_layer.domain.integrity.erasure_rules import DamagedLedger, LedgerEntry, ledger_entry, ledger_text
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import Conflict
from memory_layer.ports.blobs import BlobStore

PREFIX: Final = "erasures/"
_TIME: Final = "%Y%m%dT%H%M%SZ"


class ErasureLedger:
    """The ledger of one project: blobs in order of time, a few hundred ids each, none ever changed or removed."""

    def __init__(self, blobs: BlobStore, scope: Scope) -> None:
        self._blobs = blobs
        self._project = scope.project
        self._folder = f"{PREFIX}{scope.tenant}/{scope.project}/"

    def add(self, entry: LedgerEntry, began_at: datetime, number: int) -> None:
        """Args: began_at: when the erasure began; number: of this entry in it; done again, it replaces itself."""
        key = f"{self._folder}{began_at:{_TIME}}_{entry.erasure_id}/{number:06d}.json"
        self._blobs.put(key, ledger_text(entry).encode())

    def of(self, erasure_id: str, began_at: datetime) -> list[LedgerEntry]:
        """The entries of one erasure, in order.

        Raises:
            Conflict: one is damaged.
        """
        return list(self._entries(f"{self._folder}{began_at:{_TIME}}_{erasure_id}/"))

    def has_since(self, at: datetime) -> bool:
        """Whether an erasure began then or later."""
        return any(key >= f"{self._folder}{at:{_TIME}}" for key in self._blobs.keys(self._folder))

    def gone(self) -> ErasedVersions:
        """All that this project has erased.

        Raises:
            Conflict: an entry is damaged: what it forbids to bring back is not known.
        """
        gone = ErasedVersions()
        for entry in self._entries(self._folder):
            gone.add(entry)
        return gone

    def _entries(self, prefix: str) -> Iterator[LedgerEntry]:
        for key in self._blobs.keys(prefix):
            try:
                yield ledger_entry((self._blobs.get(key) or b"").decode())
            except (DamagedLedger, UnicodeDecodeError) as error:
                raise Conflict(
                    f"the ledger of erasures of project {self._project} is damaged ({key}: {error}); bring that file "
                    "back first, since without it what was erased might come back"
                ) from error


class ErasedVersions:
    """What must not come back: versions up to a number of what was stored before a time.

    What is stored anew under an erased id goes on counting, but for a store that was lost with its tombstones: so the
    time counts as well.
    """

    def __init__(self) -> None:
        self._erased: defaultdict[str, list[tuple[int, datetime]]] = defaultdict(list)
        self._echoes: defaultdict[str, list[tuple[int, datetime]]] = defaultdict(list)

    def add(self, entry: LedgerEntry) -> None:
        for known, more in ((self._erased, entry.erased), (self._echoes, entry.echoes)):
            for id, version in more.items():
                known[id].append((version, instant(entry.at)))

    def has(self, memory: Memory) -> bool:
        """Whether this version of a record was erased."""
        return _is_named(self._erased.get(memory.id, ()), memory)

    def without_echoes(self, memory: Memory) -> Memory:
        """The record without a context that holds words of what was erased."""
        if memory.context is None or not _is_named(self._echoes.get(memory.id, ()), memory):
            return memory
        return replace(memory, context=None)


def _is_named(entries: Iterable[tuple[int, datetime]], memory: Memory) -> bool:
    return any(memory.version <= version and memory.created_at <= at for version, at in entries)


def raise_to(known: dict[str, int], more: Mapping[str, int]) -> None:
    """Let the higher number stand for each id."""
    for id, version in more.items():
        known[id] = max(version, known.get(id, 0))


def told_by(name: str, creator: str | None) -> str:
    """Who erased, as the ledger may keep it for good: no name of who is forgotten."""
    return "its creator" if name == creator else name
