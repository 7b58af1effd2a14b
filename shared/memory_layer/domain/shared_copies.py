"""The link between a memory and the one that its whole tenant shares."""

from collections.abc import Iterable

from memory_layer.domain.memory import Memory

APPLIED_TO, APPLIED_FROM = "applied_to", "applied_from"
"""Types of the relations: from a memory to the shared one made of it, and back."""

APPLIED_AS = "applied_as"
"""The fact in a shared memory's detail that says what it serves as."""


def origin_of(memory: Memory) -> str | None:
    """`project/id` of the memory that a shared one was made of; None for others."""
    return next((link.target for link in memory.relations if link.type == APPLIED_FROM), None)


def without_copies(memories: Iterable[Memory]) -> list[Memory]:
    """Without the shared copies of memories that are there themselves: one fact is told once."""
    found = list(memories)
    there = {f"{memory.project}/{memory.id}" for memory in found}
    return [memory for memory in found if origin_of(memory) not in there]
