"""Routes of a whole project's data: export, merge, prune."""

from dataclasses import asdict
from itertools import islice
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from memory_layer.domain.access import viewer_of
from memory_layer.edge.http.caller import (
    Caller,
    Calling,
    IdempotencyKey,
    OperationId,
    Project,
    described_response,
)
from memory_layer.edge.http.described_bodies import NDJSON, lines_schema
from memory_layer.edge.operations import data_jobs, deferral
from memory_layer.edge.operations.jobs import Work, accept, read_part
from memory_layer.edge.shapes import data_bodies
from memory_layer.usecases.ground.project_pages import has_at_most, record_pages
from memory_layer.usecases.ground.queries import get_operation
from memory_layer.usecases.transfer.export_forms import ExportFormat
from memory_layer.usecases.transfer.export_project import export_parts
from memory_layer.usecases.transfer.merge_projects import check_merge, merge_project
from memory_layer.usecases.transfer.prune import PruneReport, check_prune, prune

router = Router()

CONTENT_TYPES = {
    "ndjson": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "mif": "application/vnd.mif",  # JSON, under a name by which no generated client takes every export for JSON
    "markdown": "text/markdown; charset=utf-8",
}
SUFFIXES = {"mif": "mif.json", "markdown": "md"}
Format = Annotated[
    ExportFormat,
    Query(
        description="ndjson, mif (MIF 2.0) and markdown (a page a memory) can be imported again, whole; csv is for "
        "spreadsheets"
    ),
]


def _lines(description: str) -> dict[int, Any]:
    """Description of an answer of lines in openapi.json."""
    line = {"type": "object", "description": "A record, or the manifest at the end."}
    schemas = {
        NDJSON: lines_schema(line, "One record a line, and the manifest of them as the last."),
        "text/csv": {"type": "string", "description": "A header, then one record a line."},
        CONTENT_TYPES["mif"]: {
            "type": "object",
            "description": "A document of MIF 2.0, sealed by the manifest.",
        },
        "text/markdown": {"type": "string", "description": "A page a record, and the manifest as the last."},
    }
    content = {type: {"schema": schema} for type, schema in schemas.items()}
    return {200: {"description": description, "content": content}}


@router.get(
    "/v1/projects/<project>/export",
    summary="Everything that the caller may see of a project, sealed by a manifest",
    operation_id="export_project",
    tags=["data"],
    responses=_lines("One record a line; NDJSON ends with its manifest") | deferral.LATER,
)
def export(call: Calling, project: Project, format: Format = "ndjson") -> Response[str]:
    body = _small_export(call, project, format)
    if body is not None:
        named = f'attachment; filename="{project}.{SUFFIXES.get(format, format)}"'
        return Response(200, CONTENT_TYPES[format], body, headers={"Content-Disposition": named})
    work = Work(kind=data_jobs.EXPORT, project=project, arguments={"format": format})
    return deferral.accepted_response(
        accept(call.ports, call.principal, deferral.ticket_of(call, None), work)
    )


def _is_small(call: Caller, project: str) -> bool:
    return has_at_most(
        record_pages(call.ports.store.memories, call.principal.scope(project)), deferral.AT_ONCE_RECORDS
    )


def _small_export(call: Caller, project: str, format: ExportFormat) -> str | None:
    """Whole export, if it is one part of a small project."""
    if not _is_small(call, project):
        return None
    parts = export_parts(call.ports, call.principal, project, format, max_bytes=data_jobs.PART_MAX_BYTES)
    found = list(islice(parts, 2))
    return found[0].body.decode() if len(found) == 1 else None


@router.post(
    "/v1/projects/<project>/merge-project",
    summary="Bring another project of the tenant in: by id, then by content (admins)",
    operation_id="merge_project",
    tags=["data"],
    responses=described_response(200, data_bodies.MergeAnswer, "What became of the other project's records")
    | deferral.LATER,
)
def merge(
    call: Calling,
    project: Project,
    body: Annotated[data_bodies.MergeRequest, Body()],
    key: IdempotencyKey = None,
) -> Response[str]:
    check_merge(call.principal, project, body.source)
    other, is_dry_run = body.source, body.dry_run
    return deferral.answered_or_accepted(
        call,
        project,
        key,
        is_small=_is_small(call, project) and _is_small(call, other),
        at_once=lambda ports: data_bodies.merged_json(
            merge_project(ports, call.principal, project, other, is_dry_run=is_dry_run), other
        ),
        later=lambda: Work(
            kind=data_jobs.MERGE_PROJECT,
            project=project,
            arguments={"other": other, "is_dry_run": is_dry_run},
        ),
        is_whole=not is_dry_run,
    )


@router.post(
    "/v1/projects/<project>/prune",
    summary="Archive what has not proven itself (reviewers)",
    operation_id="prune_project",
    tags=["data"],
    responses=described_response(200, PruneReport, "What the rule met") | deferral.LATER,
)
def prune_(
    call: Calling,
    project: Project,
    body: Annotated[data_bodies.PruneRequest, Body()],
    key: IdempotencyKey = None,
) -> Response[str]:
    rule, is_dry_run = body.rule(), body.dry_run
    check_prune(call.principal, project, rule)
    return deferral.answered_or_accepted(
        call,
        project,
        key,
        is_small=_is_small(call, project),
        at_once=lambda ports: data_bodies.pruned_json(
            prune(ports, call.principal, project, rule, is_dry_run=is_dry_run)
        ),
        later=lambda: Work(
            kind=data_jobs.PRUNE, project=project, arguments={"rule": asdict(rule), "is_dry_run": is_dry_run}
        ),
    )


@router.get(
    "/v1/operations/<id>/parts/<n>",
    summary="A part of what an operation made, for a week",
    operation_id="get_operation_part",
    tags=["operations"],
    responses=_lines("To be read, and imported, by itself"),
)
def part(
    call: Calling,
    id: OperationId,
    n: Annotated[int, Path(ge=1, le=1_000_000, description="Which part, from 1")],
) -> Response[str]:
    operation = get_operation(call.ports, call.principal, id)
    format, body = read_part(call.ports, operation, n, viewer_of(call.principal))
    return Response(200, CONTENT_TYPES[format], body.decode())
