"""Commands of `mem`, over the same use cases as the HTTP API."""

from typing import Annotated, Any

import typer

from memory_layer.cli.commands import (
    admin,
    agents,
    audit,
    authors,
    changes,
    conflicts,
    context,
    corrections,
    encoders,
    entity_events,
    erasure,
    exports,
    governance,
    graph,
    imports,
    listing,
    mcp,
    mcp_proxy,
    memories,
    mirror,
    playbook,
    projects,
    recall,
    rollback,
    run_histories,
    runs,
    service,
    sessions,
    settings,
    snapshots,
    sweep,
    tasks,
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
    listing,
    corrections,
    conflicts,
    recall,
    context,
    playbook,
    sessions,
    projects,
    graph,
    governance,
    audit,
    authors,
    changes,
    run_histories,
    runs,
    exports,
    imports,
    mirror,
    snapshots,
    sweep,
    entity_events,
    erasure,
    rollback,
    service,
    mcp_proxy,
    agents,
    tasks,
    mcp,
):
    app.add_typer(part.app)
app.add_typer(settings.app, name="settings", help="The rules of a project.")
app.add_typer(changes.webhook_app, name="webhook")
app.add_typer(encoders.app, name="model")
app.add_typer(admin.app, name="admin")


def _say_version(is_asked: bool) -> None:
    if is_asked:
        print(f"memory-layer {VERSION}")
        raise typer.Exit


def handing_over(chosen: Any, program: Any = None) -> Any:
    """Listening of a server for commands that are handed over, to run beside it.

    Args:
        chosen: settings of the server.
        program: root of the commands; None: it is made here, as by a worker, whose process begins without one.
    """
    from typer.main import get_command

    from memory_layer.cli.handover.listener import listening

    def beside(backend: Any, counts: Any = None, until_loaded: Any = lambda: None) -> Any:
        return listening(program or get_command(app), backend, chosen, counts, until_loaded)

    return beside


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 its callback says it
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Takes the options that stand before a command; what `serve` runs beside is made here, of all commands."""
    context.obj = handing_over
