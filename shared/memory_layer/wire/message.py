"""Requests and replies, and the transport that carries one for the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

JSON: Final = "application/json"
VERSION_HEADER: Final = "memory-layer-version"
"""Header of every answer: the version of what answers."""

KEY_HEADER: Final = "idempotency-key"


@dataclass(frozen=True, slots=True)
class Request:
    """Request as it is sent.

    Args:
        target: path and query, encoded; or a whole URL elsewhere, to which nothing of ours is added.
        headers: names in lower case.
        is_repeatable: takes effect once, however often it arrives.
    """

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    is_repeatable: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """Whole answer. Args: headers: names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def document(self) -> Any:
        """Answer as data: JSON parsed, nothing as None, lines and pages as text."""
        if not self.body:
            return None
        declared = self.headers.get("content-type", "").partition(";")[0]
        if declared == JSON or declared.endswith("+json"):
            return json.loads(self.body)
        return self.body.decode()


class Transport(Protocol):
    """Way to a service: over HTTP, or within this process."""

    @property
    def place(self) -> str:
        """Address or folder, for sentences."""

    def perform(self, request: Request) -> Reply:
        """Sends a request once, and waits for its answer. Threads may do so at the same time.

        Raises:
            MemoryProblem: `unreachable` or `no_answer`.
        """

    def close(self) -> None:
        """Lets go of connections and files."""
