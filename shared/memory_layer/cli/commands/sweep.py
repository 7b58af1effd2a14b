"""Run by hand what otherwise runs by the clock."""

from typing import Annotated, get_args

import typer

from memory_layer.cli.commands.data import DryRun
from memory_layer.cli.printing import sweep_text as printing
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, command
from memory_layer.domain.time.sweep_state import SweepName

app = typer.Typer()

NAMES = ", ".join(get_args(SweepName))

DEFAULT_SECONDS = 600.0


@command(app, has_project=False)
def sweep(
    call: Invocation,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help=f"One of: {NAMES}. Without it: what each does, and last did."),
    ] = None,
    dry_run: DryRun = False,
    seconds: Annotated[
        float, typer.Option(min=0.0, help="How long it may take; the next run goes on from there.")
    ] = DEFAULT_SECONDS,
) -> CommandOutput:
    """Expire, forget and put aside what is due. In all projects; `mem serve` does so by itself."""
    if name is None:
        return _all(call)
    from memory_layer.edge.shapes.sweep_answers import report_json
    from memory_layer.local.scheduler import holder_here
    from memory_layer.usecases.sweeps.run_sweep import run_sweep, sweep_named

    report = run_sweep(
        call.ports, sweep_named(name), holder=holder_here(), seconds=seconds, is_dry_run=dry_run
    )
    return CommandOutput(report_json(report), printing.swept, is_refused=report.failed_count > 0)


def _all(call: Invocation) -> CommandOutput:
    from memory_layer.edge.shapes.sweep_answers import state_json
    from memory_layer.manifest.schedules import SWEEP_MINUTES
    from memory_layer.usecases.sweeps.registry import SWEEPS

    now, store = call.ports.clock.now(), call.ports.store
    told = [state_json(name, store.sweep_state(name), SWEEP_MINUTES.get(name), now) for name in SWEEPS]
    return CommandOutput({"sweeps": told}, printing.sweeps)
