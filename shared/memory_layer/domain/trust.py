"""Standing of words that are taken over: the lowest of all whose words a record holds (SPEC 4.12)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from memory_layer.domain.memory import Memory


def taken_over(memory: Memory, sources: Iterable[Memory]) -> Memory:
    """Record in the lowest standing of itself and of all whose words it took over; it is never raised.

    Words that nobody reviewed take the source, the run and at most the belief of those that they come from.
    """
    lowest = next((source for source in sources if not source.is_trusted), None)
    if lowest is None or not memory.is_trusted:
        return memory
    return replace(
        memory,
        source=lowest.source,
        source_run_id=lowest.source_run_id,
        confidence=min(memory.confidence, lowest.confidence),
        approved_by=None,
        approved_at=None,
    )


def said_by_agent(memory: Memory, confidence: float) -> Memory:
    """Record whose words an agent has written over: a run's, whoever spoke before. Args: confidence: the most."""
    lowered = replace(
        memory, approved_by=None, approved_at=None, confidence=min(memory.confidence, confidence)
    )
    return replace(lowered, source="run") if memory.source == "human" else lowered


def vouches_less(known: Memory, new: Memory) -> bool:
    """Tells whether a known memory's words are worth less than a new one's: then it keeps none of them out.

    Whoever writes first what a person is going to say would otherwise own what the person said.
    """
    return new.is_trusted and not known.is_trusted and known.created_by != new.created_by


SPOKEN = frozenset({"content", "summary", "detail", "context"})
"""Fields of a record that hold somebody's words; labels, such as tags, bring none."""


def says_otherwise(before: Memory, after: Memory) -> bool:
    return any(getattr(before, name) != getattr(after, name) for name in SPOKEN)


def in_words_of(then: Memory, after: Memory, *, by_reviewer: bool) -> Memory:
    """Record that says again what an earlier version of it said, in the standing of those words.

    A reviewer brings back a person's words as a person's; for others they stay as low as the record has been.
    """
    if by_reviewer and then.source == "human" and not after.is_trusted:
        return replace(after, source="human", source_run_id=then.source_run_id)
    return taken_over(after, [then])


def holds_words(detail: Mapping[str, Any]) -> bool:
    """Tells whether structured facts hold text, and not only numbers."""
    return any(_is_text(value) for value in detail.values())


def _is_text(value: Any) -> bool:
    if isinstance(value, Mapping):
        return holds_words(value)
    return any(map(_is_text, value)) if isinstance(value, list | tuple) else isinstance(value, str)
