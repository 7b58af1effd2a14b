"""Use-case requests made of validated recalls, prompts and filters: the same for every face."""

from collections.abc import Callable, Mapping
from dataclasses import fields

from memory_layer.domain.access import Principal
from memory_layer.domain.filters import VISIBLE_STATUSES, Filters
from memory_layer.domain.ranking import TaskProfile
from memory_layer.edge.shapes.requests import FilterFields, PromptFormat, PromptQuery, RecallQuery, TaskFields
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.compose_knowledge import compose_knowledge
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.prompt_candidates import ComposedPrompt
from memory_layer.usecases.recall.recall import DEFAULT_HOPS, RecallRequest


def recall_request(body: RecallQuery) -> RecallRequest:
    """Request of a recall for the use case.

    Raises:
        Invalid: entities or hops beside a strategy that does not go by them.
    """
    if body.entities and body.strategy in ("semantic", "lexical"):
        raise Invalid.at(
            "/entities",
            f"strategy {body.strategy} goes by words alone; send filters.entities to filter by them,"
            " or choose auto, entity or graph",
        )
    if body.hops is not None and body.strategy != "graph":
        raise Invalid.at("/hops", "only strategy graph goes from hop to hop; choose it, or leave hops out")
    statuses = (*VISIBLE_STATUSES, "stale") if body.include_stale else VISIBLE_STATUSES
    return RecallRequest(
        query=body.query,
        strategy=body.strategy,
        limit=body.limit,
        filters=filters_of(body.filters, statuses),
        entities=tuple(body.entities),
        hops=DEFAULT_HOPS if body.hops is None else body.hops,
        profile=body.profile,
        task=task_of(body),
        include_stale=body.include_stale,
        consistency=body.consistency,
        as_of=body.as_of,
        min_score=body.min_score,
    )


def task_of(body: TaskFields) -> TaskProfile:
    return TaskProfile(
        task_type=body.task_type,
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
