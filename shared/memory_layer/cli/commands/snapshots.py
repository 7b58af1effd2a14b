"""Commands for a project's integrity: verify, snapshot, restore."""

from functools import partial
from typing import Annotated

import typer

from memory_layer.cli.commands.data import DryRun
from memory_layer.cli.printing import data_text as printing
from memory_layer.cli.terminal.invocation import REFUSED, CommandOutput, Invocation, command
from memory_layer.cli.terminal.next_command import runnable

app = typer.Typer()


@command(app)
def verify(call: Invocation) -> CommandOutput:
    """Read everything against its digests. It names all that is broken, and exits with 1 if something is."""
    from memory_layer.cli.terminal.invocation import print_output
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.shapes.snapshot_answers import verified_json
    from memory_layer.usecases.transfer.verify import verify as verify_project

    with progress("Verifying") as gauge:
        verified = verify_project(call.ports, call.principal, call.project, tell=gauge)
    remedy = "" if verified.is_valid else runnable(_remedy(call))
    output = CommandOutput(verified_json(verified), partial(printing.verification_text, remedy=remedy))
    if not verified.is_valid:
        print_output(output, call.is_json)
        raise typer.Exit(REFUSED)
    return output


def _remedy(call: Invocation) -> str:
    """Command back to a good state: the newest snapshot that left nothing damaged out."""
    from memory_layer.usecases.transfer.take_snapshot import list_snapshots

    whole = (one.id for one in list_snapshots(call.ports, call.principal, call.project) if one.is_whole)
    good = next(whole, None)
    if good is None:
        return "there is no whole snapshot to go back to; write what is broken anew, then: mem snapshot"
    return f"bring back what it holds with: mem restore {good}   (--dry-run first)"


@command(app)
def snapshot(call: Invocation) -> CommandOutput:
    """Put the project aside as it is. What was put aside over 35 days ago goes."""
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.shapes.snapshot_answers import snapshot_json
    from memory_layer.usecases.transfer.take_snapshot import take_snapshot

    with progress("Taking a snapshot") as gauge:
        taken = take_snapshot(call.ports, call.principal, call.project, tell=gauge)
    return CommandOutput(snapshot_json(taken), printing.snapshot_text)


@command(app, served="reads")
def snapshots(call: Invocation) -> CommandOutput:
    """List the snapshots, newest first."""
    from memory_layer.edge.shapes.snapshot_answers import snapshots_json
    from memory_layer.usecases.transfer.take_snapshot import list_snapshots

    found = list_snapshots(call.ports, call.principal, call.project)
    return CommandOutput(snapshots_json(found), printing.snapshots)


@command(app)
def restore(
    call: Invocation,
    id: Annotated[
        str, typer.Argument(metavar="ID|latest", help="The snapshot; latest: the newest sound one.")
    ],
    dry_run: DryRun = False,
) -> CommandOutput:
    """Bring back what a snapshot holds. Each record says again what it said then, as a new version; later ones stay."""
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.shapes.snapshot_answers import restored_json
    from memory_layer.usecases.transfer.restore_snapshot import restore_snapshot

    if not dry_run:
        offer_model(call)
    with progress("Restoring") as gauge:
        restored = restore_snapshot(
            call.ports, call.principal, call.project, id, is_dry_run=dry_run, tell=gauge
        )
    return CommandOutput(restored_json(restored), printing.restoration_text)
