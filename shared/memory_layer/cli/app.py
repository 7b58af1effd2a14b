"""Commands of `mem`, over the same use cases as the HTTP API."""

from typing import Annotated

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
from memory_layer.version import VERSION

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


def _say_version(is_asked: bool) -> None:
    if is_asked:
        print(f"memory-layer {VERSION}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Takes the options that stand before a command."""
