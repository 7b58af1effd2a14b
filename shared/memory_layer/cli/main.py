"""Command line `mem` over the same use cases as the HTTP API."""

import os
import sys

import typer

from memory_layer.cli.commands import (
    admin,
    conflicts,
    context,
    corrections,
    data,
    entity_events,
    erasure,
    governance,
    graph,
    memories,
    model,
    recall,
    runs,
    service,
    snapshots,
    sweep,
)

app = typer.Typer(
    name="mem",
    help="Memory Layer: remember what was learned, recall what bears on the task, learn from what worked.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for part in (
    memories,
    corrections,
    conflicts,
    recall,
    context,
    graph,
    governance,
    runs,
    data,
    snapshots,
    sweep,
    entity_events,
    erasure,
    service,
):
    app.add_typer(part.app)
app.add_typer(model.app, name="model")
app.add_typer(admin.app, name="admin")


def main() -> None:
    """Runs the console script `mem`."""
    try:
        app()
    finally:
        _flush()


def _flush() -> None:
    """Flushes stdout; a reader that has gone away (`mem list | head`) is no error worth a traceback."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
