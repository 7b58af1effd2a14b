"""Server `mem mcp`: the Model Context Protocol over standard input and output, on the official SDK.

The caller is an agent: it stores under its client's name (`agent:claude-code`; `mcp` where a client has none), changes
and archives only what was stored so, and reports outcomes on everything it may see. Several servers and command lines
may share one data folder.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any, TextIO

import anyio
import anyio.to_thread
import mcp.types as protocol
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import Principal, agent_subject
from memory_layer.errors import EmbedderUnavailable
from memory_layer.mcp.tool_calls import INSTRUCTIONS, run_tool, tools_for
from memory_layer.mcp.tool_documents import tool_document
from memory_layer.mcp.tool_session import NAMELESS, ToolSession
from memory_layer.ports.counting import MCP_CALL, Counting, uncounted
from memory_layer.ports.process import Embedder, Ports
from memory_layer.settings import EmbeddedSettings
from memory_layer.usecases.ground.signed_ports import signed_ports
from memory_layer.version import VERSION

AGENT = Principal(tenant="local", subject=NAMELESS, roles=frozenset({"agent"}))

CLOSING_TIME_S = 3.0

Beside = Callable[[EmbeddedBackend], AbstractContextManager[None]]


def serve_stdio(settings: EmbeddedSettings, project: str, beside: Beside) -> None:
    """Serves one client until it goes away. Standard output carries nothing but the protocol.

    Args:
        beside: runs as long as the client is served.

    Raises:
        StoreUnavailable: the data folder cannot be opened.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    backend = open_embedded(settings)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, partial(_stop, backend))
    try:
        _tell_if_degraded(backend.ports.embedder)
        server = build_server(backend.ports, AGENT, project)
        with beside(backend):
            anyio.run(_serve, server)
    finally:
        backend.close()


def serve_connection(
    ports: Ports, project: str, talk: Callable[[], tuple[TextIO, TextIO]], counting: Counting = uncounted
) -> None:
    """Serves one client of a server that runs already.

    Args:
        talk: returns the lines from the client and to it.
        counting: counts the calls.
    """
    _tell_if_degraded(ports.embedder)
    received, sent = talk()
    server = build_server(ports, AGENT, project, counting)
    anyio.run(_serve, server, anyio.wrap_file(received), anyio.wrap_file(sent))


def _stop(backend: EmbeddedBackend, number: int, _: object) -> None:
    """Writes waiting work, then exits without the thread that reads stdin: it cannot be interrupted."""
    closing = threading.Thread(target=backend.close, daemon=True)
    closing.start()
    closing.join(CLOSING_TIME_S)
    os._exit(128 + number)


def build_server(
    ports: Ports, principal: Principal, project: str, counting: Counting = uncounted
) -> Server[Any]:
    """Server over ports that are wired already, for any transport.

    Args:
        principal: the caller where the client does not say its name.
        project: where a call goes that names none.
        counting: counts the calls of tools.
    """
    session = ToolSession(ports, principal, project, session_id=ports.new_id("ses_"))

    tools = tools_for(principal)

    async def list_tools(_: Any, __: protocol.PaginatedRequestParams | None) -> protocol.ListToolsResult:
        return protocol.ListToolsResult.model_validate({"tools": [tool_document(name) for name in tools]})

    async def call_tool(context: Any, params: protocol.CallToolRequestParams) -> protocol.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(protocol.INVALID_PARAMS, f"no tool {params.name}; there are: {', '.join(tools)}")
        speaker = named_after_client(principal, context.session.client_params)
        caller = replace(session, ports=signed_ports(ports, speaker), principal=speaker)
        meta = params.meta if isinstance(params.meta, Mapping) else None
        call = partial(run_tool, caller, tool, params.arguments or {}, meta)
        answer = await anyio.to_thread.run_sync(counting, MCP_CALL, call)
        return protocol.CallToolResult.model_validate(answer.document())

    return Server(
        "memory-layer",
        version=VERSION,
        title="Memory Layer",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def named_after_client(principal: Principal, told: protocol.InitializeRequestParams | None) -> Principal:
    """Caller under the name that its client told. Args: told: None: it told nothing."""
    client = None if told is None else told.client_info.name
    return replace(principal, subject=agent_subject(client, principal.subject))


async def _serve(
    server: Server[Any],
    incoming: anyio.AsyncFile[str] | None = None,
    outgoing: anyio.AsyncFile[str] | None = None,
) -> None:
    """Serves the given lines, else those of standard input and output."""
    async with stdio_server(incoming, outgoing) as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


def _tell_if_degraded(embedder: Embedder) -> None:
    try:
        embedder.embed(["ready?"])
    except EmbedderUnavailable as error:
        print(f"Recall goes by words alone: {error.detail}", file=sys.stderr)
