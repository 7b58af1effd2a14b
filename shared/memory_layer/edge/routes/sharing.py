"""Route that shares a reviewed memory of one project with the whole tenant."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body
from pydantic import BaseModel, Field

from memory_layer.domain.access import SHARED_PROJECT
from memory_layer.domain.fields import memory_to_json
from memory_layer.edge.http import caller
from memory_layer.edge.shapes.answer_models import MemoryAnswer
from memory_layer.edge.shapes.answers import location, to_text
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.idempotency import answered_once
from memory_layer.usecases.review.apply_memory import AppliedAs, apply_memory

router = Router()


class Application(BaseModel):
    """Type under which the memory is shared."""

    model_config = REFUSE_UNKNOWN
    as_: Annotated[
        AppliedAs, Field(alias="as", description="What it shall serve as in the tenant's shared project.")
    ] = "memory"


@router.post(
    "/v1/projects/<project>/memories/<id>/apply",
    summary="Share a reviewed memory with the whole tenant (reviewers)",
    operation_id="apply_memory",
    tags=["memories"],
    responses=caller.described_response(
        201, MemoryAnswer, "The shared memory, in project _shared; each names the other"
    ),
)
def apply(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[Application, Body()],
    if_match: caller.IfMatch = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    expected = caller.expected_version(if_match)
    result = answered_once(
        call.ports.store.requests,
        call.ports.store.writer,
        call.principal.scope(SHARED_PROJECT),
        call.once(key, lambda memory: (201, to_text(memory_to_json(memory)))),
        call.ports.clock.now(),
        lambda: apply_memory(call.ports, call.principal, project, id, body.as_, expected=expected).shared,
        memory_id=lambda memory: memory.id,
    )
    if isinstance(result, IdempotencyRecord):
        return caller.replayed_response(result)
    return caller.json_response(201, memory_to_json(result), location(result))
