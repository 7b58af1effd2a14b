"""Operations with their arguments, requests and replies, and the transport that carries one for the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from memory_layer.wire.problem import MemoryProblem

JSON: Final = "application/json"
VERSION_HEADER: Final = "memory-layer-version"
"""Header of every answer: the version of what answers."""

KEY_HEADER: Final = "idempotency-key"


def authorization(token: str | None) -> dict[str, str]:
    """Header that says who speaks; none without a token. White space around one, as files end with, is none of it.

    Raises:
        MemoryProblem: no token has such characters; the sentence does not repeat it.
    """
    said = (token or "").strip()
    if not all("!" <= character <= "~" for character in said):
        raise MemoryProblem(
            "invalid", "the token has characters that no token has, as a line break: was it copied whole?"
        )
    return {"authorization": f"Bearer {said}"} if said else {}


@dataclass(frozen=True, slots=True)
class Asked:
    """Operation with its arguments.

    Args:
        path: arguments in the path, by name.
        query: parameters; None is left out, a list stands there once for each item.
        headers: beside those of every request; None is left out.
        body: data to be written as JSON; text and bytes go as they are.
        content_type: of the body, where it is no JSON.
    """

    operation: str
    path: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: Any = None
    content_type: str = JSON


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
