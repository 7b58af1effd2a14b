"""Command `mem erase`: forget for good."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.options import DryRun
from memory_layer.cli.terminal.progress_bar import progress
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.wire.message import Asked

app = typer.Typer()


@command(app)
def erase(
    call: Invocation,
    created_by: Annotated[
        str | None, typer.Option(metavar="NAME", help="All that this person or agent created.")
    ] = None,
    entity: Annotated[str | None, typer.Option(metavar="URN", help="All that names this entity.")] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="The whole project, its snapshots and settings too.")
    ] = False,
    dry_run: DryRun = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
) -> CommandOutput:
    """Erase what names somebody or something, for good. History, vectors, receipts, staged learnings, snapshots too."""
    said = given(created_by=created_by, entity=entity)
    if not everything and not said:
        raise typer.BadParameter("say whose: --created-by NAME, --entity URN, or --everything")
    if everything and said:
        raise typer.BadParameter("--everything leaves nothing for --created-by or --entity to choose")
    if not (dry_run or yes):
        typer.confirm(f"Erase for good {_erased_scope(everything, call.project)}?", abort=True, err=True)
    asked = Asked("erase", body={**said, "dry_run": dry_run})
    if everything:
        asked = Asked("erase_project", query={"dry_run": dry_run or None})
    with progress("Erasing") as gauge:
        document = call.answer(asked, lambda here: _erased(here, said, dry_run), gauge)
    if not any(document["stores"].values()):
        tell_if_empty(call)
    return CommandOutput(document, _receipt)


def _erased(here: FolderCall, said: Mapping[str, Any], is_dry_run: bool) -> dict[str, Any]:
    from memory_layer.domain.integrity.erasure_rules import ErasureRule
    from memory_layer.edge.operations.erasure_jobs import ErasureRequest, receipt_json
    from memory_layer.usecases.transfer.erase import erase as erase_records

    rule = validated(ErasureRequest, said).rule() if said else ErasureRule()
    receipt = erase_records(
        here.ports,
        here.principal,
        here.project,
        rule,
        id=here.ports.new_id("ers_"),
        began_at=here.ports.clock.now(),
        is_dry_run=is_dry_run,
    )
    return receipt_json(receipt)


def _erased_scope(is_everything: bool, project: str) -> str:
    return f"project {project}" if is_everything else f"from project {project} what was asked for"


def _receipt(document: Mapping[str, Any]) -> str:
    verb = "would erase" if document["dry_run"] else "erased"
    stores = ", ".join(f"{name} {count}" for name, count in sorted(document["stores"].items()) if count)
    lines = [f"{document['id']} {verb}: {stores or 'nothing'}"]
    if document["kept"]:
        lines.append(f"{document['kept']} more are not yours to erase; ask an admin")
    if not document["is_settled"]:
        lines.append(
            "the database's write-ahead log still holds it, as it is being read; erase again in a moment"
        )
    return "\n".join(lines)
