"""Commands for coding agents: the hooks that they run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from memory_layer.cli.terminal import invocation
from memory_layer.cli.terminal.served import SERVED_AS, settings_here, surroundings
from memory_layer.manifest.agent_hooks import INPUT_MAX_BYTES

if TYPE_CHECKING:
    from memory_layer.ports.process import Ports
    from memory_layer.settings import EmbeddedSettings

app = typer.Typer()


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

    with invocation.errors_on_stderr(False):
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
