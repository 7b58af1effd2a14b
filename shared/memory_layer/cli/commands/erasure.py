"""Command `mem erase`: forget for good."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memory_layer.cli.commands.data import DryRun
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, command, validated

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
    from memory_layer.domain.integrity.erasure_rules import ErasureRule
    from memory_layer.edge.operations.erasure_jobs import ErasureRequest, receipt_json
    from memory_layer.usecases.transfer.erase import erase as erase_records

    rule = ErasureRule()
    if not everything:
        if created_by is None and entity is None:
            raise typer.BadParameter("say whose: --created-by NAME, --entity URN, or --everything")
        rule = validated(ErasureRequest, {"created_by": created_by, "entity": entity}).rule()
    elif created_by is not None or entity is not None:
        raise typer.BadParameter("--everything leaves nothing for --created-by or --entity to choose")
    if not (dry_run or yes):
        typer.confirm(f"Erase for good {_erased_scope(rule.kind, call.project)}?", abort=True, err=True)
    receipt = erase_records(
        call.ports,
        call.principal,
        call.project,
        rule,
        id=call.ports.new_id("ers_"),
        began_at=call.ports.clock.now(),
        is_dry_run=dry_run,
    )
    return CommandOutput(receipt_json(receipt), _receipt)


def _erased_scope(kind: str, project: str) -> str:
    return f"project {project}" if kind == "project" else f"from project {project} what was asked for"


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
