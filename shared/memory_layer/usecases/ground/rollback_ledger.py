"""Ledger of rollbacks of a project: who was taken back, since when, and how far that is; names and ids, no words."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import DamagedText, sealed_text, unsealed_text
from memory_layer.domain.rollback.exclusions import Exclusion, RollbackStatus
from memory_layer.errors import Conflict
from memory_layer.ports.blobs import BlobStore

PREFIX: Final = "rollbacks/"

IN_EFFECT: Final = frozenset({"applied", "undoing"})
"""Statuses of rollbacks that the records show whole, or did until an undo began."""

TO_HOLD: Final = frozenset({"begun", "applied"})
"""Statuses of rollbacks that the records are to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackEntry:
    """One rollback. Args: by: the admin who asked for it; receipt: what it did, once it was applied."""

    id: str
    exclusion: Exclusion
    by: str
    status: RollbackStatus
    receipt: dict[str, Any] | None = None


class RollbackLedger:
    """Rollbacks of one project, each a blob of its own."""

    def __init__(self, blobs: BlobStore, scope: Scope) -> None:
        self._blobs = blobs
        self._folder = f"{PREFIX}{scope.tenant}/{scope.project}/"

    def put(self, entry: RollbackEntry) -> None:
        """Writes an entry, over the one with its id."""
        excluded = entry.exclusion
        document = {
            "id": entry.id,
            "principal": excluded.principal,
            "since": excluded.since and rfc3339(excluded.since),
            "until": rfc3339(excluded.until),
            "has_agents": excluded.has_agents,
            "by": entry.by,
            "status": entry.status,
            "receipt": entry.receipt,
        }
        self._blobs.put(f"{self._folder}{entry.id}.json", sealed_text(document).encode())

    def get(self, id: str) -> RollbackEntry | None:
        """Reads an entry. Raises: Conflict: it is damaged."""
        return self._read(f"{self._folder}{id}.json")

    def all(self) -> list[RollbackEntry]:
        """Reads all entries. Raises: Conflict: one is damaged."""
        found = (self._read(key) for key in self._blobs.keys(self._folder))
        return [entry for entry in found if entry is not None]

    def forget(self) -> int:
        """Deletes all entries, with the project; returns their number."""
        keys = self._blobs.keys(self._folder)
        for key in keys:
            self._blobs.delete(key)
        return len(keys)

    def forget_memories(self, ids: Collection[str], name: str | None) -> int:
        """Takes erased memories, and refusals of an erased person, out of the receipts; returns the number of receipts.

        Whose operations are excluded stays: without it later rollbacks would bring back what was taken back.

        Raises:
            Conflict: an entry is damaged.
        """
        changed = [(entry, _without(entry, ids, name)) for entry in self.all()]
        news = [after for before, after in changed if after != before]
        for entry in news:
            self.put(entry)
        return len(news)

    def _read(self, key: str) -> RollbackEntry | None:
        text = self._blobs.get(key)
        if text is None:
            return None
        try:
            document = unsealed_text(text.decode())
            since = document["since"] and instant(document["since"])
            until, has_agents = instant(document["until"]), document.get("has_agents", False)
            excluded = Exclusion(document["principal"], since, until, has_agents)
            kept = {name: document[name] for name in ("id", "by", "status", "receipt")}
            return RollbackEntry(exclusion=excluded, **kept)
        except (DamagedText, json.JSONDecodeError, LookupError, TypeError, ValueError) as error:
            raise Conflict(
                f"the ledger of rollbacks is damaged ({key}: {error}); bring that file back first, since without it "
                "what was taken back might return"
            ) from error


def _without(entry: RollbackEntry, ids: Collection[str], name: str | None) -> RollbackEntry:
    told = entry.receipt
    if told is None:
        return entry
    kept = {part: [id for id in told.get(part, ()) if id not in ids] for part in ("ids", "unread")}
    refused = [one for one in told.get("refused", ()) if one["id"] not in ids and one["by"] != name]
    return replace(entry, receipt={**told, **kept, "refused": refused})


def exclusions_in(entries: Iterable[RollbackEntry], statuses: frozenset[str]) -> list[Exclusion]:
    """Exclusions of the entries with one of these statuses."""
    return [entry.exclusion for entry in entries if entry.status in statuses]
