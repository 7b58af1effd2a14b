"""Routes of memories: create, read, change, forget, judge."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from memory_layer.domain.fields import memory_to_json
from memory_layer.domain.memory import Memory
from memory_layer.edge.http import caller
from memory_layer.edge.http.memory_page import memory_page
from memory_layer.edge.shapes import answer_models, answers, requests
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.filter_requests import Listing
from memory_layer.edge.shapes.list_answers import PageAnswer
from memory_layer.errors import NotFound, StaleVersion
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.ground.read_memory import times_shown
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.as_of import history_at, memory_at
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.remember import remember
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory

router = Router()
_MEMORIES = "/v1/projects/<project>/memories"
_MEMORY = f"{_MEMORIES}/<id>"


def record(memory: Memory) -> Response[str]:
    return caller.json_response(200, memory_to_json(memory), {"ETag": answers.etag(memory)})


def record_answer(memory: Memory) -> tuple[int, str]:
    return 200, answers.to_text(memory_to_json(memory))


_PROPOSED = caller.described_response(
    202, answer_models.StoredAnswer, "A proposal, kept beside the memory until a reviewer decides"
)


@router.post(
    _MEMORIES,
    summary="Store a memory",
    operation_id="create_memory",
    tags=["memories"],
    responses=caller.described_response(201, answer_models.StoredAnswer, "Stored"),
)
def create(
    call: caller.Calling,
    project: caller.Project,
    body: Annotated[requests.NewMemory, Body()],
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    asked = RememberRequest(
        fields=requests.given_fields(body, "on_duplicate"),
        on_duplicate=body.on_duplicate,
        once=call.once(key, answers.stored_answer),
        is_said_now=True,
    )
    result = remember(call.ports, call.principal, project, asked)
    if isinstance(result, IdempotencyRecord):
        return caller.replayed_response(result)
    status, text = answers.stored_answer(result)
    return caller.json_response(status, text, answers.location(result.memory))


@router.get(
    _MEMORIES,
    summary="List memories, newest first or in another order",
    operation_id="list_memories",
    tags=["memories"],
    responses=caller.described_response(200, PageAnswer, "A page"),
)
def list_page(
    call: caller.Calling, project: caller.Project, listing: Annotated[Listing, Query()]
) -> Response[str]:
    return caller.json_response(200, memory_page(call.ports, call.principal, project, listing))


@router.get(
    _MEMORY,
    summary="Read a memory",
    operation_id="get_memory",
    tags=["memories"],
    responses=caller.described_response(200, answer_models.ReadMemory, "The record"),
)
def read(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    as_of: caller.AsOf = None,
    shown: Annotated[bool, Query(description="Count how often it was shown lately")] = False,
) -> Response[str]:
    memory = memory_at(call.ports, call.principal, project, id, as_of)
    count = times_shown(call.ports, memory) if shown else None
    answer = document(answer_models.ReadMemory(memory, count))
    return caller.json_response(200, answer, {"ETag": answers.etag(memory)})


@router.put(
    _MEMORY,
    summary="Store a memory under your own id, or replace what it says",
    operation_id="put_memory",
    tags=["memories"],
    responses=caller.described_response(200, answer_models.StoredAnswer, "Replaced")
    | caller.described_response(201, answer_models.StoredAnswer, "Stored")
    | _PROPOSED,
)
def put(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[requests.Replacement, Body()],
    if_match: caller.IfMatch = None,
) -> Response[str]:
    expected = caller.expected_version(if_match)
    if if_match is not None and expected is None:
        _require_record(call, project, id)
    result = put_memory(
        call.ports, call.principal, project, id, requests.given_fields(body), expected=expected
    )
    status, text = answers.stored_answer(result)
    return caller.json_response(status, text, answers.location(result.memory))


def _require_record(call: caller.Caller, project: str, id: str) -> None:
    """Requires a record for `If-Match: *`, which replaces any version and is no leave to create one.

    Raises:
        StaleVersion: there is no record that the caller may know of.
    """
    try:
        get_memory(call.ports, call.principal, project, id)
    except NotFound as error:
        raise StaleVersion(
            f"there is no memory {id} to replace; send it without If-Match to store it"
        ) from error


@router.patch(
    _MEMORY,
    summary="Change what a memory says",
    operation_id="update_memory",
    tags=["memories"],
    responses=caller.described_response(200, answer_models.StoredAnswer, "Changed") | _PROPOSED,
)
def update(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[requests.Revision, Body()],
    if_match: caller.IfMatch = None,
) -> Response[str]:
    expected = caller.expected_version(if_match)
    revised = revise(call.ports, call.principal, project, id, requests.given_fields(body), expected=expected)
    status, text = answers.changed_answer(revised)
    return caller.json_response(status, text, answers.location(revised.memory))


@router.delete(
    _MEMORY,
    summary="Archive a memory, or erase it (hard=true)",
    operation_id="delete_memory",
    tags=["memories"],
    responses=caller.described_response(200, answer_models.MemoryAnswer, "Archived")
    | {204: {"description": "Erased"}},
)
def delete(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    hard: Annotated[bool, Query(description="Erase it for good")] = False,
    reason: Annotated[
        str | None, Query(max_length=requests.REASON_MAX_CHARS, description="Why, for the history")
    ] = None,
    if_match: caller.IfMatch = None,
) -> Response[str]:
    expected = caller.expected_version(if_match)
    if not hard:
        return record(
            archive_memory(call.ports, call.principal, project, id, expected=expected, reason=reason)
        )
    erase_memory(call.ports, call.principal, project, id, expected=expected)
    return Response(204, None, "")


@router.post(
    f"{_MEMORY}/outcome",
    summary="Report whether a memory helped",
    operation_id="report_outcome",
    tags=["learning"],
    responses=caller.described_response(200, answer_models.ReportedAnswer, "The record, moved"),
)
def outcome(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[requests.Outcome, Body()],
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    report = OutcomeReport(**body.model_dump())
    once = call.once(key, lambda reported: (200, answers.to_text(answers.reported_json(reported))))
    result = report_outcome(call.ports, call.principal, project, id, report, once=once)
    if isinstance(result, IdempotencyRecord):
        return caller.replayed_response(result)
    return caller.json_response(200, answers.reported_json(result), {"ETag": answers.etag(result.memory)})


@router.post(
    f"{_MEMORY}/supersede",
    summary="Put a correction in the place of a memory",
    operation_id="supersede_memory",
    tags=["memories"],
    responses=caller.described_response(200, answer_models.StoredAnswer, "The stored one, in its place")
    | caller.described_response(201, answer_models.StoredAnswer, "The correction")
    | _PROPOSED,
)
def supersede(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[requests.Supersession, Body()],
    if_match: caller.IfMatch = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    result = supersede_memory(
        call.ports,
        call.principal,
        project,
        id,
        requests.given_fields(body, "reason"),
        reason=body.reason,
        expected=caller.expected_version(if_match),
        once=call.once(key, answers.stored_answer),
    )
    if isinstance(result, IdempotencyRecord):
        return caller.replayed_response(result)
    status, text = answers.stored_answer(result)
    return caller.json_response(status, text, answers.location(result.memory))


@router.get(
    f"{_MEMORY}/history",
    summary="Every version, through the whole correction chain",
    operation_id="get_memory_history",
    tags=["memories"],
    responses=caller.described_response(200, answer_models.HistoryAnswer, "Oldest first"),
)
def history(
    call: caller.Calling, project: caller.Project, id: caller.MemoryId, as_of: caller.AsOf = None
) -> Response[str]:
    versions = history_at(call.ports, call.principal, project, id, as_of)
    return caller.json_response(200, answers.history_json(versions))
