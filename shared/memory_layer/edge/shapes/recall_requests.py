"""Recalls and prompts as callers may send them, and the use-case requests made of them: the same for every face."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Annotated, Literal

from pydantic import BaseModel, Field, Strict

from memory_layer.domain.access import Principal
from memory_layer.domain.filters import VISIBLE_STATUSES, Filters
from memory_layer.domain.learning.task_types import detect_task_type
from memory_layer.domain.memory import TaskType
from memory_layer.domain.policy import Profile
from memory_layer.domain.ranking import TaskProfile
from memory_layer.domain.remedies import give, omit
from memory_layer.domain.retrieval.graph import HOPS_MAX
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN, Instant
from memory_layer.edge.shapes.filter_requests import Choices, FilterFields
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.compose_knowledge import compose_knowledge
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.prompt_candidates import ComposedPrompt
from memory_layer.usecases.recall.recall import DEFAULT_HOPS, RecallRequest

Limit = Annotated[int, Field(ge=1, le=100, description="How many at most.")]
_FOR_TASK = "profile task alone goes by it, which is that of a prompt of knowledge"


class TaskFields(BaseModel):
    """Task that the caller is about to do, for the profiles `governed` and `task`."""

    model_config = REFUSE_UNKNOWN
    task_type: Annotated[TaskType | None, Field(description=f"The kind of task; {_FOR_TASK}.")] = None
    write_scope: Annotated[
        Choices,
        Field(
            max_length=64,
            description="Paths, globs or keywords of what the task may change; profile governed alone goes by it, "
            "which is that of a prompt of memories.",
        ),
    ] = []
    file_patterns: Annotated[
        Choices, Field(max_length=64, description=f"Globs of the files that the task touches; {_FOR_TASK}.")
    ] = []
    error_patterns: Annotated[
        Choices, Field(max_length=64, description=f"Error messages that the task meets; {_FOR_TASK}.")
    ] = []


class RecallQuery(TaskFields):
    """Query of a recall.

    `entities` are URNs or names: strategy `entity` looks up the memories that have one among their own `entities`;
    `graph` starts from them, as words say them too, and goes `hops` far (2 if omitted), `auto` looks at them beside
    the words. `hops` goes with strategy `graph` alone.
    """

    query: Annotated[str, Field(max_length=8192, description="The question in words.")]
    objective: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=8192,
            description="What the run that asks is for, in words: the kind of task is told from it where `task_type` "
            "names none.",
        ),
    ] = None
    strategy: Annotated[
        Literal["auto", "semantic", "lexical", "entity", "graph"],
        Field(description="By meaning, by words or by entities alone; auto: by all that there is."),
    ] = "auto"
    limit: Limit = 10
    filters: FilterFields = Field(default_factory=FilterFields, description="Which memories may be found.")
    profile: Annotated[
        Profile | None,
        Field(description="How what fits is ranked; omitted, as the project's settings say."),
    ] = None
    entities: Annotated[
        Choices, Field(max_length=64, description="URNs or names that the question is about.")
    ] = []
    hops: Annotated[
        int | None,
        Field(ge=1, le=HOPS_MAX, description="How far strategy graph goes from what the question names."),
    ] = None
    include_stale: Annotated[bool, Strict(), Field(description="Those in doubt too.")] = False
    consistency: Annotated[
        Literal["strong", "eventual"],
        Field(description="`eventual` spares the look at the last moment's writes."),
    ] = "strong"
    as_of: Annotated[Instant | None, Field(description="What was known at that time; not in the future.")] = (
        None
    )
    min_score: Annotated[
        float | None,
        Field(
            ge=0, le=4, description="What scores less is left out; 0: nothing is, however little is known."
        ),
    ] = None
    min_relevance: Annotated[
        float, Field(ge=0, le=1, description="What is less likely to bear on the question is left out.")
    ] = 0.0
    explain: Annotated[
        bool,
        Strict(),
        Field(description="Each memory with the words and entities of the question that it says."),
    ] = False
    run_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=256,
            description="The run that asks: its later verdict meets what it was shown.",
        ),
    ] = None
    explore: Annotated[
        bool,
        Strict(),
        Field(description="false: the list tries nothing out, whatever the project's `exploration` says."),
    ] = True


PromptFormat = Literal["memories", "knowledge"]


class PromptQuery(TaskFields):
    """The task whose prompt is being composed.

    `memories`: those of the write scope first, then those in the best standing. `knowledge`: what earlier runs
    taught: strategies (3 at most), anti-patterns (5), estimates (2) and conventions (3), which take turns where
    `limit` is less; without a task_type it is told from the task.
    """

    task: Annotated[str, Field(max_length=8192, description="The task in words.")]
    limit: Annotated[
        Limit | None,
        Field(description="How many at most; omitted, as many as the project's `prompt_limit` says."),
    ] = None
    format: Annotated[
        PromptFormat, Field(description="Memories in the best standing, or what earlier runs taught.")
    ] = "memories"


def recall_request(body: RecallQuery) -> RecallRequest:
    """Request of a recall for the use case.

    Raises:
        Invalid: entities or hops beside a strategy that does not go by them.
    """
    if body.entities and body.strategy in ("semantic", "lexical"):
        raise Invalid.at(
            "/entities",
            f"strategy {body.strategy} goes by words alone",
            give("/strategy", "auto", "entity", "graph"),
            omit("/entities"),
        )
    if body.hops is not None and body.strategy != "graph":
        raise Invalid.at(
            "/hops", "only strategy graph goes from hop to hop", give("/strategy", "graph"), omit("/hops")
        )
    statuses = (*VISIBLE_STATUSES, "stale") if body.include_stale else VISIBLE_STATUSES
    return RecallRequest(
        query=body.query,
        strategy=body.strategy,
        limit=body.limit,
        filters=filters_of(body.filters, statuses),
        entities=tuple(body.entities),
        hops=DEFAULT_HOPS if body.hops is None else body.hops,
        profile=body.profile,
        explain=body.explain,
        task=task_of(body, objective=body.objective),
        include_stale=body.include_stale,
        consistency=body.consistency,
        as_of=body.as_of,
        min_score=body.min_score,
        min_relevance=body.min_relevance,
        run_id=body.run_id,
        explores=body.explore,
    )


def task_of(body: TaskFields, *, objective: str | None = None) -> TaskProfile:
    """Task of a request. Args: objective: from which the kind of task is told where none is named."""
    told = None if objective is None else detect_task_type(objective)
    return TaskProfile(
        task_type=body.task_type or told,
        write_scope=tuple(body.write_scope),
        file_patterns=tuple(body.file_patterns),
        error_patterns=tuple(body.error_patterns),
    )


COMPOSERS: Mapping[PromptFormat, Callable[..., ComposedPrompt]] = {
    "memories": compose_prompt,
    "knowledge": compose_knowledge,
}


def prompt_for(ports: Ports, principal: Principal, project: str, body: PromptQuery) -> ComposedPrompt:
    """Composes the prompt section asked for."""
    return COMPOSERS[body.format](ports, principal, project, body.task, task_of(body), limit=body.limit)


def filters_of(asked: FilterFields, status: tuple[str, ...]) -> Filters:
    """Domain filters for records of these statuses."""
    askable = [field.name for field in fields(Filters) if field.name in type(asked).model_fields]
    given = {name: getattr(asked, name) for name in askable}
    tuples = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return Filters(**{**given, **tuples, "status": status})
