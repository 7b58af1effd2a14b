"""Enrichment of LangGraph's tools: a wrapper of tool calls that puts memories behind what a tool answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Unpack

from langchain_core.messages import ToolMessage

from memory_layer.integrations.connection import ClientArguments, connected
from memory_layer.integrations.enrichment import (
    LIMIT,
    TOKENS_MAX,
    WAIT_S,
    AnswerEnrichment,
    enriched_content,
    is_content,
)


class ToolEnrichment:
    """Wrapper for `ToolNode(tools, wrap_tool_call=…, awrap_tool_call=…)`, and for LangChain's middleware of tools.

    An answer that names URNs of which something is known has the memories behind it. A failure or a slow answer of
    the service changes nothing about a tool's answer.

    Args:
        limit, tokens_max, wait_s: as for `AnswerEnrichment`.
        place: as for `memory_layer.client.Memory`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        limit: int = LIMIT,
        tokens_max: int = TOKENS_MAX,
        wait_s: float = WAIT_S,
        **place: Unpack[ClientArguments],
    ) -> None:
        self._enrichment = AnswerEnrichment(
            lambda: connected(url, {"timeout": wait_s, "patience": 0.0, **place}),
            limit=limit,
            tokens_max=tokens_max,
            wait_s=wait_s,
        )

    def close(self) -> None:
        """Lets go of connections."""
        self._enrichment.close()

    def wrap_tool_call(self, request: Any, execute: Callable[[Any], Any]) -> Any:
        """The tool's answer, enriched."""
        return self._enriched(execute(request))

    async def awrap_tool_call(self, request: Any, execute: Callable[[Any], Awaitable[Any]]) -> Any:
        """As `wrap_tool_call`, awaited."""
        return await asyncio.to_thread(self._enriched, await execute(request))

    def _enriched(self, answer: Any) -> Any:
        """The answer with its block; other answers than messages, such as commands, stay as they are."""
        if not isinstance(answer, ToolMessage) or not is_content(answer.content):
            return answer
        block = self._enrichment.block(answer.content)
        content = enriched_content(answer.content, block)
        return answer.model_copy(update={"content": content}) if block else answer
