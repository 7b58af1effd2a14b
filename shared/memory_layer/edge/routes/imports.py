"""Route by which files come in: exports of this system, and what other tools have written."""

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from memory_layer.domain.memory import Source
from memory_layer.edge.foreign.detected_format import ForeignFormat, ImportFormat, detected_format
from memory_layer.edge.foreign.exported_item import Users
from memory_layer.edge.foreign.own_exports import record_lines
from memory_layer.edge.foreign.read_foreign import Reading, read_foreign
from memory_layer.edge.http.caller import (
    Caller,
    Calling,
    IdempotencyKey,
    Project,
    described_choice,
)
from memory_layer.edge.operations import data_jobs, deferral
from memory_layer.edge.operations.jobs import Work
from memory_layer.edge.shapes import data_bodies
from memory_layer.usecases.ground.project_pages import ignore_progress
from memory_layer.usecases.transfer.foreign_file import ForeignTally
from memory_layer.usecases.transfer.import_foreign import check_foreign_import, import_foreign
from memory_layer.usecases.transfer.import_project import ImportReport, OnExisting, check_import, write_import

router = Router()

IMPORTED_AT_ONCE = 200
"""Most records of an import at once: written ones are embedded, eight milliseconds each on a shared core."""

FORMAT_OF_TYPE: dict[str, ImportFormat] = {"text/csv": "csv", "text/markdown": "markdown"}
"""Formats of bodies by their content type; all others are told from the body."""

DryRun = Annotated[bool, Query(description="Say what would happen, and write nothing")]


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
        ImportFormat | None,
        Query(
            description="What the file is; omitted, told from its content. ndjson, csv, mif and markdown may be "
            "exports of this system"
        ),
    ] = None,
    dry_run: DryRun = False,
    on_existing: Annotated[OnExisting, Query(description="What to do about ids that are there")] = "skip",
    allow_unsealed: Annotated[bool, Query(description="Lines without a manifest will do")] = False,
    name: Annotated[
        str | None, Query(description="A Markdown file's path: by it a later import of the file updates")
    ] = None,
    prune: Annotated[bool, Query(description="Archive what the file, by its name, says no more")] = False,
    map: Annotated[
        list[str] | None,
        Query(
            description="COLUMN=FIELD for a column of a table, as often as needed: memory=content, notes=detail; "
            "x=- leaves it out, and * is every other column"
        ),
    ] = None,
    source: Annotated[
        Source | None, Query(description="Whose words another tool's are, as you vouch for")
    ] = None,
    users: Annotated[
        Users | None,
        Query(description="Memories of many users: seen by everyone together, or each under its persona"),
    ] = None,
    key: IdempotencyKey = None,
) -> Response[str]:
    chosen = format or _format_of(call)
    lines = (
        call.body.split("\n")
        if chosen == "ndjson"
        else record_lines(chosen, call.body, allow_unsealed=allow_unsealed)
    )
    if lines is not None:
        unsealed = allow_unsealed or chosen == "csv"
        return _import_export(call, project, key, lines, dry_run, on_existing, allow_unsealed=unsealed)
    assert chosen != "ndjson"
    reading = Reading(name=name, columns=tuple(map or ()), source=source, users=users)
    return _import_foreign(call, project, key, chosen, reading, dry_run, prunes=prune)


def _format_of(call: Caller) -> ImportFormat:
    """Format that the request's content type names, or that the body has."""
    sent = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    return FORMAT_OF_TYPE.get(sent) or detected_format(call.body)


def _import_foreign(
    call: Caller,
    project: str,
    key: str | None,
    format: ForeignFormat,
    reading: Reading,
    is_dry_run: bool,
    *,
    prunes: bool,
) -> Response[str]:
    scope, text = call.principal.scope(project), call.body
    file = read_foreign(format, text, reading)
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
                call.ports.store.projects.policy(scope), format, text, reading, **options
            ),
            total=file.size,
        ),
        is_whole=file.is_one_batch and not is_dry_run,
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
