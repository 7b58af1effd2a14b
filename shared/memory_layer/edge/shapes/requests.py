"""Request bodies and query parameters, derived from the record: its annotations are the only bounds."""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

from pydantic import BaseModel, Field, Strict, field_validator

from memory_layer.domain import text_rules
from memory_layer.domain.filters import VISIBLE_STATUSES
from memory_layer.domain.memory import (
    REASON_MAX_CHARS,
    Category,
    Dimension,
    Memory,
    MemoryType,
    OutcomeResult,
    Source,
    Status,
    TaskType,
    Tier,
)
from memory_layer.domain.policy import Policy, Profile
from memory_layer.domain.retrieval.graph import HOPS_MAX
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN, Instant, incoming_model
from memory_layer.edge.shapes.tier_requests import TierPolicyFields, tier_policy_from
from memory_layer.errors import Invalid
from memory_layer.usecases.write.draft import CALLER_SET_FIELDS as SAYABLE
from memory_layer.usecases.write.merge_memories import MERGED_MAX
from memory_layer.usecases.write.prepare import OnDuplicate

MEMORY_ID = f"^(?:{text_rules.MEMORY_ID})$"
PROJECT = f"^(?:{text_rules.PROJECT})$"

ORIGIN = ("source", "source_run_id", "source_runs", "source_recall_id")
"""Fields that are given once, with the first write."""

if TYPE_CHECKING:

    class _Sayable(BaseModel): ...

    class _Spoken(BaseModel): ...

    class _Origin(BaseModel): ...

    class _Settings(BaseModel): ...

else:
    _Sayable = incoming_model("Sayable", Memory, SAYABLE)
    _Spoken = incoming_model("Spoken", Memory, tuple(name for name in SAYABLE if name != "session_id"))
    _Origin = incoming_model("Origin", Memory, ORIGIN)
    _Settings = incoming_model(
        "SettingsFields",
        Policy,
        tuple(field.name for field in fields(Policy) if field.name not in ("tier_policy", "version")),
    )

Content = get_type_hints(Memory, include_extras=True)["content"]


class NewMemory(_Sayable, _Origin):
    """A memory to store. What is omitted is derived from the content, or has the default of its type."""

    id: Annotated[str, Field(pattern=MEMORY_ID)] | None = None
    content: Content  # type: ignore[valid-type]
    on_duplicate: OnDuplicate = "ask"


class BatchLine(NewMemory):
    """One line of a batch."""

    idempotency_key: Annotated[str, Field(min_length=1, max_length=255)] | None = None


class Replacement(_Sayable, _Origin):
    """A memory under the caller's own id."""

    content: Content  # type: ignore[valid-type]


class Turn(_Spoken, _Origin):
    """A conversation turn or a tool's output; without a position it follows the last one.

    Its session stands in the path.
    """

    id: Annotated[str, Field(pattern=MEMORY_ID)] | None = None
    content: Content  # type: ignore[valid-type]
    speaker: Annotated[str, Field(min_length=1, max_length=128)] | None = None


class Revision(_Sayable):
    """The fields to change; what is not named stays."""

    active: Annotated[bool, Strict()] | None = None


class Outcome(BaseModel):
    """Outcome of using a memory."""

    model_config = REFUSE_UNKNOWN
    result: OutcomeResult
    session_id: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    run_id: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    recall_id: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    note: Annotated[str, Field(max_length=REASON_MAX_CHARS)] | None = None


class Reason(BaseModel):
    """Reason for a decision."""

    model_config = REFUSE_UNKNOWN
    reason: Annotated[str, Field(max_length=REASON_MAX_CHARS)] | None = None


class Nothing(BaseModel):
    """Empty body: a field beside the path would have no effect."""

    model_config = REFUSE_UNKNOWN


class Moment(BaseModel):
    """Time in the past; none: now."""

    model_config = REFUSE_UNKNOWN
    as_of: Instant | None = None


class Restoration(Reason):
    """Earlier version whose content becomes current again."""

    version: Annotated[int, Strict(), Field(ge=1)]


class Merging(Reason):
    """The memories to take in."""

    ids: Annotated[list[Annotated[str, Field(pattern=MEMORY_ID)]], Field(min_length=1, max_length=MERGED_MAX)]


class Supersession(_Sayable, _Origin):
    """Correction of a memory: a new memory, or by `id` alone one that is there already."""

    id: Annotated[str, Field(pattern=MEMORY_ID)] | None = None
    content: Content | None = None  # type: ignore[valid-type]
    reason: Annotated[str, Field(max_length=REASON_MAX_CHARS)] | None = None


class Decision(BaseModel):
    """One reviewed memory; `version` is the one that was looked at, and a newer one is not decided on."""

    model_config = REFUSE_UNKNOWN
    id: Annotated[str, Field(pattern=MEMORY_ID)]
    version: Annotated[int, Strict(), Field(ge=1)] | None = None
    decision: Literal["approve", "reject", "archive"]
    reason: Annotated[str, Field(max_length=1024)] | None = None


class Decisions(BaseModel):
    model_config = REFUSE_UNKNOWN
    decisions: Annotated[list[Decision], Field(min_length=1, max_length=100)]


Choices = list[Annotated[str, Field(min_length=1, max_length=256)]]


class FilterFields(BaseModel):
    """Filters on records: inside a field any of the values will do."""

    model_config = REFUSE_UNKNOWN
    type: list[MemoryType] = []
    category: list[Category] = []
    dimension: list[Dimension] = []
    task_type: list[TaskType] = []
    tags: Choices = []
    entities: Choices = []
    persona: Choices = []
    created_by: Choices = []
    source: list[Source] = []
    tier: list[Tier] = []
    session_id: Choices = []
    complexity: Choices = []
    min_confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    min_success_rate: Annotated[float, Field(ge=0, le=1)] | None = None
    created_after: Instant | None = None
    created_before: Instant | None = None
    updated_after: Instant | None = None
    updated_before: Instant | None = None


class Listing(FilterFields):
    """Page of a listing, with its filters."""

    status: list[Status] = []
    active: bool | None = None
    pinned: bool | None = None
    as_of: Instant | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[str, Field(max_length=2048)] | None = None

    @field_validator("tags", "entities")
    @classmethod
    def split_commas(cls, values: list[str]) -> list[str]:
        """Splits `tags=a,b`, the form of Project Memories, query parameters; a repeated parameter works as well."""
        return [part.strip() for value in values for part in value.split(",") if part.strip()]

    def statuses(self) -> tuple[str, ...]:
        """Statuses to list: active ones, unless statuses are named or `active=false` asks for all the others.

        Raises:
            Invalid: both are asked for, and contradict each other.
        """
        if self.active is not None and any((status == "active") != self.active for status in self.status):
            said = str(self.active).lower()
            raise Invalid.at(
                "/query/active", f"active={said} contradicts status={','.join(self.status)}; send one of them"
            )
        if self.status:
            return tuple(self.status)
        if self.active is False:
            return tuple(status for status in get_args(Status) if status != "active")
        return VISIBLE_STATUSES


class TaskFields(BaseModel):
    """Task that the caller is about to do, for the profiles `governed` and `task`."""

    model_config = REFUSE_UNKNOWN
    task_type: TaskType | None = None
    write_scope: Annotated[Choices, Field(max_length=64)] = []
    file_patterns: Annotated[Choices, Field(max_length=64)] = []
    error_patterns: Annotated[Choices, Field(max_length=64)] = []


class RecallQuery(TaskFields):
    """Query of a recall.

    `entities` are URNs or names: strategy `entity` looks up the memories that have one among their own `entities`;
    `graph` starts from them, as words say them too, and goes `hops` far (2 if omitted), `auto` looks at them beside
    the words. `hops` goes with strategy `graph` alone.
    """

    query: Annotated[str, Field(max_length=8192)]
    strategy: Literal["auto", "semantic", "lexical", "entity", "graph"] = "auto"
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    filters: FilterFields = Field(default_factory=FilterFields)
    profile: Profile | None = None
    entities: Annotated[Choices, Field(max_length=64)] = []
    hops: Annotated[int, Field(ge=1, le=HOPS_MAX)] | None = None
    include_stale: Annotated[bool, Strict()] = False
    consistency: Literal["strong", "eventual"] = "strong"
    as_of: Instant | None = None
    min_score: Annotated[float, Field(ge=0, le=2)] = 0.0


PromptFormat = Literal["memories", "knowledge"]


class PromptQuery(TaskFields):
    """The task whose prompt is being composed.

    `memories`: those of the write scope first, then those in the best standing. `knowledge`: what earlier runs
    taught: strategies (3 at most), anti-patterns (5), estimates (2) and conventions (3), which take turns where
    `limit` is less; without a task_type it is told from the task.
    """

    task: Annotated[str, Field(max_length=8192)]
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    format: PromptFormat = "memories"


class Settings(_Settings):
    """A project's settings; what is omitted goes back to its default.

    `blend`: how keywords and meaning become one relevance. `minmax` counts each score as its share of the best
    of its list, from 0 (not from the list's least, as the name says); `flag` is 0.6 x cosine + 0.4 if any keyword
    matches. `tier_policy`: by class of content what stays hot, what leaves its row and what goes out of the index.
    """

    tier_policy: TierPolicyFields = Field(default_factory=dict)


def replaced_policy(before: Policy, settings: Settings) -> Policy:
    """Tier policy after a PUT, which replaces: what is omitted goes back to its default."""
    given = {
        name: value for name, value in given_fields(settings, "tier_policy").items() if value is not None
    }
    return Policy(**given, tier_policy=tier_policy_from(settings.tier_policy), version=before.version)


def given_fields(body: BaseModel, *apart: str) -> dict[str, Any]:
    """Fields that the caller gave, and no others."""
    return {name: getattr(body, name) for name in body.model_fields_set if name not in apart}
