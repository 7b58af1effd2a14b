"""Arguments of each tool: typed, bounded, described for a model."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import BaseModel, ConfigDict, Field

from memory_layer.domain.memory import (
    CONTENT_MAX_BYTES,
    CONTEXT_MAX_BYTES,
    LABEL_MAX_CHARS,
    Category,
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
from memory_layer.usecases.context.request import DEFAULT_TOKENS, TIME_MAX_MS, TOKENS_MAX
from memory_layer.usecases.write.prepare import OnDuplicate

SEARCH_MAX = 50
LIST_MAX = 100

MemoryId = Annotated[str, Field(pattern=MEMORY_ID, description="The memory's id, as search or list gave it.")]
Tags = Annotated[Labels, Field(description="Keywords, or globs of the files concerned, such as src/api/**.")]
Text = Annotated[str, MinLen(1), MaxLen(8_192)]


class Arguments(BaseModel):
    """Arguments of a tool; unknown ones are refused, so that a misspelt one is never silently dropped."""

    model_config = ConfigDict(extra="forbid")
    project: Annotated[
        str | None, Field(pattern=PROJECT, description="Another project than this server's own.")
    ] = None


OnlyStanding = Annotated[
    Standing | None,
    Field(description="trusted: only what people said or approved; unreviewed: only the rest."),
]


class AddMemory(Arguments):
    content: Annotated[
        str,
        MinLen(1),
        MaxLen(CONTENT_MAX_BYTES),
        Field(description="One fact, complete in itself: what, where, why. Names and versions, not 'it'."),
    ]
    category: Annotated[Category | None, Field(description="Omit it to have it detected.")] = None
    type: Annotated[MemoryType | None, Field(description="Omit it to follow the category.")] = None
    tags: Tags = ()
    entities: Annotated[Labels, Field(description="URNs of what it is about.")] = ()
    context: Annotated[
        Annotated[str, MaxLen(CONTEXT_MAX_BYTES)] | None,
        Field(description="Surrounding text: helps to find it, is never shown as it."),
    ] = None
    said_at: Annotated[
        Instant | None, Field(description="When it was said, if not now: dates its yesterday and last week.")
    ] = None
    source: Annotated[
        Literal["run", "learning"],
        Field(description="run: seen to be so in this work. learning: your own conclusion."),
    ] = "run"
    run_id: Annotated[
        Annotated[str, MinLen(1), MaxLen(256)] | None, Field(description="The run it comes from.")
    ] = None
    on_duplicate: Annotated[
        OnDuplicate,
        Field(
            description="If one says the same or otherwise: ask refuses, names it and how yours disagrees; merge adds "
            "to one that says the same, supersede puts yours in its place, create keeps both."
        ),
    ] = "ask"


class ExploreEntity(Arguments):
    entity: Annotated[
        str,
        MinLen(1),
        MaxLen(LABEL_MAX_CHARS),
        Field(description="A URN, a name, a path or identifier, or a memory's id."),
    ]
    hops: Annotated[int, Ge(1), Le(HOPS_MAX), Field(description="How far to go from it.")] = 1
    limit: Annotated[int, Ge(1), Le(SEARCH_MAX), Field(description="The nearest so many.")] = 20


class SearchMemory(Arguments):
    query: Annotated[Text, Field(description="A question, an error message, or what you are about to do.")]
    limit: Annotated[int, Ge(1), Le(SEARCH_MAX), Field(description="How many at most.")] = 5
    category: Annotated[tuple[Category, ...], MaxLen(16), Field(description="Only these.")] = ()
    type: Annotated[tuple[MemoryType, ...], MaxLen(8), Field(description="Only these.")] = ()
    tags: Annotated[Labels, Field(description="Only those with at least one of these tags.")] = ()
    standing: OnlyStanding = None


class GetPrompt(Arguments):
    task: Annotated[Text, Field(description="What is about to be done.")]
    format: Annotated[
        PromptFormat,
        Field(
            description="memories: those of the write scope, then the most trusted. "
            "knowledge: what earlier runs taught: strategies, anti-patterns, estimates, conventions."
        ),
    ] = "memories"
    write_scope: Annotated[
        Labels, Field(description="memories: paths, globs or keywords of what the task may touch.")
    ] = ()
    task_type: Annotated[
        TaskType | None, Field(description="knowledge: omit it to have it detected from the task.")
    ] = None
    file_patterns: Annotated[
        Labels,
        Field(description="knowledge: globs or parts of paths, such as .test.ts: their conventions first."),
    ] = ()
    error_patterns: Annotated[
        Labels, Field(description="knowledge: phrases of current errors: their anti-patterns first.")
    ] = ()
    limit: Annotated[int, Ge(1), Le(SEARCH_MAX)] = 10


class ReportOutcome(Arguments):
    memory_id: Annotated[
        Annotated[str, Field(pattern=MEMORY_ID)] | None,
        Field(description="The memory's id, as search or list gave it; or give refs."),
    ] = None
    refs: Annotated[
        tuple[Annotated[int, Ge(1)], ...],
        MaxLen(REFS_MAX),
        Field(description="Numbers on the page of recall_id, such as [1, 3], instead of an id."),
    ] = ()
    result: Annotated[
        OutcomeResult,
        Field(description="worked: right, and it helped. failed: it misled. partial: right, of little help."),
    ]
    note: Annotated[
        Annotated[str, MaxLen(1_024)] | None, Field(description="What happened, in a sentence.")
    ] = None
    run_id: Annotated[
        Annotated[str, MinLen(1), MaxLen(256)] | None,
        Field(description="The run at hand; a later verdict of the same run replaces this one."),
    ] = None
    recall_id: Annotated[
        Annotated[str, MinLen(1), MaxLen(128)] | None, Field(description="The recall that showed it.")
    ] = None


class UpdateMemory(Arguments):
    memory_id: MemoryId
    content: Annotated[Annotated[str, MinLen(1), MaxLen(CONTENT_MAX_BYTES)] | None, Field()] = None
    category: Category | None = None
    type: MemoryType | None = None
    tags: Annotated[Labels | None, Field(description="Replaces the tags it has.")] = None
    entities: Annotated[Labels | None, Field(description="Replaces the URNs it has.")] = None
    if_version: Annotated[
        Annotated[int, Ge(1)] | None, Field(description="Refuse if it is no longer at this version.")
    ] = None


class ForgetMemory(Arguments):
    memory_id: MemoryId
    reason: Annotated[
        Annotated[str, MaxLen(1_024)] | None, Field(description="Why it is no longer true.")
    ] = None


class SupersedeMemory(Arguments):
    memory_id: MemoryId
    content: Annotated[
        Annotated[str, MinLen(1), MaxLen(CONTENT_MAX_BYTES)] | None,
        Field(description="The fact as it is now, complete in itself. The rest is inherited. Or give by_id."),
    ] = None
    by_id: Annotated[
        MemoryId | None, Field(description="A memory that is stored already and says it, instead of content.")
    ] = None
    reason: Annotated[
        Annotated[str, MaxLen(1_024)] | None, Field(description="Why the old one no longer holds.")
    ] = None


class ConfirmMemory(Arguments):
    memory_id: MemoryId
    reason: Annotated[
        Annotated[str, MaxLen(1_024)] | None, Field(description="How you know that it still holds.")
    ] = None


class UndoChange(Arguments):
    memory_id: MemoryId
    reason: Annotated[
        Annotated[str, MaxLen(1_024)] | None, Field(description="Why the change was a mistake.")
    ] = None


class ListMemories(Arguments):
    category: Annotated[tuple[Category, ...], MaxLen(16)] = ()
    type: Annotated[tuple[MemoryType, ...], MaxLen(8)] = ()
    tags: Labels = ()
    status: Annotated[tuple[Status, ...], MaxLen(8), Field(description="Default: active.")] = ("active",)
    standing: OnlyStanding = None
    limit: Annotated[int, Ge(1), Le(LIST_MAX)] = 20
    cursor: Annotated[
        Annotated[str, MaxLen(2_048)] | None,
        Field(description="next_cursor of the page before, same filters."),
    ] = None


class AssembleContext(Arguments):
    intent: Annotated[Text, Field(description="What the context is for, in words.")]
    tokens_max: Annotated[int, Ge(0), Le(TOKENS_MAX), Field(description="Of the page, at most.")] = (
        DEFAULT_TOKENS
    )
    time_ms: Annotated[
        int, Ge(1), Le(TIME_MAX_MS), Field(description="Until the answer; what is late is left out.")
    ] = 2_000
    entities: Annotated[Labels, Field(description="URNs that it should cover.")] = ()
    session_id: Annotated[
        Annotated[str, MinLen(1), MaxLen(256)] | None,
        Field(description="Whose turns and tool outputs belong to it; this session's if omitted."),
    ] = None
    kv_policy: Annotated[
        KvPolicyFields | None, Field(description="Other tier rules for this page alone.")
    ] = None
    standing: OnlyStanding = None
