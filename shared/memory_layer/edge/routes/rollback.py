"""Routes of rollbacks: all that a principal did, taken back and brought back."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Path

from memory_layer.edge.http import caller
from memory_layer.edge.operations import rollback_jobs
from memory_layer.edge.operations.deferral import LATER, answered_or_accepted
from memory_layer.edge.operations.jobs import Work
from memory_layer.edge.shapes.requests import Nothing
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.project_pages import has_at_most
from memory_layer.usecases.ground.stored_state import kept_records
from memory_layer.usecases.review import rollback

router = Router()

READ_AT_ONCE = 500
"""Most memories of a project in which a rollback is answered at once: it reads the history of each."""

RollbackId = Annotated[str, Path(description="The rollback's id, from its receipt.", max_length=128)]


@router.post(
    "/v1/projects/<project>/rollback",
    summary="Take back all that a principal wrote, voted and reported (admins)",
    operation_id="roll_back",
    tags=["data"],
    responses=caller.described_response(200, rollback.RollbackReceipt, "What was taken back") | LATER,
)
def roll_back_(
    call: caller.Calling,
    project: caller.Project,
    body: Annotated[rollback_jobs.RollbackRequest, Body()],
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    rollback.check_rollback(call.principal)

    def at_once(ports: Ports) -> dict[str, Any]:
        receipt = rollback.roll_back(
            ports,
            call.principal,
            project,
            body.principal,
            id=ports.new_id("rbk_"),
            since=body.since,
            is_dry_run=body.dry_run,
        )
        return rollback_jobs.receipt_json(receipt)

    arguments = rollback_jobs.rollback_arguments(body.principal, body.since, is_dry_run=body.dry_run)
    return answered_or_accepted(
        call,
        project,
        key,
        is_small=_is_small(call, project),
        at_once=at_once,
        later=lambda: Work(kind=rollback_jobs.ROLLBACK, project=project, arguments=arguments),
    )


@router.get(
    "/v1/projects/<project>/rollback/<id>",
    summary="The receipt of a rollback (admins)",
    operation_id="get_rollback",
    tags=["data"],
    responses=caller.described_response(200, rollback.RollbackReceipt, "The receipt"),
)
def receipt(call: caller.Calling, project: caller.Project, id: RollbackId) -> Response[str]:
    found = rollback.get_rollback(call.ports, call.principal, project, id)
    return caller.json_response(200, rollback_jobs.receipt_json(found))


@router.post(
    "/v1/projects/<project>/rollback/<id>/undo",
    summary="Bring back what a rollback took (admins)",
    operation_id="undo_rollback",
    tags=["data"],
    responses=caller.described_response(200, rollback.RollbackReceipt, "What was brought back") | LATER,
)
def undo(
    call: caller.Calling,
    project: caller.Project,
    id: RollbackId,
    body: Annotated[Nothing | None, Body()] = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    del body
    rollback.get_rollback(call.ports, call.principal, project, id)
    return answered_or_accepted(
        call,
        project,
        key,
        is_small=_is_small(call, project),
        at_once=lambda ports: rollback_jobs.receipt_json(
            rollback.undo_rollback(ports, call.principal, project, id)
        ),
        later=lambda: Work(kind=rollback_jobs.ROLLBACK_UNDO, project=project, arguments={"id": id}),
    )


def _is_small(call: caller.Caller, project: str) -> bool:
    pages = kept_records(call.ports.store.integrity, call.principal.scope(project), with_history=False)
    return has_at_most(pages, READ_AT_ONCE)
