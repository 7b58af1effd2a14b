"""Recall, and the prompt section made of it."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body

from memory_layer.domain.filters import VISIBLE_STATUSES
from memory_layer.domain.ranking import Task
from memory_layer.edge.answers import prompt_json, recalled_json
from memory_layer.edge.call import Calling, Project, answered, described
from memory_layer.edge.filtering import filters_of
from memory_layer.edge.responses import PromptAnswer, RecallAnswer
from memory_layer.edge.schemas import PromptQuery, RecallQuery, TaskFields
from memory_layer.usecases.compose_prompt import compose_prompt
from memory_layer.usecases.recall import RecallRequest, recall

router = Router()


@router.post(
    "/v1/projects/<project>/recall",
    summary="Recall what bears on a question, best first",
    operation_id="recall",
    tags=["recall"],
    responses=described(200, RecallAnswer, "Memories with their signals"),
)
def recall_memories(call: Calling, project: Project, body: Annotated[RecallQuery, Body()]) -> Response[str]:
    statuses = (*VISIBLE_STATUSES, "stale") if body.include_stale else VISIBLE_STATUSES
    filters = filters_of(body.filters, statuses)
    request = RecallRequest(
        query=body.query,
        strategy=body.strategy,
        limit=body.limit,
        filters=filters,
        entities=tuple(body.entities),
        profile=body.profile,
        task=_task(body),
        include_stale=body.include_stale,
        consistency=body.consistency,
        min_score=body.min_score,
    )
    return answered(200, recalled_json(recall(call.ports, call.principal, project, request)))


@router.post(
    "/v1/projects/<project>/prompt",
    summary="The Memories section of a prompt",
    operation_id="compose_prompt",
    tags=["recall"],
    responses=described(200, PromptAnswer, "Markdown, and the memories in it"),
)
def prompt(call: Calling, project: Project, body: Annotated[PromptQuery, Body()]) -> Response[str]:
    composed = compose_prompt(call.ports, call.principal, project, body.task, _task(body), limit=body.limit)
    return answered(200, prompt_json(composed))


def _task(body: TaskFields) -> Task:
    return Task(
        task_type=body.task_type,
        write_scope=tuple(body.write_scope),
        file_patterns=tuple(body.file_patterns),
        error_patterns=tuple(body.error_patterns),
    )
