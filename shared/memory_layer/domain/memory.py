"""The memory record, declared once: every other shape of it (JSON, columns, schemas) is derived from here."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple

from annotated_types import Ge, Le, MaxLen, MinLen

from memory_layer.domain.resolved_time import Times

MemoryType = Literal[
    "pattern", "warning", "learning", "context", "strategy", "antipattern", "estimate", "convention"
]
Category = Literal[
    "architecture",
    "convention",
    "decision",
    "pattern",
    "gotcha",
    "workaround",
    "troubleshooting",
    "command",
    "preference",
    "dependency",
    "environment",
    "coding_style",
    "tool_preference",
    "context",
    "todo",
    "general",
]
Dimension = Literal["knowledge", "event", "entity", "relationship", "preference"]
TaskType = Literal[
    "test-fix", "feature", "refactor", "bug-fix", "documentation", "architecture", "performance", "general"
]
Source = Literal["human", "run", "learning"]
Status = Literal[
    "active", "inactive", "pending", "rejected", "stale", "superseded", "archived", "quarantined"
]
Tier = Literal["hot", "warm", "cold", "frozen"]
OutcomeResult = Literal["worked", "failed", "partial"]
Standing = Literal["trusted", "unreviewed"]

ENDED_STATUSES: tuple[Status, ...] = ("archived", "superseded", "rejected")
"""Statuses out of use until a caller restores the record; expiry changes nothing about them."""

AWAITING_STATUSES: tuple[Status, ...] = ("pending", "quarantined", "stale")
"""Statuses that wait for a person."""

LEARNING_ID_PREFIX = "lrn_"  # of the id of a memory promoted from a learning
CONTENT_MAX_BYTES = 32_768
FILE_MAX_BYTES = 102_400  # content of a file, which is a memory whose detail says its path (ADR-0044)
CONTEXT_MAX_BYTES = 8_192
DETAIL_MAX_BYTES = 16_384
SUMMARY_MAX_CHARS = 1_024
REASON_MAX_CHARS = 1_024
LABEL_MAX_CHARS = 256
LABELS_MAX = 64
DOUBT_ENTRIES_MAX = 16  # of each list: enough for a person to decide, and a bound on the record's growth
POSITION_MAX = 2**31 - 2  # the one after it is a 32-bit integer still
THOUSANDTHS = "thousandths"  # annotates a score exact to three decimals, stored as an integer of thousandths

UnitScore = Annotated[float, Ge(0.0), Le(1.0), THOUSANDTHS]
SignedScore = Annotated[float, Ge(-1.0), Le(1.0), THOUSANDTHS]
Weight = Annotated[float, Ge(0.0), THOUSANDTHS]
Count = Annotated[int, Ge(0)]
Label = Annotated[str, MinLen(1), MaxLen(LABEL_MAX_CHARS)]
Labels = Annotated[tuple[Label, ...], MaxLen(LABELS_MAX)]
Reason = Annotated[str, MinLen(1), MaxLen(REASON_MAX_CHARS)]


class Scope(NamedTuple):
    """Project of a tenant, in which a record lives."""

    tenant: str
    project: str


class Ref(NamedTuple):
    """Reference to a record inside one tenant."""

    project: str
    id: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed edge from a memory to a URN or to another memory's id.

    Args:
        type: what it is to the target.
        target: a URN or a memory's id.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}  # read at the edge only

    type: Label
    target: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """The question to a person that agents raise about a trusted memory: since when, by whom, why; ids of proposals."""

    since: datetime
    by: Annotated[tuple[Label, ...], MaxLen(DOUBT_ENTRIES_MAX)] = ()
    reasons: Annotated[tuple[Reason, ...], MaxLen(DOUBT_ENTRIES_MAX)] = ()
    runs: Annotated[tuple[Label, ...], MaxLen(DOUBT_ENTRIES_MAX)] = ()
    witnesses: Annotated[tuple[Label, ...], MaxLen(DOUBT_ENTRIES_MAX)] = ()
    proposals: Annotated[tuple[Label, ...], MaxLen(DOUBT_ENTRIES_MAX)] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Memory record: one learned fact with its provenance, confidence and outcomes.

    Scores are multiples of 0.001 (see `to_thousandths`), times are aware UTC datetimes, `version` counts every change.

    Args:
        type: how it is used, and by which default expiry it ends.
        category: what it is about; omitted, told from the content.
        dimension: what kind of knowledge it is.
        task_type: the kind of task that it helps with.
        content: what it says: one thought.
        summary: the same in fewer words.
        detail: facts beside the words, as a JSON object.
        context: what stood around it; searched too.
        session_id: the conversation that it was said in.
        position: its place in its session, from 0.
        source: who it comes from: a person, a run, or what runs taught.
        source_run_id: the run that it was learned in.
        source_runs: all runs that taught it.
        source_recall_id: the recall that it was written after.
        created_by: who it is from; an admin alone names somebody else.
        persona: who alone may see it; omitted: everyone.
        tags: words or paths to find it by, and by which it belongs to a class of content.
        entities: URNs of the things that it speaks of; what happens to them makes it stale.
        relations: typed edges to URNs or to other memories.
        relevance_score: how much it matters by itself, 0 to 1.
        confidence: how far to believe it, 0 to 1; below 0.2 it goes out of use.
        success_rate: how often it worked where it was learned, 0 to 1.
        status: its state: active ones are recalled.
        expires_at: from then on it is out of recall; omitted in a new one, by its type.
        said_at: when it was said: what its words about time are resolved against; null: unknown.
        times: its words about time, with the days that they mean; computed from `content` and `said_at`.
        valid_from, valid_to: the time in which what it says is so.
        tier: where it lies: hot and warm are recalled, cold is listed, frozen is for admins.
        pinned: kept hot and out of pruning whatever its use.
    """

    id: Annotated[str, MinLen(1), MaxLen(128)]
    tenant: str
    project: str
    type: MemoryType = "pattern"
    category: Category = "general"
    dimension: Dimension = "knowledge"
    task_type: TaskType | None = None
    content: Annotated[str, MinLen(1), MaxLen(FILE_MAX_BYTES)]
    summary: Annotated[str, MaxLen(SUMMARY_MAX_CHARS)] | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    context: Annotated[str, MaxLen(CONTEXT_MAX_BYTES)] | None = None
    session_id: Annotated[str, MinLen(1), MaxLen(256)] | None = None
    position: Annotated[int, Ge(0), Le(POSITION_MAX)] | None = None
    source: Source = "human"
    source_run_id: Annotated[str, MinLen(1), MaxLen(256)] | None = None
    source_runs: Labels = ()
    source_recall_id: Annotated[str, MinLen(1), MaxLen(128)] | None = None
    created_by: Annotated[str, MinLen(1), MaxLen(256)]
    persona: Annotated[str, MinLen(1), MaxLen(128)] | None = None
    tags: Labels = ()
    entities: Labels = ()
    relations: Annotated[tuple[Relation, ...], MaxLen(LABELS_MAX)] = ()
    relevance_score: UnitScore = 1.0
    relevance_set: UnitScore | None = None
    confidence: UnitScore = 1.0
    success_rate: UnitScore | None = None
    outcome_score: SignedScore = 0.0
    worked: Count = 0
    failed: Count = 0
    partial: Count = 0
    worked_weight: Weight = 0.0  # decayed evidence as of last_used_at, for the beta outcome model
    failed_weight: Weight = 0.0
    unseconded: Weight = 0.0  # taken off outcome_score by one stranger alone; ranking adds it back
    use_count: Count = 0
    last_used_at: datetime | None = None
    access_count: Count = 0
    last_accessed_at: datetime | None = None
    drifted_at: datetime | None = None  # end of the disuse that outcome_score has drifted for
    status: Status = "active"
    status_reason: Annotated[str, MaxLen(REASON_MAX_CHARS)] | None = None
    doubted: Doubt | None = None
    superseded_by: str | None = None
    supersedes: str | None = None
    said_at: datetime | None = None
    times: Times = ()
    expires_at: datetime | None = None
    approved_by: str | None = None
    approved_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    tier: Tier = "hot"
    pinned: bool = False
    version: Annotated[int, Ge(1)] = 1
    content_hash: str
    embedding_model: str | None = None
    embedding_text_hash: str | None = None
    created_at: datetime
    updated_at: datetime

    @property
    def ref(self) -> Ref:
        return tuple.__new__(Ref, (self.project, self.id))  # half as long, a thousand times in a context

    @property
    def scope(self) -> Scope:
        return tuple.__new__(Scope, (self.tenant, self.project))

    @property
    def is_active(self) -> bool:
        return self.status == "active"

    @property
    def is_approved(self) -> bool:
        return self.approved_by is not None

    @property
    def is_trusted(self) -> bool:
        """Tells whether a person wrote or approved it: agents only move its order, and raise doubts (SPEC 4.25)."""
        return self.source == "human" or self.is_approved

    @property
    def standing(self) -> Standing:
        return "trusted" if self.is_trusted else "unreviewed"

    def has_expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now


EXPIRED_REASON = "expired"


def as_of_now(memory: Memory, now: datetime) -> Memory:
    """Record as every reader must see it: archived once expired, whether or not the sweep has run."""
    if not memory.has_expired(now) or memory.status in ENDED_STATUSES:
        return memory
    was = (memory.status, memory.status_reason)
    reason = EXPIRED_REASON if memory.is_active else reason_after(EXPIRED_REASON, *was)
    return replace(memory, status="archived", status_reason=reason)


def reason_after(reason: str, status: Status, before: str | None) -> str:
    """Status reason that also keeps the previous status and its reason."""
    return f"{reason_prefix(reason, status)}{f': {before}' if before else ''}"[:REASON_MAX_CHARS]


def reason_prefix(reason: str, status: Status) -> str:
    return f"{reason}; it was {status}"


def to_thousandths(score: float) -> float:
    """Rounds to thousandths, so that sums of scores compare alike on every backend."""
    return round(score, 3)


def content_hash(content: str) -> str:
    """SHA-256 of the content in UTF-8, hex."""
    return hashlib.sha256(content.encode()).hexdigest()


def searchable_text(content: str, context: str | None) -> str | None:
    """The text of the second vector and the second lexical field; None where there is no context."""
    return f"{content}\n{context}" if context else None


def embedding_text_hash(content: str, context: str | None) -> str:
    """SHA-256 of the embedded text, hex: equal hashes need no new vectors."""
    return hashlib.sha256(f"{content}\0{context or ''}".encode()).hexdigest()


def needs_vectors(memory: Memory, model: str) -> bool:
    """Tells whether a record's vectors are missing, of another model, or of another text than its current one."""
    hash = embedding_text_hash(memory.content, memory.context)
    return memory.embedding_model != model or memory.embedding_text_hash != hash


BODY_MIN_BYTES: Final = 1_024  # shorter contents stay in their row: a blob would cost more than it saves
STUB_MAX_CHARS: Final = 200
OUT_OF_RECALL: Final[tuple[Tier, ...]] = ("cold", "frozen")  # tiers that are read, but not searched


def is_stub(memory: Memory) -> bool:
    """Tells whether a record carries only the beginning of its content; `content_hash` stays that of the whole."""
    return (
        memory.tier != "hot"
        and len(memory.content) <= STUB_MAX_CHARS
        and content_hash(memory.content) != memory.content_hash
    )
