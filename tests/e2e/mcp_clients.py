"""The official client over HTTP, with a token or none, in either revision."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, Implementation

REVISIONS = ("2026-07-28", "legacy")
"""As the client calls them: it introduces itself, or says in each message who it is."""


@asynccontextmanager
async def connected(
    url: str, mode: str = "2026-07-28", name: str | None = None, **headers: str
) -> AsyncIterator[Client]:
    """A client. Args: name: that it gives itself; headers: with dashes for underscores."""
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    info = None if name is None else Implementation(name=name, version="1")
    async with httpx2.AsyncClient(headers=sent, timeout=30) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, client_info=info) as client:
            yield client


def talk(
    url: str, conversation: Callable[[Client], Awaitable[Any]], mode: str = "2026-07-28", **said: str
) -> Any:
    """Has one conversation."""

    async def have() -> Any:
        async with connected(url, mode, **said) as client:
            return await conversation(client)

    return anyio.run(have)


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


async def given(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call that went well; the client checks it against the output schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    content: dict[str, Any] = result.structured_content
    return content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    return text_of(result)
