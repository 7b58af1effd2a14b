"""Routes of a whole project's data: export, import, merge, prune."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from itertools import islice
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from memory_layer.domain.access import viewer_of
from memory_layer.edge.foreign.csv_table import exported_records
from memory_layer.edge.foreign.read_file import ForeignFormat, read_foreign
from memory_layer.edge.http.caller import (
    Caller,
    Calling,
    IdempotencyKey,
    OperationId,
    Project,
    described_choice,
    described_response,
)
from memory_layer.edge.http.described_bodies import NDJSON, lines_schema
from memory_layer.edge.operations import data_jobs, deferral
from memory_layer.edge.operations.jobs import Work, accept, read_part
from memory_layer.edge.shapes import data_bodies
from memory_layer.usecases.ground.project_pages import has_at_most, ignore_progress, record_pages
from memory_layer.usecases.ground.queries import get_operation
from memory_layer.usecases.transfer.export_project import ExportFormat, export_parts
from memory_layer.usecases.transfer.foreign_file import ForeignTally
from memory_layer.usecases.transfer.import_foreign import check_foreign_import, import_foreign
from memory_layer.usecases.transfer.import_project import ImportReport, OnExisting, check_import, write_import
from memory_layer.usecases.transfer.merge_projects import check_merge, merge_project
from memory_layer.usecases.transfer.prune import PruneReport, check_prune, prune

router = Router()

IMPORTED_AT_ONCE = 200
"""Most records of an import at once: written ones are embedded, eight milliseconds each on a shared core."""

CONTENT_TYPES = {"ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
ImportFormat = Literal["ndjson", "csv", "markdown", "ralph"]
Format = Annotated[ExportFormat, Query(description="ndjson can be imported again; csv is for reading")]
DryRun = Annotated[bool, Query(description="Say what would happen, and write nothing")]


def _lines(description: str) -> dict[int, Any]:
    """Description of an answer of lines in openapi.json."""
    line = {"type": "object", "description": "A record, or the manifest at the end."}
    schemas = {
        NDJSON: lines_schema(line, "One record a line, and the manifest of them as the last."),
        "text/csv": {"type": "string", "description": "A header, then one record a line."},
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
        named = f'attachment; filename="{project}.{format}"'
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
    "/v1/projects/<project>/import",
    summary="Bring in an export, whole or not at all, or another tool's file (admins)",
    operation_id="import_project",
    tags=["data"],
    responses=described_choice(200, (ImportReport, ForeignTally), "What became of the file") | deferral.LATER,
)
def import_(
    call: Calling,
    project: Project,
    format: Annotated[
        ImportFormat, Query(description="ndjson is our export; csv is one, or a table with a column content")
    ] = "ndjson",
    dry_run: DryRun = False,
    on_existing: Annotated[OnExisting, Query(description="What to do about ids that are there")] = "skip",
    allow_unsealed: Annotated[bool, Query(description="Lines without a manifest will do")] = False,
    name: Annotated[
        str | None, Query(description="A Markdown file's path: by it a later import of the file updates")
    ] = None,
    prune: Annotated[bool, Query(description="Archive what the file, by its name, says no more")] = False,
    key: IdempotencyKey = None,
) -> Response[str]:
    exported = exported_records(call.body) if format == "csv" else None
    if format == "ndjson" or exported is not None:
        lines, unsealed = (call.body.split("\n"), allow_unsealed) if exported is None else (exported, True)
        return _import_export(call, project, key, lines, dry_run, on_existing, allow_unsealed=unsealed)
    return _import_foreign(call, project, key, format, name, dry_run, prunes=prune)


def _import_foreign(
    call: Caller,
    project: str,
    key: str | None,
    format: ForeignFormat,
    name: str | None,
    is_dry_run: bool,
    *,
    prunes: bool,
) -> Response[str]:
    scope, text = call.principal.scope(project), call.body
    file = read_foreign(format, text, name)
    check_foreign_import(call.principal, project, file, prunes=prunes)
    options: dict[str, Any] = {"is_dry_run": is_dry_run, "prunes": prunes}
    return deferral.answered_or_accepted(
        call,
        project,
        key,
        is_small=file.size <= IMPORTED_AT_ONCE,
        at_once=lambda ports: data_bodies.foreign_json(
            import_foreign(ports, call.principal, project, file, **options)
        ),
        later=lambda: Work(
            kind=data_jobs.FOREIGN_IMPORT,
            project=project,
            arguments=data_jobs.foreign_arguments(
                call.ports.store.projects.policy(scope), format, text, name, **options
            ),
            total=file.size,
        ),
        is_whole=file.name is not None and not is_dry_run,
    )


def _import_export(
    call: Caller,
    project: str,
    key: str | None,
    lines: Sequence[str],
    is_dry_run: bool,
    on_existing: OnExisting,
    *,
    allow_unsealed: bool,
) -> Response[str]:
    checked = check_import(
        *(call.ports, call.principal, project, lines),
        allow_unsealed=allow_unsealed,
        on_existing=on_existing,
    )
    writing = partial(write_import, is_dry_run=is_dry_run, on_existing=on_existing, tell=ignore_progress)
    with closing(checked):
        return deferral.answered_or_accepted(
            call,
            project,
            key,
            is_small=is_dry_run or checked.records <= IMPORTED_AT_ONCE,
            at_once=lambda ports: data_bodies.imported_json(writing(ports, call.principal, project, checked)),
            later=lambda: Work(
                kind=data_jobs.IMPORT,
                project=project,
                arguments=data_jobs.import_arguments(checked, is_dry_run=is_dry_run, on_existing=on_existing),
                total=checked.records,
            ),
            is_whole=not is_dry_run,
        )


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
