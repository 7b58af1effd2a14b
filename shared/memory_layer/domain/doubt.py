"""Doubts that agents raise about what people said or approved: a question to a person, never a verdict (SPEC 4)."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory_layer.domain.memory import Doubt, Memory

DOUBTED: Final = "doubted"
"""The verb of a change that raised a doubt and moved nothing else."""

NAMED_MAX: Final = 16
"""Of each list of a doubt, the first ones: enough for a person to decide, and no agent makes a record grow further."""


def with_doubt(memory: Memory, *, by: str, reason: str, at: datetime, run: str | None = None) -> Memory:
    """The memory with one agent's word against it, in the same version; the same object if it says so already.

    Args:
        at: when it was said: the doubt lasts since the first one.
        run: in which run.
    """
    known = memory.doubted or Doubt(since=at)
    doubt = Doubt(
        since=known.since,
        by=_joined(known.by, [by]),
        reasons=_joined(known.reasons, [reason]),
        runs=_joined(known.runs, [] if run is None else [run]),
    )
    return memory if doubt == memory.doubted else replace(memory, doubted=doubt)


def united(one: Doubt | None, other: Doubt | None) -> Doubt | None:
    """The doubt about what two memories say together; None: nobody doubts either."""
    if one is None or other is None:
        return one or other
    return Doubt(
        since=min(one.since, other.since),
        by=_joined(one.by, other.by),
        reasons=_joined(one.reasons, other.reasons),
        runs=_joined(one.runs, other.runs),
    )


def _joined(first: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *more)))[:NAMED_MAX]
