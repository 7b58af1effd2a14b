"""Routes of a project's integrity: verification, snapshots, restorations."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Path
from pydantic import BaseModel

from memory_layer.edge.http import caller
from memory_layer.edge.operations.deferral import AT_ONCE_RECORDS, LATER, answered_or_accepted
from memory_layer.edge.operations.jobs import Work
from memory_layer.edge.operations.snapshot_jobs import RESTORE, SNAPSHOT, VERIFY
from memory_layer.edge.shapes import snapshot_answers
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.edge.shapes.requests import DryRun, Nothing
from memory_layer.errors import StoreUnavailable
from memory_layer.usecases.ground.change_record import require_admin
from memory_layer.usecases.ground.project_pages import has_at_most
from memory_layer.usecases.ground.stored_state import kept_records
from memory_layer.usecases.transfer.restore_snapshot import find_snapshot, restore_snapshot
from memory_layer.usecases.transfer.take_snapshot import list_snapshots, take_snapshot
from memory_layer.usecases.transfer.verify import VerificationReport, verify

router = Router()


class SnapshotRestoration(BaseModel):
    """Options of a restoration: a dry run says what would happen, and writes nothing."""

    model_config = REFUSE_UNKNOWN
    dry_run: DryRun = False


SnapshotId = Annotated[str, Path(description="Of a snapshot, or `latest`: the newest one that is sound")]


@router.post(
    "/v1/projects/<project>/verify",
    summary="Read everything, and name all that is broken (admins)",
    operation_id="verify_project",
    tags=["data"],
    responses=caller.described_response(200, VerificationReport, "What was read, and what is wrong") | LATER,
)
def verify_(
    call: caller.Calling,
    project: caller.Project,
    body: Annotated[Nothing | None, Body()] = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    del body
    require_admin(call.principal, f"verifying project {project}")
    return answered_or_accepted(
        call,
        project,
        key,
        is_small=_is_small(call, project),
        at_once=lambda ports: snapshot_answers.verified_json(verify(ports, call.principal, project)),
        later=lambda: Work(kind=VERIFY, project=project, arguments={}),
    )


@router.get(
    "/v1/projects/<project>/snapshots",
    summary="What was put aside (admins)",
    operation_id="list_snapshots",
    tags=["data"],
    responses=caller.described_response(200, snapshot_answers.SnapshotsAnswer, "Newest first"),
)
def snapshots(call: caller.Calling, project: caller.Project) -> Response[str]:
    found = list_snapshots(call.ports, call.principal, project)
    return caller.json_response(200, snapshot_answers.snapshots_json(found))


@router.post(
    "/v1/projects/<project>/snapshots",
    summary="Put the project aside as it is (admins)",
    operation_id="take_snapshot",
    tags=["data"],
    responses=caller.described_response(200, snapshot_answers.SnapshotAnswer, "The snapshot") | LATER,
)
def snapshot(
    call: caller.Calling,
    project: caller.Project,
    body: Annotated[Nothing | None, Body()] = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    del body
    require_admin(call.principal, f"a snapshot of project {project}")
    return answered_or_accepted(
        call,
        project,
        key,
        is_small=_is_small(call, project),
        at_once=lambda ports: snapshot_answers.snapshot_json(take_snapshot(ports, call.principal, project)),
        later=lambda: Work(kind=SNAPSHOT, project=project, arguments={}),
    )


@router.post(
    "/v1/projects/<project>/snapshots/<id>/restore",
    summary="Bring a project back to what a snapshot holds (admins)",
    operation_id="restore_snapshot",
    tags=["data"],
    responses=caller.described_response(200, snapshot_answers.RestoreAnswer, "What became of the records")
    | LATER,
)
def restore(
    call: caller.Calling,
    project: caller.Project,
    id: SnapshotId,
    body: Annotated[SnapshotRestoration | None, Body()] = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    dry_run = body is not None and body.dry_run
    found = find_snapshot(call.ports, call.principal, project, id)
    return answered_or_accepted(
        call,
        project,
        key,
        is_small=found.records <= AT_ONCE_RECORDS and _is_small(call, project),
        at_once=lambda ports: snapshot_answers.restored_json(
            restore_snapshot(ports, call.principal, project, id, is_dry_run=dry_run)
        ),
        later=lambda: Work(
            kind=RESTORE,
            project=project,
            arguments={"snapshot": id, "is_dry_run": dry_run},
            total=found.records,
        ),
        is_whole=not dry_run,
    )


def _is_small(call: caller.Caller, project: str) -> bool:
    """Tells if a project is small; an unreadable one counts as small: the work itself says what is wrong."""
    try:
        pages = kept_records(call.ports.store.integrity, call.principal.scope(project), with_history=False)
        return has_at_most(pages, AT_ONCE_RECORDS)
    except StoreUnavailable:
        return True
