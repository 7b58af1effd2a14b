"""Commands for coding agents: connect them, and the hooks that they run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_layer.cli.terminal import invocation, refusal_text, service
from memory_layer.cli.terminal.served import SERVED_AS, settings_here, surroundings
from memory_layer.manifest import env
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
    url: service.Url = None,
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
            url=service.service_address(url, data, here.environ),
            data_dir=settings.data_dir,
            open_ports=lambda: _ports(settings),
            counting=here.counting,
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
    url: service.Url = None,
    json: invocation.AsJson = False,
) -> None:
    """Connect coding agents: MCP server, skill and hooks. mem disconnect takes it back.

    They use the data folder or the service that is named here, or by the environment. Of each file that is changed a
    copy is kept; a file that is not as its agent writes it is left as it is.
    """
    from memory_layer.plugin.connection.carried_environment import carried_options, left_to_set
    from memory_layer.plugin.connection.connect import apply_connection, connection_changes
    from memory_layer.plugin.connection.ledger import Ledger

    with refusal_text.errors_on_stderr(json):
        place, here = _place(for_project), surroundings()
        there = service.service_address(url, data, here.environ)
        if there is not None:
            service.open_service(
                there, None, None, here.environ
            ).close()  # an address that is none is refused here
        named = settings_here(data).data_dir if data or here.environ.get(env.DATA_DIR) else None
        place = replace(place, options=carried_options(place.scope, there, named and named.resolve()))
        chosen = _chosen(agents, place)
        changes = connection_changes(chosen, place)
        if not dry_run:
            apply_connection(changes, Ledger(settings_here(data).data_dir))
        notes = [*_asked_of_people(chosen, place), *left_to_set(place.scope, there, named, here.environ)]
        _print_changes("connect", chosen, changes, place, dry_run, json, [*notes, *_missing_program(place)])


@app.command()
def disconnect(
    agents: Named = None,
    for_project: ForProject = False,
    dry_run: DryRun = False,
    data: invocation.Data = None,
    json: invocation.AsJson = False,
) -> None:
    """Take back what mem connect wrote. Files that nobody changed since are again what they were."""
    from memory_layer.plugin.connection.connect import (
        apply_disconnection,
        connected_agents,
        disconnection_changes,
    )
    from memory_layer.plugin.connection.ledger import Ledger

    with refusal_text.errors_on_stderr(json):
        place, ledger = _place(for_project), Ledger(settings_here(data).data_dir)
        asked = _chosen(agents, place, all_known=True)
        changes = disconnection_changes(asked, place, ledger)
        was_connected = connected_agents(changes, ledger)
        if not dry_run:
            apply_disconnection(changes, ledger)
        chosen = [one for one in asked if one.name in was_connected]
        others = [f"{one.title} was not connected here." for one in asked if agents and one not in chosen]
        _print_changes("disconnect", chosen, changes, place, dry_run, json, others)


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


def _asked_of_people(chosen: list[Connection], place: Destination) -> list[str]:
    """Sentences of what each agent asks of a person."""
    return [one.notes[place.scope] for one in chosen if one.notes[place.scope]]


def _missing_program(place: Destination) -> list[str]:
    """Sentence about a program that an agent is to start by its name, and would not find."""
    from shutil import which

    if place.program != PROGRAM or which(PROGRAM, path=place.environ.get("PATH")) is not None:
        return []
    beside = Path(sys.executable).parent
    return [
        f"{PROGRAM} is not on PATH here, and the files name it so: an agent starts it once PATH has {beside}."
    ]


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
    notes: Sequence[str],
) -> None:
    from memory_layer.cli.printing.connection_text import changes_document, changes_text

    names = [one.title for one in chosen]
    document = changes_document(act, names, changes, place.scope, notes=notes, is_dry_run=is_dry_run)
    invocation.print_output(invocation.CommandOutput(document, changes_text), is_json)
