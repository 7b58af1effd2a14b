"""Commands that run the scheduled sweeps by hand."""

from typing import Annotated, Any

import typer

from memory_layer.cli.printing.tables import Document, dimmed, new_table
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.options import DryRun
from memory_layer.cli.terminal.refusal_text import printable
from memory_layer.manifest.sweeps import DECLARED_SWEEPS


def sweep_run_text(document: Document) -> str:
    """Result of one run."""
    lines = [
        "a dry run: nothing was changed" if document["dry_run"] else "",
        f"{document['name']}: looked at {document['looked_at']:,}; {_counts_text(document)}",
        *(f"  {printable(runnable(sentence))}" for sentence in document["failed"]),
        _and_more(document),
        "" if document["complete"] else runnable(f"there is more to do: mem sweep {document['name']}"),
    ]
    return "\n".join(line for line in lines if line)


def sweep_state_table(document: Document) -> Any:
    """Table of all sweeps."""
    table = new_table("sweep", "every", "last run", "what it does, and did")
    for one in document["sweeps"]:
        report = one["last_report"]
        table.add_row(
            one["name"],
            _period(one["every_minutes"]),
            _last_run(one, report),
            _stacked(one["name"], report),
        )
    return table


def _counts_text(document: Document) -> str:
    verb_of = _due_text if document["dry_run"] else _done_text
    counts = ", ".join(verb_of(verb, count) for verb, count in sorted(document["did"].items()))
    return counts or "nothing to do"


def _done_text(verb: str, count: int) -> str:
    """Count of things done: in `snapshots taken` and the like the noun goes by the count."""
    *things, done = verb.split(" ")
    thing = " ".join(things)
    return " ".join(
        part for part in (f"{count:,}", thing.removesuffix("s") if count == 1 else thing, done) if part
    )


def _due_text(verb: str, count: int) -> str:
    *counted, done = _done_text(verb, count).split(" ")
    return " ".join((*counted, "would be", done))


def _report_text(report: Document) -> str:
    failed = f", {report['failed_count']:,} failed" if report["failed_count"] else ""
    rest = "" if report["complete"] else ", to be continued"
    return f"{_counts_text(report)}{failed}{rest}"


def _stacked(name: str, report: Document | None) -> Any:
    from rich.text import Text

    lines = [Text(DECLARED_SWEEPS[name].purpose), *([] if report is None else [dimmed(_report_text(report))])]
    return Text("\n").join(lines)


def _and_more(document: Document) -> str:
    more = document["failed_count"] - len(document["failed"])
    return f"  and {more:,} more" if more else ""


def _last_run(one: Document, report: Document | None) -> Any:
    if one["running"]:
        return f"right now ({printable(one['holder'] or '')})"
    return dimmed("never") if report is None else report["ended_at"][:16].replace("T", " ")


def _period(minutes: int) -> str:
    for size, unit in ((7 * 24 * 60, "week"), (24 * 60, "day"), (60, "hour")):
        if minutes % size == 0:
            return unit if minutes == size else f"{minutes // size} {unit}s"
    return f"{minutes} minutes"


app = typer.Typer()

NAMES = ", ".join(DECLARED_SWEEPS)

DEFAULT_SECONDS = 600.0


@command(
    app,
    has_project=False,
    only_here="sweeps work on a data folder; a server and the cloud do them by themselves",
)
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
    here = call.here
    if name is None:
        return _all(here)
    from memory_layer.edge.shapes.sweep_answers import report_json
    from memory_layer.local.scheduler import process_holder
    from memory_layer.usecases.ground.change_record import require_admin
    from memory_layer.usecases.sweeps.run_sweep import run_sweep, sweep_named

    if not dry_run:
        require_admin(here.principal, "a sweep")
    report = run_sweep(
        here.ports,
        sweep_named(name),
        holder=process_holder(),
        seconds=seconds,
        is_dry_run=dry_run,
        is_asked=True,
    )
    return CommandOutput(report_json(report), sweep_run_text, is_refused=report.failed_count > 0)


def _all(call: FolderCall) -> CommandOutput:
    from memory_layer.edge.shapes.sweep_answers import state_json

    now, store = call.ports.clock.now(), call.ports.store
    states = [
        state_json(sweep.name, store.sweeps.state(sweep.name), sweep.minutes, now)
        for sweep in DECLARED_SWEEPS.values()
    ]
    return CommandOutput({"sweeps": states}, sweep_state_table)
