"""Command of the proxy that stands before another MCP server."""

import logging
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from memory_layer.cli.terminal import invocation
from memory_layer.cli.terminal.served import settings_here
from memory_layer.manifest import env

if TYPE_CHECKING:
    from pathlib import Path

    from memory_layer.client import Memory

app = typer.Typer()


@app.command(
    "mcp-proxy", context_settings={"allow_interspersed_args": False, "ignore_unknown_options": False}
)
def mcp_proxy(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="The server, with its arguments.")],
    project: invocation.Project = None,
    data: invocation.Data = None,
    url: Annotated[
        str | None, typer.Option(help=f"A server of Memory Layer; default: ${env.URL}, else the data folder.")
    ] = None,
    wait: Annotated[
        float,
        typer.Option(
            min=0.1, max=30.0, help="Seconds that a tool's answer waits for memories; ten at first."
        ),
    ] = 2.0,
) -> None:
    """Run another MCP server on stdio.

    What is known of the URNs in its tools' answers is put behind them.
    """
    from memory_layer.integrations.enrichment import AnswerEnrichment
    from memory_layer.integrations.mcp_proxy import run_proxy

    logging.basicConfig(format="mem: %(message)s")  # on stderr: stdout is the conversation
    name = _project(project)
    enrichment = AnswerEnrichment(lambda: _opened(url, data, name, wait), wait_s=wait)
    enrichment.open_beside()
    code = run_proxy(command, enrichment, sys.stdin.buffer, sys.stdout.buffer)
    sys.stdout.flush()
    os._exit(code)  # a question under way, or a client that never ends its input, holds up no exit


def _project(given: str | None) -> str:
    from memory_layer.errors import Invalid

    try:
        return invocation.project_here(given)
    except Invalid as error:
        raise typer.BadParameter(str(error), param_hint="--project") from error


def _opened(url: str | None, data: "Path | None", project: str, wait: float) -> "Memory":
    from memory_layer.client import Memory

    address = url or os.environ.get(env.URL)
    if address:
        return Memory(address, project=project, timeout=wait, patience=0)
    return Memory(folder=settings_here(data).data_dir, project=project)
