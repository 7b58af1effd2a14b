"""Commands for coding agents: connect them, and the hooks that they run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_layer.cli.terminal import invocation, refusal_text
from memory_layer.cli.terminal.served import SERVED_AS, settings_here, surroundings
from memory_layer.manifest.agent_hooks import INPUT_MAX_BYTES

if TYPE_CHECKING:
    from memory_layer.plugin.connection.connect import ConfigurationChange
    from memory_layer.plugin.connection.targets import Connection, Destination
    from memory_layer.ports.process import Ports
    from memory_layer.settings import EmbeddedSettings

app = typer.Typer()
PROGRAM = "mem"


@app.command()
def hook(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="claude, codex, cursor or copilot.")],
    event: Annotated[str, typer.Argument(metavar="EVENT", help="As the agent calls it: SessionStart.")],
    data: invocation.Data = None,
) -> None:
    """Answer a coding agent's hook. It reads the agent's JSON, and always ends with code 0.

    What is known is put before the agent's model at the start of a session, at a prompt, at a file that it reads, and
    after a command that failed; at the end the session's run is learned from. mem connect sets this up.
    """
    from memory_layer.plugin.hooks.run_hook import run_hook

    with refusal_text.errors_on_stderr(False):
        here, settings = surroundings(), settings_here(data)
        answer = run_hook(
            agent,
            event,
            sys.stdin.buffer.read(INPUT_MAX_BYTES),
            folder=here.folder,
            environ=here.environ,
            data_dir=settings.data_dir,
            open_ports=lambda: _ports(settings),
        )
    sys.stdout.write(answer)


setattr(hook, SERVED_AS, "writes")


@contextmanager
def _ports(settings: EmbeddedSettings) -> Iterator[Ports]:
    """Ports of the server that runs the hook, else of this process."""
    begin = surroundings().begin
    if begin is not None:
        yield begin(settings)
        return
    from memory_layer.bootstrap.embedded import open_embedded

    backend = open_embedded(settings)
    try:
        yield backend.ports
    finally:
        backend.close()


Named = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[AGENT]...", help="claude, codex, cursor, copilot, vscode; default: those in use here."
    ),
]
ForProject = Annotated[
    bool, typer.Option("--for-project", help="For whoever works on this project, not for you everywhere.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")]


@app.command()
def connect(
    agents: Named = None,
    for_project: ForProject = False,
    dry_run: DryRun = False,
    data: invocation.Data = None,
    json: invocation.AsJson = False,
) -> None:
    """Connect coding agents: MCP server, skill and hooks. mem disconnect takes it back.

    Of each file that is changed a copy is kept; a file that is not as its agent writes it is left as it is.
    """
    from memory_layer.plugin.connection.connect import apply_connection, connection_changes
    from memory_layer.plugin.connection.ledger import Ledger

    with refusal_text.errors_on_stderr(json):
        place = _place(for_project)
        chosen = _chosen(agents, place)
        changes = connection_changes(chosen, place)
        if not dry_run:
            apply_connection(changes, Ledger(settings_here(data).data_dir))
        _print_changes("connect", chosen, changes, place, dry_run, json)


@app.command()
def disconnect(
    agents: Named = None,
    for_project: ForProject = False,
    dry_run: DryRun = False,
    data: invocation.Data = None,
    json: invocation.AsJson = False,
) -> None:
    """Take back what mem connect wrote. Files that nobody changed since are again what they were."""
    from memory_layer.plugin.connection.connect import apply_disconnection, disconnection_changes
    from memory_layer.plugin.connection.ledger import Ledger

    with refusal_text.errors_on_stderr(json):
        place, ledger = _place(for_project), Ledger(settings_here(data).data_dir)
        chosen = _chosen(agents, place, all_known=True)
        changes = disconnection_changes(chosen, place, ledger)
        if not dry_run:
            apply_disconnection(changes, ledger)
        _print_changes("disconnect", chosen, changes, place, dry_run, json)


def _place(for_project: bool) -> Destination:
    from memory_layer.errors import Invalid
    from memory_layer.local.project_folder import folder_of_project, home_of
    from memory_layer.plugin.connection.targets import Destination

    here = surroundings()
    home = home_of(here.environ)
    if for_project:
        return Destination(
            "project", folder_of_project(here.folder, here.environ).files, PROGRAM, here.environ
        )
    if home is None:
        raise Invalid("there is no home folder: $HOME is not set; say --for-project")
    return Destination("user", home, _program(here.environ.get("PATH")), here.environ)


def _program(path: str | None) -> str:
    """Program as an agent can start it: by its name where PATH has it, else by its place."""
    from shutil import which

    if which(PROGRAM, path=path) is not None:
        return PROGRAM
    beside = Path(sys.executable).with_name(PROGRAM)
    return str(beside) if beside.exists() else PROGRAM


def _chosen(names: list[str] | None, place: Destination, *, all_known: bool = False) -> list[Connection]:
    """Connections asked for, else those of the agents in use. Raises: Invalid: there is no such agent, or none."""
    from memory_layer.errors import Invalid
    from memory_layer.plugin.connection.targets import CONNECTIONS, found_agents

    known = ", ".join(CONNECTIONS)
    for name in names or ():
        if name not in CONNECTIONS:
            raise Invalid.at("/agents", f"there is no agent {name!r}; there are: {known}")
    chosen = [CONNECTIONS[name] for name in dict.fromkeys(names or ())]
    if not names:
        everyone = list(CONNECTIONS.values())
        chosen = everyone if all_known else found_agents(place, place.environ.get("PATH"))
    if not chosen:
        raise Invalid.at("/agents", f"no agent is in use here; name one of: {known}")
    return chosen


def _print_changes(
    act: str,
    chosen: list[Connection],
    changes: list[ConfigurationChange],
    place: Destination,
    is_dry_run: bool,
    is_json: bool,
) -> None:
    from memory_layer.cli.printing.connection_text import changes_document, changes_text

    document = changes_document(act, chosen, changes, place, is_dry_run=is_dry_run)
    invocation.print_output(invocation.CommandOutput(document, changes_text), is_json)
