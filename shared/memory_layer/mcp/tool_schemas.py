"""Arguments of each tool: typed, bounded, described for a model in few words, since each of its turns pays for them."""

from typing import Annotated, Any, Final, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from memory_layer.domain.memory import (
    CONTENT_MAX_BYTES,
    CONTEXT_MAX_BYTES,
    LABEL_MAX_CHARS,
    Category,
    Dimension,
    Labels,
    MemoryType,
    OutcomeResult,
    Standing,
    Status,
    TaskType,
)
from memory_layer.domain.retrieval.graph import HOPS_MAX
from memory_layer.edge.shapes.context_requests import KvPolicyFields
from memory_layer.edge.shapes.derived_models import Instant
from memory_layer.edge.shapes.recall_requests import PromptFormat
from memory_layer.edge.shapes.requests import MEMORY_ID, PROJECT, REFS_MAX
from memory_layer.usecases.context.request import COST_MAX, DEFAULT_TOKENS, TIME_MAX_MS, TOKENS_MAX
from memory_layer.usecases.recall.recall import Strategy
from memory_layer.usecases.write.prepare import OnDuplicate

SEARCH_MAX = 50
LIST_MAX = 100
ON_PAGE: Final = r"[A-Za-z0-9_.:-]{1,128}#[1-9][0-9]{0,3}"
"""Memory named by its number on the page of a recall: `rcl_01…#2`."""

MemoryId = Annotated[str, Field(pattern=rf"{MEMORY_ID}|^{ON_PAGE}$", description="Or recall_id#2.")]
Text = Annotated[str, MinLen(1), MaxLen(8_192)]
Name = Annotated[str, MinLen(1), MaxLen(256)]
Sentence = Annotated[str, MaxLen(1_024)]
Said = Annotated[str, MinLen(1), MaxLen(CONTENT_MAX_BYTES)]

_NAMES: Final = {"type": "array", "items": {"type": "string"}}
"""Schema of names that add_memory lists, or that a refusal does: listed in each tool they would cost each turn."""

Categories = Annotated[tuple[Category, ...], MaxLen(16), WithJsonSchema(_NAMES)]
Types = Annotated[tuple[MemoryType, ...], MaxLen(8), WithJsonSchema(_NAMES)]
Statuses = Annotated[tuple[Status, ...], MaxLen(8), WithJsonSchema(_NAMES)]
OneCategory = Annotated[Category, WithJsonSchema({"type": "string"})]
OneType = Annotated[MemoryType, WithJsonSchema({"type": "string"})]


class Arguments(BaseModel):
    """Arguments of a tool; unknown ones are refused, so that a misspelt one is never silently dropped."""

    model_config = ConfigDict(extra="forbid")
    project: Annotated[str | None, Field(pattern=PROJECT)] = None


class AddMemory(Arguments):
    content: Annotated[Said, Field(description="One fact, whole: what, where, why. Names, not 'it'.")]
    category: Annotated[Category | None, Field(description="Omitted: detected.")] = None
    type: OneType | None = None
    tags: Annotated[Labels, Field(description="Keywords, or globs of files such as src/api/**.")] = ()
    entities: Annotated[Labels, Field(description="URNs of what it is about.")] = ()
    context: Annotated[
        Annotated[str, MaxLen(CONTEXT_MAX_BYTES)] | None,
        Field(description="Text around it, which is not shown."),
    ] = None
    detail: Annotated[dict[str, Any] | None, Field(description="Facts beside the words.")] = None
    said_at: Annotated[Instant | None, Field(description="If not now: dates its yesterday.")] = None
    source: Annotated[
        Literal["run", "learning"],
        Field(description="learning: your own conclusion."),
    ] = "run"
    run_id: Name | None = None
    on_duplicate: Annotated[
        OnDuplicate,
        Field(description="ask: refused if known; else merge with it, supersede it, create beside it."),
    ] = "ask"


class ExploreEntity(Arguments):
    entity: Annotated[
        str,
        MinLen(1),
        MaxLen(LABEL_MAX_CHARS),
        Field(description="A URN, name, path or memory id."),
    ]
    hops: Annotated[int, Ge(1), Le(HOPS_MAX)] = 1
    limit: Annotated[int, Ge(1), Le(SEARCH_MAX)] = 20


class SearchMemory(Arguments):
    query: Annotated[Text, Field(description="A question, an error, a plan.")]
    limit: Annotated[int, Ge(1), Le(SEARCH_MAX)] = 5
    strategy: Strategy = "auto"
    category: Categories = ()
    type: Types = ()
    dimension: Annotated[tuple[Dimension, ...], MaxLen(8)] = ()
    tags: Annotated[Labels, Field(description="Any of them.")] = ()
    entities: Annotated[Labels, Field(description="For entity and graph.")] = ()
    standing: Standing | None = None
    as_of: Instant | None = None
    include_stale: bool = False
    run_id: Name | None = None


class GetPrompt(Arguments):
    task: Text
    format: PromptFormat = "memories"
    write_scope: Annotated[Labels, Field(description="Paths or globs it may touch.")] = ()
    task_type: Annotated[
        Annotated[TaskType, WithJsonSchema({"type": "string"})] | None,
        Field(description="Omitted: detected."),
    ] = None
    file_patterns: Annotated[Labels, Field(description="Globs of its files.")] = ()
    error_patterns: Annotated[Labels, Field(description="Of current errors.")] = ()
    limit: Annotated[int, Ge(1), Le(SEARCH_MAX)] | None = None


class ReportOutcome(Arguments):
    recall_id: Name | None = None
    refs: Annotated[
        tuple[Annotated[int, Ge(1)], ...], MaxLen(REFS_MAX), Field(description="Numbers on its page: [1, 3].")
    ] = ()
    memory_id: Annotated[MemoryId | None, Field(description="Instead of refs.")] = None
    result: Annotated[
        OutcomeResult,
        Field(description="worked: right, it helped. failed: it misled. partial: of little help."),
    ]
    note: Sentence | None = None
    run_id: Annotated[Name | None, Field(description="Its later verdict replaces this.")] = None


class UpdateMemory(Arguments):
    memory_id: MemoryId
    content: Said | None = None
    category: OneCategory | None = None
    type: OneType | None = None
    tags: Labels | None = None
    entities: Labels | None = None
    if_version: Annotated[Annotated[int, Ge(1)] | None, Field(description="Refuse if at another.")] = None


class AboutMemory(Arguments):
    memory_id: MemoryId
    reason: Sentence | None = None


class SupersedeMemory(Arguments):
    memory_id: Annotated[MemoryId, Field(description="The old one.")]
    content: Annotated[Said | None, Field(description="The fact as it is now, whole.")] = None
    by_id: Annotated[MemoryId | None, Field(description="Instead of content.")] = None
    reason: Sentence | None = None


class ListMemories(Arguments):
    category: Categories = ()
    type: Types = ()
    tags: Labels = ()
    status: Annotated[Statuses, Field(description="active, stale, archived, pending …")] = ("active",)
    standing: Standing | None = None
    limit: Annotated[int, Ge(1), Le(LIST_MAX)] = 20
    cursor: Annotated[Annotated[str, MaxLen(2_048)] | None, Field(description="next_cursor.")] = None


class AssembleContext(Arguments):
    intent: Annotated[Text | None, Field(description="Omit at the start of a session.")] = None
    tokens_max: Annotated[int, Ge(0), Le(TOKENS_MAX)] = DEFAULT_TOKENS
    time_ms: Annotated[int, Ge(1), Le(TIME_MAX_MS)] = 2_000
    entities: Annotated[Labels, Field(description="URNs to cover.")] = ()
    session_id: Annotated[Name | None, Field(description="Whose turns belong to it.")] = None
    cost_max: Annotated[Annotated[float, Ge(0), Le(COST_MAX)] | None, Field(description="US dollars.")] = None
    model: Annotated[Name | None, Field(description="For its price.")] = None
    kv_policy: Annotated[
        Annotated[KvPolicyFields, WithJsonSchema({"type": "object"})] | None,
        Field(description="pin patterns, compress, evict"),
    ] = None
    standing: Standing | None = None


class Enrich(Arguments):
    payload: Annotated[Any, Field(description="A tool's response, text or JSON.")]
    limit: Annotated[int, Ge(1), Le(SEARCH_MAX)] = 10
    tokens_max: Annotated[int, Ge(1), Le(TOKENS_MAX)] = 2_000


class ReportRun(Arguments):
    run: Annotated[
        dict[str, Any],
        Field(
            description="{run_id, objective, status: completed|failed|crashed, iterations: [{number, status, "
            "learnings: [text], files_modified: [path], analysis: {errors: [text]}}], memories_used: [id], "
            "recall_ids: [id]}"
        ),
    ]


class ListReviews(Arguments):
    limit: Annotated[int, Ge(1), Le(LIST_MAX)] = 20
    cursor: Annotated[str, MaxLen(2_048)] | None = None


class DecideReview(Arguments):
    id: Annotated[Name, Field(description="As list_reviews has it.")]
    decision: Annotated[
        Literal["approve", "reject", "archive", "superseded", "merge", "kept_both"],
        Field(description="Of two memories (par_…) one of the last three."),
    ]
    winner: Annotated[MemoryId | None, Field(description="superseded: the one that stays.")] = None
    content: Annotated[Said | None, Field(description="merge: what both say.")] = None
    reason: Sentence | None = None
    version: Annotated[Annotated[int, Ge(1)] | None, Field(description="The one you saw.")] = None
