"""Routes of the caller: who it is, and the projects that it sees."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from memory_layer.edge.http import caller, cursors
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.project_answers import (
    CallerAnswer,
    ProjectsAnswer,
    caller_answer,
    projects_json,
)
from memory_layer.usecases.ground.projects import list_projects

router = Router()


@router.get(
    "/v1/me",
    summary="Who calls, and what they may do",
    operation_id="get_caller",
    tags=["settings"],
    responses=caller.described_response(200, CallerAnswer, "The caller"),
)
def me(call: caller.Calling) -> Response[str]:
    return caller.json_response(200, document(caller_answer(call.principal)))


@router.get(
    "/v1/projects",
    summary="List the projects that the caller sees a memory of, by name",
    operation_id="list_projects",
    tags=["settings"],
    responses=caller.described_response(200, ProjectsAnswer, "A page, with counts of what the caller sees"),
)
def projects(call: caller.Calling, limit: caller.Limit = 50, cursor: caller.Cursor = None) -> Response[str]:
    after = cursors.text_key(cursor, cursors.PROJECTS_QUERY)
    found, next_key = list_projects(call.ports, call.principal, after=after, limit=limit)
    next_cursor = cursors.text_cursor(next_key, cursors.PROJECTS_QUERY)
    return caller.json_response(200, projects_json(found, next_cursor))
