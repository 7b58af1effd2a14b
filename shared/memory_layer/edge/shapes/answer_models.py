"""Pydantic models of the answers, as openapi.json describes them; `answers.py` writes the answers themselves."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from memory_layer.domain.memory import Memory, Tier
from memory_layer.domain.policy import Policy
from memory_layer.edge.shapes.derived_models import answer_model
from memory_layer.edge.shapes.learning_bodies import StagedAnswer
from memory_layer.edge.shapes.pair_bodies import PairAnswer

if TYPE_CHECKING:

    class MemoryFields(BaseModel): ...

    class SettingsAnswer(BaseModel): ...

else:
    MemoryFields = answer_model("MemoryFields", Memory, "The record, every field of it.")
    SettingsAnswer = answer_model("SettingsAnswer", Policy, "A project's settings as they are in force.")


class MemoryAnswer(MemoryFields):
    """A record."""

    active: bool


class ReportedAnswer(MemoryAnswer):
    """A record after a verdict; `note` where its recall is not known."""

    note: str | None = None


class RedactedPart(BaseModel):
    pointer: str
    kind: str
    count: int


class WriteReceipt(BaseModel):
    durable: bool
    indexed: bool
    redacted: list[RedactedPart]
    quarantined: bool


class StoredAnswer(MemoryAnswer):
    """A record with the receipt of its writing."""

    receipt: WriteReceipt


class PageAnswer(BaseModel):
    """Page; `note` names records that are left out because they cannot be read as they were written."""

    memories: list[MemoryAnswer]
    next_cursor: str | None
    note: str | None = None


class Problem(BaseModel):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[dict[str, str]] = []


class LineAnswer(BaseModel):
    """Result of a line; `memory_status` where the stored memory is not in use, expired or quarantined say."""

    line: int
    status: int
    id: str | None = None
    receipt: WriteReceipt | None = None
    memory_status: str | None = None
    status_reason: str | None = None
    problem: Problem | None = None


class BatchAnswer(BaseModel):
    results: list[LineAnswer]


class SignalsAnswer(BaseModel):
    semantic: float
    lexical: float
    outcome: float
    recency: float
    frequency: float
    confidence: float
    boost: float


class RecalledMemory(MemoryAnswer):
    score: float
    signals: SignalsAnswer


class RecallAnswer(BaseModel):
    recall_id: str
    strategy: str
    ranking: str
    degraded: bool
    note: str | None = None
    abstained: bool
    memories: list[RecalledMemory]


class ScoredMemory(MemoryAnswer):
    """A record with its relevance to the task."""

    score: float


class KnowledgeGroups(BaseModel):
    """Knowledge from earlier runs, each kind best first."""

    strategies: list[ScoredMemory]
    antipatterns: list[ScoredMemory]
    estimates: list[ScoredMemory]
    conventions: list[ScoredMemory]


class PromptAnswer(BaseModel):
    """Composed prompt section; `groups` comes with the format `knowledge`."""

    markdown: str
    recall_id: str
    memory_ids: list[str]
    memory_set_hash: str
    degraded: bool
    note: str | None = None
    groups: KnowledgeGroups | None = None


class VersionAnswer(BaseModel):
    version: int
    verb: str
    by: str
    at: datetime
    reason: str | None
    memory: MemoryAnswer


class HistoryAnswer(BaseModel):
    versions: list[VersionAnswer]


class ReviewItem(MemoryAnswer):
    kind: str
    age_days: int


class StagedReview(StagedAnswer):
    """A staged learning that waits."""

    kind: str
    age_days: int


class ReviewsAnswer(BaseModel):
    reviews: list[ReviewItem | StagedReview | PairAnswer]
    next_cursor: str | None


class StaleMemory(MemoryAnswer):
    """A stale record, since when, and who marked it so."""

    since: datetime | None
    staled_by: str | None


class StaleAnswer(BaseModel):
    stale: list[StaleMemory]
    next_cursor: str | None


class TierAnswer(BaseModel):
    """Contents of one tier: `bytes` of texts, `body_bytes` of these in blobs, and the cost at AWS's list prices."""

    records: int
    bytes: int
    body_bytes: int
    usd_per_month: float


class StatsAnswer(BaseModel):
    total: int
    active: int
    by: dict[str, dict[str, int]]
    average_confidence: float | None
    average_success_rate: float | None
    average_outcome_score: float | None
    outcome_bands: dict[str, int]
    most_used: list[dict[str, Any]]
    last_updated_at: datetime | None
    bytes: int
    tiers: dict[Tier, TierAnswer]
    index_coverage: float
    entity_events: dict[str, int]


class OperationAnswer(BaseModel):
    id: str
    kind: str
    status: str
    done: int
    total: int
    created_at: datetime
    result: dict[str, Any] | None = None
    problem: dict[str, Any] | None = None
