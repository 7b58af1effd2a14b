"""Command `mem rollback`: take back all that a principal did, or bring it back."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.options import DryRun
from memory_layer.cli.terminal.progress_bar import progress
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.wire.message import Asked

app = typer.Typer()


@command(app)
def rollback(
    call: Invocation,
    principal: Annotated[
        str | None,
        typer.Argument(help="Whose operations, and its agents': e-mail or subject."),
    ] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="From when on; else all.")] = None,
    undo: Annotated[
        str | None, typer.Option(metavar="ID", help="Bring back what this rollback took.")
    ] = None,
    dry_run: DryRun = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
) -> CommandOutput:
    """Take back all that somebody wrote, voted and reported. It can be undone; the history stays."""
    if (principal is None) == (undo is None):
        raise typer.BadParameter("say whose operations to take back, or --undo ID")
    with progress("Rolling back") as gauge:
        if undo is not None:
            asked = Asked("undo_rollback", {"id": undo})
            return CommandOutput(call.answer(asked, lambda here: _brought_back(here, undo), gauge), _told)
        said = given(principal=principal, since=since, dry_run=dry_run)
        if not (dry_run or yes):
            typer.confirm(f"Take back all that {principal} did in {call.project}?", abort=True, err=True)
        asked = Asked("roll_back", body=said)
        return CommandOutput(call.answer(asked, lambda here: _taken_back(here, said), gauge), _told)


def _brought_back(here: FolderCall, id: str) -> dict[str, Any]:
    from memory_layer.edge.operations.rollback_jobs import receipt_json
    from memory_layer.usecases.review.rollback import undo_rollback

    return receipt_json(undo_rollback(here.ports, here.principal, here.project, id))


def _taken_back(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.operations.rollback_jobs import RollbackRequest, receipt_json
    from memory_layer.usecases.review.rollback import roll_back

    asked = validated(RollbackRequest, said)
    receipt = roll_back(
        here.ports,
        here.principal,
        here.project,
        asked.principal,
        id=here.ports.new_id("rbk_"),
        since=asked.since,
        is_dry_run=asked.dry_run,
    )
    return receipt_json(receipt)


_WORDS = {
    "retired": "out of use",
    "restored": "back in use",
    "changed": "as without it",
    "judged_anew": "with other verdicts",
    "tuning": "tuning of contexts",
    "links": "links between entities",
    "shared": "shared copies",
}


def _told(document: Mapping[str, Any]) -> str:
    counts = ", ".join(f"{count} {_WORDS[kind]}" for kind, count in sorted(document["counts"].items()))
    lines = [f"{document['id']} {document['status']} ({document['principal']}): {counts or 'nothing'}"]
    lines += [
        f"refused without it: {one['verb']} of {one['id']} by {one['by']}: {one['why']}"
        for one in document["refused"]
    ]
    lines += [f"{id}: its history cannot be read, so it stays as it is" for id in document["unread"]]
    if document["status"] == "applied":
        lines.append(f"to bring it back: mem rollback --undo {document['id']}")
    return "\n".join(lines)
