"""The functions that serve the API: which routes each has, and what it needs. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Function:
    """One Lambda. `tags` are those of its routes in openapi.json; times in seconds, memory in MB."""

    name: str
    tags: tuple[str, ...]
    memory_mb: int
    timeout_s: int
    needs_embedder: bool


FUNCTIONS = (
    Function("memories", ("memories", "settings", "operations", "service"), 1024, 28, needs_embedder=True),
    Function("recall", ("recall",), 1024, 15, needs_embedder=True),
    Function("approve", ("reviews",), 512, 15, needs_embedder=False),
    Function("outcome", ("learning",), 512, 10, needs_embedder=False),
)


def function_of(tag: str) -> str:
    """The function that serves the routes of a tag.

    Raises:
        LookupError: none does.
    """
    for function in FUNCTIONS:
        if tag in function.tags:
            return function.name
    raise LookupError(f"no function serves tag {tag!r}; add it in manifest/functions.py")
