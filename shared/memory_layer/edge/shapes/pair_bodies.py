"""Pairs of memories as JSON, with requests about them and their models in openapi.json."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from memory_layer.domain.conflicts.pair import PairKind
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import REASON_MAX_CHARS, Memory, Status
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.usecases.review.list_pairs import OpenPair, OpenPairPage
from memory_layer.usecases.review.resolve_pair import Decision, ResolvedPair


class PairedMemory(BaseModel):
    """Memory of a pair, with the fields that a decision goes by."""

    id: str
    content: str
    status: Status
    confidence: float
    approved: bool
    source: str
    persona: str | None
    version: int
    created_at: datetime
    updated_at: datetime


class PairAnswer(BaseModel):
    """Two memories that contradict each other, or say the same; severity 0..1, of a conflict only."""

    id: str
    kind: PairKind
    memories: list[PairedMemory]
    severity: float
    similarity: float
    reason: str
    found_at: datetime
    age_days: int


class ConflictsAnswer(BaseModel):
    """Page of conflicts; it may hold fewer than asked for, even none, and name a next one all the same."""

    conflicts: list[PairAnswer]
    next_cursor: str | None


class DuplicatesAnswer(BaseModel):
    """Page of near-duplicates; as with conflicts, it may be short and name a next one all the same."""

    duplicates: list[PairAnswer]
    next_cursor: str | None


class ResolvedAnswer(BaseModel):
    """Decision on a pair; `winner` null: both stay."""

    id: str
    kind: PairKind
    ids: list[str]
    resolution: Decision
    winner: str | None
    resolved_by: str
    resolved_at: datetime


class Resolution(BaseModel):
    """Decision to take. `superseded`: `winner` takes the other's place. `merge`: it takes the other in; without a
    winner the one that is approved, surer or newer. `kept_both`: neither is brought up again as long as both say
    what they say now."""

    model_config = REFUSE_UNKNOWN
    resolution: Decision
    winner: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    note: Annotated[str, Field(max_length=REASON_MAX_CHARS)] | None = None


def pair_json(item: OpenPair, now: datetime) -> dict[str, Any]:
    pair = item.pair
    return {
        "id": pair.id,
        "kind": pair.kind,
        "memories": [_memory_json(memory) for memory in item.memories],
        "severity": pair.severity,
        "similarity": pair.similarity,
        "reason": pair.reason,
        "found_at": rfc3339(pair.found_at),
        "age_days": (now - pair.found_at).days,
    }


def _memory_json(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "content": memory.content,
        "status": memory.status,
        "confidence": memory.confidence,
        "approved": memory.is_approved,
        "source": memory.source,
        "persona": memory.persona,
        "version": memory.version,
        "created_at": rfc3339(memory.created_at),
        "updated_at": rfc3339(memory.updated_at),
    }


def pairs_json(kind: PairKind, page: OpenPairPage, next_cursor: str | None, now: datetime) -> dict[str, Any]:
    return {f"{kind}s": [pair_json(item, now) for item in page.items], "next_cursor": next_cursor}


def resolved_json(done: ResolvedPair) -> dict[str, Any]:
    """Result without the words of either memory: an idempotency key keeps it, and erasure of one must suffice."""
    pair = done.pair
    return {
        "id": pair.id,
        "kind": pair.kind,
        "ids": list(pair.ids),
        "resolution": pair.resolution,
        "winner": done.winner,
        "resolved_by": pair.resolved_by,
        "resolved_at": None if pair.resolved_at is None else rfc3339(pair.resolved_at),
    }
