"""When what happened to a thing makes a memory of it doubtful (SPEC 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from memory_layer.domain.entity_events import STALING, EntityEvent, EntityEventKind
from memory_layer.domain.lifecycle import Transition
from memory_layer.domain.memory import REASON_MAX_CHARS, Memory
from memory_layer.domain.quarantine import suspicion

STALED = "staled"
"""The verb of a memory that went stale."""

VOUCHING = frozenset({"confirmed", "approved", "undone"})
"""Verbs of changes by which somebody brings a memory back into use, having looked at it as it is."""

_SAID: Mapping[EntityEventKind, str] = {
    "deprecated": "was deprecated",
    "schema_changed": "changed its schema",
    "content_changed": "was changed",
    "renamed": "was renamed",
    "removed": "was removed",
}


def staled_by(memory: Memory, event: EntityEvent, *, confirmed_at: datetime | None = None) -> Transition:
    """The memory, stale with the reason in words, if the event makes it doubtful; else as it was.

    Only an active memory that has the URN among its `entities` goes stale, and only if nobody has said or vouched for
    it since: whoever updates, approves or confirms a memory after the event knows of it. Pinned and approved ones go
    stale as well: it is a question to a person, no verdict. Those pending or quarantined wait for a person already,
    and inactive ones are out of recall. Targets of `relations` say how memories hang together, not what they are about.

    Args:
        confirmed_at: when somebody last brought it back into use, as its history says.
    """
    is_named = event.event in STALING and event.urn in memory.entities
    if not (is_named and memory.is_active and event.occurred_at > held_at(memory, confirmed_at)):
        return Transition(memory)
    return Transition(
        replace(memory, status="stale", status_reason=reason_of(event), version=memory.version + 1)
    )


def held_at(memory: Memory, confirmed_at: datetime | None = None) -> datetime:
    """When somebody last said, or vouched, that it is so."""
    return max(at for at in (memory.updated_at, memory.approved_at, confirmed_at) if at is not None)


def reason_of(event: EntityEvent) -> str:
    """What happened, when, and who said so, for the person who decides."""
    to = f" to {_named(event.target)}" if event.event == "renamed" and event.target else ""
    said = f"{_named(event.urn)} {_SAID[event.event]}{to} on {event.occurred_at.date().isoformat()}"
    return f"{said}, says {event.created_by}"[:REASON_MAX_CHARS]


def _named(urn: str) -> str:
    """A reason is read by agents as well, with memories that people trust: a name must give no orders there."""
    return urn if suspicion(urn) is None else UNSPEAKABLE


UNSPEAKABLE = "a thing whose name reads like an instruction"


def last_words(events: Iterable[EntityEvent]) -> dict[str, EntityEvent]:
    """Of the events that make memories doubtful, the newest one of each URN."""
    newest: dict[str, EntityEvent] = {}
    for event in sorted(events, key=lambda event: (event.occurred_at, event.id)):
        if event.event in STALING:
            newest[event.urn] = event
    return newest


def last_word_on(memory: Memory, newest: Mapping[str, EntityEvent]) -> EntityEvent | None:
    """The newest event of anything that the memory names. Args: newest: as `last_words` tells."""
    found = (newest[urn] for urn in memory.entities if urn in newest)
    return max(found, key=lambda event: (event.occurred_at, event.id), default=None)
