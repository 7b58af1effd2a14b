"""Whether all is as it was written; put a project aside, and bring it back."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_layer.cli import printing_data as printing
from memory_layer.cli.call import REFUSED, Call, Output, command
from memory_layer.cli.data import DryRun

app = typer.Typer()


@command(app)
def verify(call: Call) -> Output:
    """Read everything against its digests and name all that is broken; exits with 1 if something is."""
    from dataclasses import asdict

    from memory_layer.cli.call import tell
    from memory_layer.cli.progress import progress
    from memory_layer.usecases.verify import verify as verify_project

    with progress("Verifying") as gauge:
        verified = verify_project(call.ports, call.principal, call.project, tell=gauge)
    output = Output(asdict(verified), printing.verified)
    if not verified.is_valid:
        tell(output, call.is_json)
        raise typer.Exit(REFUSED)
    return output


@command(app)
def snapshot(call: Call) -> Output:
    """Put the project aside as it is; what was put aside over 35 days ago goes."""
    from memory_layer.cli.progress import progress
    from memory_layer.usecases.snapshots import take_snapshot

    with progress("Taking a snapshot") as gauge:
        taken = take_snapshot(call.ports, call.principal, call.project, tell=gauge)
    return Output(_snapshot_json(taken), printing.taken)


@command(app)
def snapshots(call: Call) -> Output:
    """List the snapshots, newest first."""
    from memory_layer.usecases.snapshots import list_snapshots

    found = list_snapshots(call.ports, call.principal, call.project)
    return Output({"snapshots": [_snapshot_json(one) for one in found]}, printing.snapshots)


def _snapshot_json(snapshot: Any) -> dict[str, Any]:
    """Without its parts, which are nobody's to read one by one."""
    from memory_layer.domain.fields import rfc3339

    names = ("id", "by", "records", "bytes", "manifest", "left_out_count", "problem")
    return {
        "created_at": rfc3339(snapshot.created_at),
        "left_out": list(snapshot.left_out),
        **{name: getattr(snapshot, name) for name in names},
    }


@command(app)
def restore(
    call: Call,
    id: Annotated[
        str, typer.Argument(metavar="ID|latest", help="The snapshot; latest: the newest sound one.")
    ],
    dry_run: DryRun = False,
) -> Output:
    """Every record of a snapshot says again what it said then, as a new version; what came after stays."""
    from dataclasses import asdict

    from memory_layer.cli.model import offer_model
    from memory_layer.cli.progress import progress
    from memory_layer.usecases.restore_snapshot import restore_snapshot

    if not dry_run:
        offer_model(call)
    with progress("Restoring") as gauge:
        restored = restore_snapshot(
            call.ports, call.principal, call.project, id, is_dry_run=dry_run, tell=gauge
        )
    document = asdict(restored)
    return Output({"dry_run": document.pop("is_dry_run"), **document}, printing.restored)
