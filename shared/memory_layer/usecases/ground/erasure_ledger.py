"""Ledger of erasures, kept apart from the records, so that no snapshot brings back an erased version."""

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
    """Ledger of one project: blobs in order of time, a few hundred ids each, none ever changed or removed."""

    def __init__(self, blobs: BlobStore, scope: Scope) -> None:
        self._blobs = blobs
        self._project = scope.project
        self._folder = f"{PREFIX}{scope.tenant}/{scope.project}/"

    def add(self, entry: LedgerEntry, began_at: datetime, number: int) -> None:
        """Writes an entry, over itself if done again. Args: began_at: of the erasure; number: of the entry in it."""
        key = f"{self._folder}{began_at:{_TIME}}_{entry.erasure_id}/{number:06d}.json"
        self._blobs.put(key, ledger_text(entry).encode())

    def of(self, erasure_id: str, began_at: datetime) -> list[LedgerEntry]:
        """Lists the entries of one erasure, in order.

        Raises:
            Conflict: one is damaged.
        """
        return list(self._entries(f"{self._folder}{began_at:{_TIME}}_{erasure_id}/"))

    def has_since(self, at: datetime) -> bool:
        """Tells if an erasure began at this time or later."""
        return any(key >= f"{self._folder}{at:{_TIME}}" for key in self._blobs.keys(self._folder))

    def gone(self) -> ErasedVersions:
        """Reads all versions that this project has erased.

        Raises:
            Conflict: an entry is damaged: the versions that it forbids to bring back are not known.
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
    """Erased versions, which must not come back: up to a number, of records created up to a time.

    A record stored anew under an erased id goes on counting versions, except in a store that was lost with its
    tombstones: so the time counts as well.
    """

    def __init__(self) -> None:
        self._erased: defaultdict[str, list[tuple[int, datetime]]] = defaultdict(list)
        self._echoes: defaultdict[str, list[tuple[int, datetime]]] = defaultdict(list)

    def add(self, entry: LedgerEntry) -> None:
        for known, more in ((self._erased, entry.erased), (self._echoes, entry.echoes)):
            for id, version in more.items():
                known[id].append((version, instant(entry.at)))

    def has(self, memory: Memory) -> bool:
        """Tells if this version of a record was erased."""
        return _is_named(self._erased.get(memory.id, ()), memory)

    def without_echoes(self, memory: Memory) -> Memory:
        """Record without a context that holds words of an erased record."""
        if memory.context is None or not _is_named(self._echoes.get(memory.id, ()), memory):
            return memory
        return replace(memory, context=None)


def _is_named(entries: Iterable[tuple[int, datetime]], memory: Memory) -> bool:
    return any(memory.version <= version and memory.created_at <= at for version, at in entries)


def merge_highest(known: dict[str, int], more: Mapping[str, int]) -> None:
    """Merges `more` into `known`: the higher version stands for each id."""
    for id, version in more.items():
        known[id] = max(version, known.get(id, 0))


def ledger_name_of(name: str, creator: str | None) -> str:
    """Name of the eraser as the ledger may keep it for good; never that of a creator, who is to be forgotten."""
    return "its creator" if name == creator else name
