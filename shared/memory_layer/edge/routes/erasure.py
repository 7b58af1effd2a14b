"""Route of erasures, which forget for good."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.edge.http.caller import Caller, Calling, IdempotencyKey, Project, described_response
from memory_layer.edge.operations import erasure_jobs
from memory_layer.edge.operations.deferral import LATER, answered_or_accepted
from memory_layer.edge.operations.jobs import Work
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.project_pages import has_at_most
from memory_layer.usecases.ground.stored_state import kept_records
from memory_layer.usecases.transfer.erase import ErasureReceipt, check_erasure, erase

router = Router()

ERASED_AT_ONCE = 100
"""Most memories erased at once: each reads its history, and rewrites its neighbours' copies of its words."""


@router.post(
    "/v1/projects/<project>/erase",
    summary="Erase all of a person, or all that names an entity (admins, or one's own)",
    operation_id="erase",
    tags=["data"],
    responses=described_response(200, ErasureReceipt, "The receipt: how much went, by store") | LATER,
)
def erase_(
    call: Calling,
    project: Project,
    body: Annotated[erasure_jobs.ErasureRequest, Body()],
    key: IdempotencyKey = None,
) -> Response[str]:
    return erased(call, project, body.rule(), is_dry_run=body.dry_run, key=key)


@router.delete(
    "/v1/projects/<project>",
    summary="Erase a whole project (admins)",
    operation_id="erase_project",
    tags=["data"],
    responses=described_response(200, ErasureReceipt, "The receipt: how much went, by store") | LATER,
)
def erase_project(
    call: Calling,
    project: Project,
    dry_run: Annotated[bool, Query(description="Say what would go, and erase nothing")] = False,
    key: IdempotencyKey = None,
) -> Response[str]:
    return erased(call, project, ErasureRule(), is_dry_run=dry_run, key=key)


def erased(
    call: Caller, project: str, rule: ErasureRule, *, is_dry_run: bool, key: str | None
) -> Response[str]:
    """Answer to an erasure: its receipt, or the operation that it is. Raises: Forbidden: it is not the caller's."""
    check_erasure(call.principal, project, rule)

    def at_once(ports: Ports) -> dict[str, Any]:
        receipt = erase(
            ports,
            call.principal,
            project,
            rule,
            id=ports.new_id("ers_"),
            began_at=ports.clock.now(),
            is_dry_run=is_dry_run,
        )
        return erasure_jobs.receipt_json(receipt)

    return answered_or_accepted(
        call,
        project,
        key,
        is_small=has_at_most(
            kept_records(call.ports.store.integrity, call.principal.scope(project), with_history=False),
            ERASED_AT_ONCE,
        ),
        at_once=at_once,
        later=lambda: Work(
            kind=erasure_jobs.ERASE,
            project=project,
            arguments=erasure_jobs.erasure_arguments(rule, is_dry_run=is_dry_run),
        ),
    )
