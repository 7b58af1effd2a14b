"""Connection of an adapter to the service: a client of its own, or one that is given."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from memory_layer.client import Memory

AGENT_SOURCE = "run"
"""Source of what an agent's framework writes: its words are an agent's, whoever runs it (SPEC 4.2)."""


class ClientArguments(TypedDict, total=False):
    """Arguments of every adapter beside `url`, as `memory_layer.client.Memory` takes them; `client` goes before all."""

    folder: str | Path | None
    token: str | None
    project: str | None
    user: str | None
    timeout: float
    patience: float
    client: Memory | None


def connected(url: str | None, place: ClientArguments) -> Memory:
    """Client of a place. Raises: MemoryProblem: it names none."""
    client = place.pop("client", None)
    return client if client is not None else Memory(url, **place)  # type: ignore[misc]  # the client is gone
