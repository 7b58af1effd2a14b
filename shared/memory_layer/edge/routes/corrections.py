"""Routes of corrections: confirming stale memories, undoing decisions, restoring versions, merging."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body

from memory_layer.domain.memory import Memory
from memory_layer.edge.http import caller
from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
from memory_layer.edge.routes.memories import record, record_answer
from memory_layer.edge.shapes.answer_models import MemoryAnswer, StaleAnswer, StoredAnswer
from memory_layer.edge.shapes.answers import changed_answer, etag, revised_json, stale_json, to_text
from memory_layer.edge.shapes.requests import Merging, Reason, Restoration, Undoing
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.review.list_stale import stale_memories
from memory_layer.usecases.write.merge_memories import merge_memories
from memory_layer.usecases.write.restore_version import restore_version
from memory_layer.usecases.write.revise import RevisedMemory
from memory_layer.usecases.write.undo import undo_last_change

router = Router()
_MEMORY = "/v1/projects/<project>/memories/<id>"


def _corrected_response(result: Memory | IdempotencyRecord) -> Response[str]:
    return caller.replayed_response(result) if isinstance(result, IdempotencyRecord) else record(result)


@router.post(
    f"{_MEMORY}/confirm",
    summary="Say that a stale or doubted memory still holds",
    operation_id="confirm_memory",
    tags=["memories"],
    responses=caller.described_response(200, MemoryAnswer, "Recalled again, doubted no more"),
)
def confirm(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[Reason | None, Body()] = None,
    if_match: caller.IfMatch = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    return _corrected_response(
        confirm_memory(
            call.ports,
            call.principal,
            project,
            id,
            reason=body.reason if body else None,
            expected=caller.expected_version(if_match),
            once=call.once(key, record_answer),
        )
    )


@router.post(
    f"{_MEMORY}/undo",
    summary="Undo the last change of status or approval",
    operation_id="undo_last_change",
    tags=["memories"],
    responses=caller.described_response(200, MemoryAnswer, "As it stood before, saying what it says now"),
)
def undo(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[Undoing | None, Body()] = None,
    if_match: caller.IfMatch = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    return _corrected_response(
        undo_last_change(
            call.ports,
            call.principal,
            project,
            id,
            back_to=body.back_to if body else None,
            reason=body.reason if body else None,
            expected=caller.expected_version(if_match),
            once=call.once(key, record_answer),
        )
    )


@router.post(
    f"{_MEMORY}/restore",
    summary="Say again what an earlier version said",
    operation_id="restore_version",
    tags=["memories"],
    responses=caller.described_response(200, StoredAnswer, "A new version"),
)
def restore(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[Restoration, Body()],
    if_match: caller.IfMatch = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    result = restore_version(
        call.ports,
        call.principal,
        project,
        id,
        body.version,
        reason=body.reason,
        expected=caller.expected_version(if_match),
        once=call.once(key, _revised_answer),
    )
    if isinstance(result, IdempotencyRecord):
        return caller.replayed_response(result)
    return caller.json_response(200, revised_json(result), {"ETag": etag(result.memory)})


def _revised_answer(revised: RevisedMemory) -> tuple[int, str]:
    return 200, to_text(revised_json(revised))


@router.post(
    f"{_MEMORY}/merge",
    summary="Take in memories that say the same; they are superseded by this one",
    operation_id="merge_memories",
    tags=["memories"],
    responses=caller.described_response(200, StoredAnswer, "United")
    | caller.described_response(202, StoredAnswer, "Proposed"),
)
def merge(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[Merging, Body()],
    if_match: caller.IfMatch = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    result = merge_memories(
        call.ports,
        call.principal,
        project,
        id,
        body.ids,
        content=body.content,
        reason=body.reason,
        expected=caller.expected_version(if_match),
        once=call.once(key, changed_answer),
    )
    if isinstance(result, IdempotencyRecord):
        return caller.replayed_response(result)
    status, text = changed_answer(result)
    return caller.json_response(status, text, {"ETag": etag(result.memory)})


@router.get(
    "/v1/projects/<project>/stale",
    summary="What went stale, the oldest memories first",
    operation_id="list_stale",
    tags=["reviews"],
    responses=caller.described_response(200, StaleAnswer, "Each with the reason, and since when"),
)
def stale(
    call: caller.Calling,
    project: caller.Project,
    limit: caller.Limit = 50,
    cursor: caller.Cursor = None,
) -> Response[str]:
    bound_to = ["stale", project]
    after = decode_cursor(cursor, bound_to)
    page = stale_memories(call.ports, call.principal, project, after=after, limit=limit)
    return caller.json_response(200, stale_json(page.items, encode_cursor(page.next_key, bound_to)))
