"""Rules of erasure on request, and the ledger of erasures: ids and numbers, and no content."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Final, Literal

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.memory import Memory

FORMAT: Final = "memory-layer-erasure/1"

ErasedBy = Literal["memory", "created_by", "entity", "project"]
"""Kind of erasure: of one memory, of all by a person, of all that name an entity, or of a whole project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRule:
    """Selection of the records to erase: those of a person, those that name an entity, or (with neither) all."""

    created_by: str | None = None
    entity: str | None = None

    @property
    def kind(self) -> ErasedBy:
        if self.created_by is not None:
            return "created_by"
        return "project" if self.entity is None else "entity"

    def meets(self, memory: Memory) -> bool:
        if self.created_by is not None:
            return memory.created_by == self.created_by
        named = (*memory.entities, *(relation.target for relation in memory.relations))
        return self.entity is None or self.entity in named


Traces = Mapping[str, int]
"""Number of a record's items by the name of the store that held them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """Ledger entry of a part of an erasure, written before it is carried out and kept for good.

    Args:
        erased: by id, the last erased version; a record that is stored under the id later has a higher one.
        echoes: by id, the last version of a record whose context held words of an erased one.
        traces: by id, number of erased items by store.
    """

    erasure_id: str
    by: str
    at: str
    kind: ErasedBy
    erased: Mapping[str, int]
    echoes: Mapping[str, int] = field(default_factory=dict)
    traces: Mapping[str, Traces] = field(default_factory=dict)


class DamagedLedger(ValueError):
    """Ledger entry that differs from what `ledger_text` wrote."""


def ledger_text(entry: LedgerEntry) -> str:
    """Writes an entry as JSON, with a digest of itself, because restores of snapshots trust it unseen."""
    document = {"format": FORMAT, **asdict(entry)}
    return json.dumps({**document, "digest": _digest(document)})


def ledger_entry(text: str) -> LedgerEntry:
    """Reads an entry that `ledger_text` wrote.

    Raises:
        DamagedLedger
    """
    try:
        document = json.loads(text)
        if document.pop("digest") != _digest(document):
            raise DamagedLedger("it does not say any more what was written")
        if document.pop("format") != FORMAT:
            raise DamagedLedger("it was written by another version")
        return LedgerEntry(**document)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise DamagedLedger(str(error)) from error


def _digest(document: Mapping[str, Any]) -> str:
    return sha256(canonical_json(document).encode()).hexdigest()
