"""Redaction of a version: its words go, and who made the change, and when, stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TypeGuard

from memory_layer.domain.fields import instant_said, rfc3339
from memory_layer.domain.memory import ENDED_STATUSES, Memory, content_hash

REDACTION: Final = "redaction"
"""Member of `detail` of a redacted version."""

WORDS_TAKEN_OUT: Final = "the words that it would have were redacted"
"""Status reason of a record that a rollback brings back to a redacted version."""

REDACTED_WORDS: Final = "[REDACTED]"


@dataclass(frozen=True, slots=True)
class Redaction:
    """Redaction of a version. Args: by: name of who asked for it."""

    at: datetime
    by: str


def redacted(memory: Memory, redaction: Redaction) -> Memory:
    """Record of a version without any of its words, or of what follows from them."""
    said = {"at": rfc3339(redaction.at), "by": redaction.by}
    return replace(
        memory,
        content=REDACTED_WORDS,
        content_hash=content_hash(REDACTED_WORDS),
        embedding_text_hash=None,
        summary=None,
        context=None,
        status_reason=None,
        detail={REDACTION: said},
        tags=(),
        entities=(),
        relations=(),
        times=(),
    )


def redaction_of(memory: Memory) -> Redaction | None:
    """Redaction of a version; None: its words are there."""
    said = memory.detail.get(REDACTION)
    if memory.content != REDACTED_WORDS or not says_redaction(said):
        return None
    at = instant_said(said["at"])
    return None if at is None else Redaction(at, str(said["by"]))


def without_redacted_words(memory: Memory) -> Memory:
    """Record that a redacted version would become: archived; one that has other words by now loses the note alone."""
    if redaction_of(memory) is None:
        is_noted = says_redaction(memory.detail.get(REDACTION))
        kept = {name: value for name, value in memory.detail.items() if name != REDACTION}
        return replace(memory, detail=kept) if is_noted else memory
    if memory.status in ENDED_STATUSES:
        return memory
    return replace(memory, status="archived", status_reason=WORDS_TAKEN_OUT)


def says_redaction(value: object) -> TypeGuard[Mapping[str, object]]:
    """Tells whether a value has the form of the note that a redaction leaves, which no caller may write."""
    return isinstance(value, Mapping) and set(value) == {"at", "by"}
