"""Storage of what an agent wants remembered: what is known already is not stored again, and nothing else is lost."""

from __future__ import annotations

from typing import Any

from memory_layer.client import Memory, MemoryProblem
from memory_layer.integrations.connection import AGENT_SOURCE
from memory_layer.integrations.stored_answers import log, report


def remember_once(client: Memory, content: str, **fields: Any) -> str | None:
    """Id of the memory that says so; None: a recall showed these words already.

    What contradicts a known memory is stored beside it, for a person to decide between the two.

    Raises:
        MemoryProblem: the service refuses, or does not answer.
    """
    asked = {"source": AGENT_SOURCE, **fields}
    try:
        stored = client.create_memory(content, **asked)
    except MemoryProblem as problem:
        if problem.code == "duplicate":
            return str(problem.document["duplicate_of"]["id"])
        if problem.code == "recalled_text":
            return None
        if problem.code != "contradicts":
            raise
        log.warning("%s; both are kept, for a person to decide", problem)
        stored = client.create_memory(content, on_duplicate="create", **asked)
    report(stored.receipt, stored.id)
    return str(stored.id)
