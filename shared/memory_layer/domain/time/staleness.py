"""When what happened to a thing makes a memory of it doubtful (SPEC 6.31)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memory_layer.domain.doubt import with_doubt
from memory_layer.domain.lifecycle import StatusChange
from memory_layer.domain.memory import REASON_MAX_CHARS, Memory
from memory_layer.domain.safety.quarantine import suspicion
from memory_layer.domain.time.entity_events import STALING, EntityEvent, EntityEventKind

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


def marked_by(memory: Memory, event: EntityEvent, *, confirmed_at: datetime | None = None) -> StatusChange:
    """The memory as the event leaves it: stale where the teller may silence it, else doubted; or as it was.

    Args:
        confirmed_at: as of `staled_by`.
    """
    staled = staled_by(memory, event, confirmed_at=confirmed_at)
    if staled.memory is memory or may_silence(event, memory):
        return staled
    doubted = with_doubt(memory, by=event.created_by, reason=reason_of(event), at=event.received_at)
    is_told = doubted is memory
    return StatusChange(memory if is_told else replace(doubted, version=memory.version + 1))


def may_silence(event: EntityEvent, memory: Memory) -> bool:
    """Whether the word of who told takes the memory out of recall: a person's does, an agent's only what is its own
    affair, which nobody vouches for and no other persona alone may see (SPEC 4)."""
    is_its_affair = memory.persona is None or memory.persona == event.persona
    return not event.by_agent or (is_its_affair and not memory.is_trusted)


def staled_by(memory: Memory, event: EntityEvent, *, confirmed_at: datetime | None = None) -> StatusChange:
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
        return StatusChange(memory)
    return StatusChange(
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


LastWords = Mapping[str, Sequence[EntityEvent]]
"""By URN: of the events that make memories doubtful, the newest one of each kind of teller."""


def last_words(events: Iterable[EntityEvent]) -> LastWords:
    """Whoever may silence less than another does not talk over them: people, and the agents of each persona."""
    newest: dict[str, dict[tuple[bool, str | None], EntityEvent]] = defaultdict(dict)
    for event in sorted(events, key=_age):
        if event.event in STALING:
            newest[event.urn][_teller(event)] = event
    return {urn: list(told.values()) for urn, told in newest.items()}


def _teller(event: EntityEvent) -> tuple[bool, str | None]:
    return (True, event.persona) if event.by_agent else (False, None)


def _age(event: EntityEvent) -> tuple[datetime, str]:
    return event.occurred_at, event.id


def last_word_on(memory: Memory, newest: LastWords) -> EntityEvent | None:
    """The newest event of anything that the memory names; one that may silence it goes before one that may not."""
    found = [event for urn in memory.entities for event in newest.get(urn, ())]
    unheeded = [event for event in found if event.occurred_at > held_at(memory)]
    silencing = [event for event in unheeded if may_silence(event, memory)]
    return max(silencing or unheeded or found, key=_age, default=None)
