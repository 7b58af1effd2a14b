"""Pairs of memories as JSON, with requests about them and their models in openapi.json."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from memory_layer.domain.conflicts.pair import PairKind
from memory_layer.domain.memory import REASON_MAX_CHARS, Standing, Status
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.edge.shapes.requests import Content
from memory_layer.ports.records import left_out
from memory_layer.usecases.review.list_pairs import OpenPair, OpenPairPage
from memory_layer.usecases.review.resolve_pair import Decision, ResolvedPair


@dataclass(frozen=True, slots=True)
class PairedMemory:
    """Memory of a pair, with the fields that a decision goes by.

    Args:
        status: its state.
        confidence: how far to believe it.
        approved: a reviewer approved it.
        source: who it comes from: a person, a run, or what runs taught.
    """

    id: str
    content: str
    status: Status
    confidence: float
    approved: bool
    standing: Standing
    source: str
    persona: str | None
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """Two memories that contradict each other, or say the same; severity 0..1, of a conflict only.

    Args:
        kind: why they are a pair.
        memories: the two.
        severity: how grave the conflict is, 0 to 1.
        similarity: cosine of the two contents.
        reason: the point in which they disagree, or why they are alike.
        age_days: days since it was found.
        etag: names the versions of both; as If-Match of a decision, one on what was changed since is refused.
    """

    id: str
    kind: PairKind
    memories: Sequence[PairedMemory]
    etag: str
    severity: float
    similarity: float
    reason: str
    found_at: datetime
    age_days: int


@dataclass(frozen=True, slots=True)
class ConflictsAnswer:
    """Page of conflicts; it may hold fewer than asked for, even none, and name a next one all the same.

    Args:
        conflicts: the pairs of this page.
    """

    conflicts: Sequence[PairAnswer]
    next_cursor: str | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class DuplicatesAnswer:
    """Page of near-duplicates; as with conflicts, it may be short and name a next one all the same.

    Args:
        duplicates: the pairs of this page.
    """

    duplicates: Sequence[PairAnswer]
    next_cursor: str | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ResolvedAnswer:
    """Decision on a pair; `winner` null: both stay.

    Args:
        id: the pair's id.
        kind: why they were a pair.
        ids: the two memories.
        resolution: what became of them.
        winner: id of the one that stays; null: both stay.
        resolved_by: who decided.
        resolved_at: when it was decided.
    """

    id: str
    kind: PairKind
    ids: Sequence[str]
    resolution: Decision
    winner: str | None
    resolved_by: str
    resolved_at: datetime


class Resolution(BaseModel):
    """Decision to take. `superseded`: `winner` takes the other's place. `merge`: it takes the other in; without a
    winner the one that is approved, surer or newer. `kept_both`: neither is brought up again as long as both say
    what they say now."""

    model_config = REFUSE_UNKNOWN
    resolution: Annotated[Decision, Field(description="What becomes of the two.")]
    winner: Annotated[
        str | None, Field(min_length=1, max_length=128, description="The id of the one that stays.")
    ] = None
    content: Annotated[
        Content | None,
        Field(
            description=(
                "Of a merge: what is said from now on; none: all that both say. "
                "Two that contradict each other need it."
            ),
        ),
    ] = None
    note: Annotated[str | None, Field(max_length=REASON_MAX_CHARS, description="Why, for the history.")] = (
        None
    )


def pair_answer(item: OpenPair, now: datetime) -> PairAnswer:
    memories = [answer_from(PairedMemory, one, approved=one.is_approved) for one in item.memories]
    age = (now - item.pair.found_at).days
    return answer_from(PairAnswer, item.pair, memories=memories, etag=_etag(item), age_days=age)


def _etag(item: OpenPair) -> str:
    one, other = item.memories
    return f'"{one.version}.{other.version}"'


def pairs_json(kind: PairKind, page: OpenPairPage, next_cursor: str | None, now: datetime) -> dict[str, Any]:
    answer = ConflictsAnswer if kind == "conflict" else DuplicatesAnswer
    pairs = [pair_answer(item, now) for item in page.items]
    return document(answer(pairs, next_cursor, left_out(page.damaged)))


def resolved_json(done: ResolvedPair) -> dict[str, Any]:
    """Result without the words of either memory: an idempotency key keeps it, and erasure of one must suffice."""
    return document(answer_from(ResolvedAnswer, done.pair, winner=done.winner))
