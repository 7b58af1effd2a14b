"""Connection of an adapter to the service: a client of its own, or one that is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

from memory_layer.client import Memory

AGENT_SOURCE = "run"
"""Source of what an agent's framework writes: its words are an agent's, whoever runs it (SPEC 4.2)."""


class Place(TypedDict, total=False):
    """Arguments that every adapter takes, as `memory_layer.client.Memory` does; or `client`, which goes before all."""

    url: str | None
    folder: str | Path | None
    token: str | None
    project: str | None
    user: str | None
    timeout: float
    client: Memory | None


def connected(place: Any) -> Memory:
    """Client of a place. Args: place: a `Place`. Raises: MemoryProblem: it names none."""
    client: Memory | None = place.pop("client", None)
    return client if client is not None else Memory(**place)
