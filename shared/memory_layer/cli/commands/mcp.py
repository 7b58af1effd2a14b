"""Command for coding agents: MCP on standard input and output, over a data folder or a service."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from memory_layer.cli.terminal import invocation, refusal_text, service
from memory_layer.cli.terminal.served import SERVED_AS, settings_here, surroundings

app = typer.Typer()


@app.command()
def mcp(
    context: typer.Context,
    project: invocation.Project = None,
    data: invocation.Data = None,
    url: service.Url = None,
    token: service.Token = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="The folder whose project it is, where the agent starts mem elsewhere."),
    ] = None,
) -> None:
    """Serve a coding agent over MCP, on stdio. Hooks and commands on the same data folder are handed over to it.

    With --url the tools are those of a server or the cloud.
    """
    talk(project, data, folder, context.obj, url, token)


def talk(
    project: str | None,
    data: Any,
    folder: Path | None,
    begin_beside: Any,
    url: str | None = None,
    token: str | None = None,
) -> None:
    """Serves the client on standard input and output until it goes away.

    Args:
        begin_beside: makes of settings what runs beside the conversation on a data folder.
    """
    with refusal_text.errors_on_stderr(False):
        name = invocation.project_here(project, folder)
        address = service.service_address(url, data, surroundings().environ)
        if address is not None:
            return _relay(address, token, name)
        service.refuse_token_without_service(token)
        _talk_here(name, settings_here(data), begin_beside)


def _relay(url: str, token: str | None, project: str) -> None:
    from memory_layer.cli.handover.http_relay import HttpRelay

    there = service.open_service(url, token, project, surroundings().environ)
    HttpRelay(there.api, project).run(sys.stdin.buffer)
    there.close()


def _talk_here(project: str, settings: Any, begin_beside: Any) -> None:
    from memory_layer.mcp.server import serve_connection, serve_stdio

    here = surroundings()
    if here.begin is not None and here.talk is not None:
        serve_connection(here.begin(settings), project, here.talk, here.counting)
    else:
        serve_stdio(settings, project, partial(_embedding_and_listening, begin_beside(settings)))


@contextmanager
def _embedding_and_listening(listening: Any, backend: Any) -> Iterator[None]:
    """Makes missing vectors, and runs what is handed over, beside a conversation: hooks find a warm engine."""
    from memory_layer.local.scheduler import embedding_beside

    with listening(backend), embedding_beside(backend.ports):
        yield


setattr(mcp, SERVED_AS, "talks")
