"""Routes of batches: many memories at once, the turns of a conversation."""

from collections.abc import Sequence
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Header

from memory_layer.edge.http import caller
from memory_layer.edge.http.lines import (
    Line,
    PostedLines,
    line_results,
    read_lines,
    refuse_reused_key,
    valid_lines,
)
from memory_layer.edge.operations.batch_jobs import accept_batch, accept_turns
from memory_layer.edge.shapes.answer_models import BatchAnswer, OperationAnswer
from memory_layer.edge.shapes.answers import operation_json
from memory_layer.edge.shapes.requests import BatchLine, Turn
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.records import Operation
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.remember import Result, remember_many

router = Router()
Prefer = Annotated[
    str | None, Header(alias="Prefer", description="respond-async: answer 202 at once (RFC 7240)")
]


@router.post(
    "/v1/projects/<project>/memories:batch",
    summary="Store up to 1,000 memories, each on its own",
    operation_id="create_memories",
    tags=["memories"],
    responses=caller.described_response(200, BatchAnswer, "What became of each line")
    | caller.described_response(202, OperationAnswer, "Accepted; Location tells how far it is"),
)
def batch(
    call: caller.Calling, project: caller.Project, key: caller.IdempotencyKey = None, prefer: Prefer = None
) -> Response[str]:
    posted = _posted(call, key)
    if _is_left_behind(prefer):
        return _accepted(accept_batch(call.ports, call.principal, project, posted))
    lines = read_lines(posted, BatchLine)
    refuse_reused_key(call.ports, call.principal.scope(project), posted, lines)
    results = remember_many(call.ports, call.principal, project, valid_lines(lines))
    return _answer(posted, lines, results)


@router.post(
    "/v1/projects/<project>/sessions/<session_id>/turns",
    summary="Store turns of a conversation; their surroundings become their context",
    operation_id="add_turns",
    tags=["memories"],
    responses=caller.described_response(200, BatchAnswer, "What became of each turn")
    | caller.described_response(
        202, OperationAnswer, "Accepted, each turn in its place; Location tells how far it is"
    ),
)
def turns(
    call: caller.Calling,
    project: caller.Project,
    session_id: caller.SessionId,
    key: caller.IdempotencyKey = None,
    prefer: Prefer = None,
) -> Response[str]:
    posted = _posted(call, key)
    if _is_left_behind(prefer):
        return _accepted(accept_turns(call.ports, call.principal, project, session_id, posted))
    lines = read_lines(posted, Turn, wraps_turns=True)
    refuse_reused_key(call.ports, call.principal.scope(project), posted, lines)
    results = add_turns(call.ports, call.principal, project, session_id, valid_lines(lines))
    return _answer(posted, lines, results)


def _is_left_behind(prefer: str | None) -> bool:
    return prefer is not None and "respond-async" in prefer


def _accepted(operation: Operation) -> Response[str]:
    location = {"Location": f"/v1/operations/{operation.id}", "Preference-Applied": "respond-async"}
    return caller.json_response(202, operation_json(operation), location)


def _posted(call: caller.Caller, key: str | None) -> PostedLines:
    return PostedLines(call.path, call.request_id, call.body, key, call.principal.holder)


def _answer(posted: PostedLines, lines: Sequence[Line], results: Sequence[Result]) -> Response[str]:
    is_replay = bool(results) and all(isinstance(result, IdempotencyRecord) for result in results)
    headers = {"Idempotent-Replayed": "true"} if is_replay else None
    return caller.json_response(200, {"results": line_results(posted, lines, results)}, headers)
