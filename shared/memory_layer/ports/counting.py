"""Counting of operations that reach a server otherwise than as a request over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol, TypeVar

Answer = TypeVar("Answer")

MCP_CALL: Final = "exchange_mcp_post"
"""Operation of a call over MCP, by which the server counts requests for `/mcp`."""


class CodedAnswer(NamedTuple):
    """Answer of an operation that may succeed in several ways, with the status that HTTP gives it."""

    status: int
    document: Any


class Counting(Protocol):
    """Carries operations out, and counts how they end."""

    def __call__(self, operation: str, work: Callable[[], Answer]) -> Answer:
        """Answer of the work. Args: operation: id in openapi.json, or MCP_CALL. Raises: whatever the work does."""


def uncounted(operation: str, work: Callable[[], Answer]) -> Answer:  # noqa: ARG001 nobody counts it
    """Answer of the work, of which nobody keeps count."""
    return work()
