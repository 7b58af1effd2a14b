"""Two memories that should not both stand as they are: they contradict each other, or say the same."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal

from memory_layer.domain.memory import Scope, UnitScore

PairKind = Literal["conflict", "duplicate"]
PairStatus = Literal["open", "resolved"]
PairResolution = Literal["precedence", "merge", "superseded", "kept_both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What was found about two records, as long as both say what they said then.

    Args:
        ids: of the two, in order.
        content_hashes: of what each said when the pair was found: a pair whose record says something else now, or
            is out of use, is not shown any more.
        severity: of a conflict, 0..1; 0 of a duplicate.
        similarity: cosine of the two contents.
        persona: who may see it, as with memories; the persona of whichever of the two has one.
    """

    id: str
    tenant: str
    project: str
    kind: PairKind
    ids: tuple[str, str]
    content_hashes: tuple[str, str]
    similarity: UnitScore
    severity: UnitScore = 0.0
    reason: str
    status: PairStatus = "open"
    resolution: PairResolution | None = None
    resolved_by: str | None = None
    resolved_at: datetime | None = None
    persona: str | None = None
    found_at: datetime
    version: int = 1

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant, self.project)


def pair_id(one: str, other: str, kind: PairKind) -> str:
    """The same for both orders, so that a pair that is found again is the same pair."""
    low, high = sorted((one, other))
    return f"par_{sha256(f'{kind} {len(low)} {low} {high}'.encode()).hexdigest()[:32]}"
