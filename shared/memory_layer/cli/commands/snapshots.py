"""Commands for a project's integrity: verify, snapshot, restore."""

from functools import partial
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import data_text as printing
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.options import DryRun
from memory_layer.cli.terminal.progress_bar import Gauge, progress
from memory_layer.wire.message import Asked

app = typer.Typer()


@command(app)
def verify(call: Invocation) -> CommandOutput:
    """Read everything against its digests. It names all that is broken, and exits with 1 if something is."""
    with progress("Verifying") as gauge:
        document = call.answer(Asked("verify_project"), lambda here: _verified(here, gauge), gauge)
    remedy = "" if document["is_valid"] else runnable(_remedy(call))
    told = partial(printing.verification_text, remedy=remedy)
    return CommandOutput(document, told, is_refused=not document["is_valid"])


def _verified(here: FolderCall, gauge: Gauge) -> dict[str, Any]:
    from memory_layer.edge.shapes.snapshot_answers import verified_json
    from memory_layer.usecases.transfer.verify import verify as verify_project

    return verified_json(verify_project(here.ports, here.principal, here.project, tell=gauge))


def _remedy(call: Invocation) -> str:
    """Command back to a good state: the newest snapshot that left nothing damaged out."""
    listed = call.answer(Asked("list_snapshots"), _listed)["snapshots"]
    whole = (one["id"] for one in listed if one["problem"] is None and one["left_out_count"] == 0)
    good = next(whole, None)
    if good is None:
        return "there is no whole snapshot to go back to; write what is broken anew, then: mem snapshot"
    return f"bring back what it holds with: mem restore {good}   (--dry-run first)"


@command(app)
def snapshot(call: Invocation) -> CommandOutput:
    """Put the project aside as it is. What was put aside over 35 days ago goes."""
    with progress("Taking a snapshot") as gauge:
        document = call.answer(Asked("take_snapshot"), lambda here: _taken(here, gauge), gauge)
    return CommandOutput(document, printing.snapshot_text)


def _taken(here: FolderCall, gauge: Gauge) -> dict[str, Any]:
    from memory_layer.edge.shapes.snapshot_answers import snapshot_json
    from memory_layer.usecases.transfer.take_snapshot import take_snapshot

    return snapshot_json(take_snapshot(here.ports, here.principal, here.project, tell=gauge))


@command(app, served="reads")
def snapshots(call: Invocation) -> CommandOutput:
    """List the snapshots, newest first."""
    return CommandOutput(call.answer(Asked("list_snapshots"), _listed), printing.snapshots)


def _listed(here: FolderCall) -> dict[str, Any]:
    from memory_layer.edge.shapes.snapshot_answers import snapshots_json
    from memory_layer.usecases.transfer.take_snapshot import list_snapshots

    return snapshots_json(list_snapshots(here.ports, here.principal, here.project))


@command(app)
def restore(
    call: Invocation,
    id: Annotated[
        str, typer.Argument(metavar="ID|latest", help="The snapshot; latest: the newest sound one.")
    ],
    dry_run: DryRun = False,
) -> CommandOutput:
    """Bring back what a snapshot holds. Each record says again what it said then, as a new version; later ones stay."""
    asked = Asked("restore_snapshot", {"id": id}, body={"dry_run": dry_run})
    with progress("Restoring") as gauge:
        document = call.answer(asked, lambda here: _restored(here, id, dry_run, gauge), gauge)
    return CommandOutput(document, printing.restoration_text)


def _restored(here: FolderCall, id: str, is_dry_run: bool, gauge: Gauge) -> dict[str, Any]:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.snapshot_answers import restored_json
    from memory_layer.usecases.transfer.restore_snapshot import restore_snapshot

    if not is_dry_run:
        offer_model(here)
    place = here.ports, here.principal, here.project, id
    return restored_json(restore_snapshot(*place, is_dry_run=is_dry_run, tell=gauge))
