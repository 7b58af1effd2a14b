"""Pairs of memories that should not both stand as they are: contradictions and duplicates."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal, get_args

from memory_layer.domain.memory import Scope, UnitScore

PairKind = Literal["conflict", "duplicate"]
PairStatus = Literal["open", "resolved"]
PairResolution = Literal["precedence", "merge", "superseded", "kept_both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Finding on two records, valid as long as both keep the content that they had then.

    Args:
        ids: of the two, in order.
        content_hashes: of each content when the pair was found: a pair with a record of another content now, or out
            of use, is not shown any more.
        severity: of a conflict, 0..1; 0 of a duplicate.
        similarity: cosine of the two contents.
        persona: the persona that may see it, as with memories: that of whichever of the two has one.
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
    """Id of a pair, the same in both orders, so that a pair found again is the same pair."""
    low, high = sorted((one, other))
    return f"par_{sha256(f'{kind} {len(low)} {low} {high}'.encode()).hexdigest()[:32]}"


def pair_ids(one: str, other: str) -> tuple[str, ...]:
    """Ids of a pair of each kind."""
    return tuple(pair_id(one, other, kind) for kind in get_args(PairKind))
