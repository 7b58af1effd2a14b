"""Staleness: doubt that an event of an entity casts on the memories that name it (SPEC 6.31)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memory_layer.domain.access import agent_voice
from memory_layer.domain.doubt import add_doubt
from memory_layer.domain.lifecycle import StatusChange
from memory_layer.domain.memory import REASON_MAX_CHARS, Memory
from memory_layer.domain.time.entity_events import COMMIT, STALING, EntityEvent, EntityEventKind

STALED = "staled"
"""Verb of the change by which a memory goes stale."""

VOUCHING = frozenset({"confirmed", "approved", "undone"})
"""Verbs of changes by which somebody brings a memory back into use after reviewing it."""

_EVENT_PHRASES: Mapping[EntityEventKind, str] = {
    "deprecated": "was deprecated",
    "schema_changed": "changed its schema",
    "content_changed": "was changed",
    "renamed": "was renamed",
    "removed": "was removed",
}


def apply_event(memory: Memory, event: EntityEvent, *, confirmed_at: datetime | None = None) -> StatusChange:
    """Applies an event to a memory: stale where the reporter may silence it, else doubted; or unchanged.

    Args:
        confirmed_at: as of `staled_by`.
    """
    staled = staled_by(memory, event, confirmed_at=confirmed_at)
    if staled.memory is memory or may_take_out_of_recall(event, memory):
        return staled
    if event.is_edit and memory.doubted is not None and COMMIT in memory.doubted.by:
        return StatusChange(memory)  # a file that changes daily asks once
    by = COMMIT if event.is_edit else event.created_by
    doubted = add_doubt(memory, by=by, reason=reason_of(event), at=event.received_at)
    is_told = doubted is memory
    return StatusChange(memory if is_told else replace(doubted, version=memory.version + 1))


def may_take_out_of_recall(event: EntityEvent, memory: Memory) -> bool:
    """Judges the reporter's right to take the memory out of recall: a person always has it, but for a commit's edits of
    a file, which nobody has; an agent only for memories that nobody vouches for, and that are of its own persona alone,
    or of everyone and it wrote itself, or another agent doubts as well (SPEC 4)."""
    is_its_affair = memory.persona is None or memory.persona == event.persona
    may_agent = (
        is_its_affair and not memory.is_trusted and (_is_own(event, memory) or _is_second(event, memory))
    )
    return not event.is_edit and (not event.by_agent or may_agent)


def _is_own(event: EntityEvent, memory: Memory) -> bool:
    return memory.persona is not None or agent_voice(event.created_by) == agent_voice(memory.created_by)


def _is_second(event: EntityEvent, memory: Memory) -> bool:
    """Tells whether another voice than the reporter's doubts the memory already; an edit of its file is none."""
    heard = () if memory.doubted is None else memory.doubted.by
    return any(agent_voice(name) != agent_voice(event.created_by) for name in heard if name != COMMIT)


def staled_by(memory: Memory, event: EntityEvent, *, confirmed_at: datetime | None = None) -> StatusChange:
    """Marks a memory as stale, with the reason in words, if the event makes it doubtful; else returns it unchanged.

    Only an active memory that has the URN among its `entities` goes stale, and only if nobody has written or vouched
    for it since: an update, approval or confirmation after the event takes it into account. Pinned and approved ones
    go stale as well: staleness is a question to a person, no verdict. Pending or quarantined ones wait for a person
    already, and inactive ones are out of recall. Targets of `relations` tell how memories are related, not their
    subject.

    Args:
        confirmed_at: time when somebody last brought it back into use, as its history states.
    """
    is_named = event.event in STALING and event.urn in memory.entities
    if not (is_named and memory.is_active and event.occurred_at > vouched_at(memory, confirmed_at)):
        return StatusChange(memory)
    return StatusChange(
        replace(memory, status="stale", status_reason=reason_of(event), version=memory.version + 1)
    )


def vouched_at(memory: Memory, confirmed_at: datetime | None = None) -> datetime:
    """Time when somebody last wrote, approved or confirmed a memory."""
    return max(at for at in (memory.updated_at, memory.approved_at, confirmed_at) if at is not None)


def reason_of(event: EntityEvent) -> str:
    """Reason in words for the person who decides: the event, its date and its reporter."""
    to = f" to {_named(event.target)}" if event.event == "renamed" and event.target else ""
    statement = (
        f"{_named(event.urn)} {_EVENT_PHRASES[event.event]}{to} on {event.occurred_at.date().isoformat()}"
    )
    return f"{statement}, says {event.created_by}"[:REASON_MAX_CHARS]


def _named(urn: str) -> str:
    """Name of an entity in a reason, masked if it reads like an order: agents read reasons beside trusted memories."""
    from memory_layer.domain.safety.quarantine import (
        suspicion,
    )  # a hundred patterns, for which no search waits

    return urn if suspicion(urn) is None else UNSPEAKABLE


UNSPEAKABLE = "a thing whose name reads like an instruction"


NewestEvents = Mapping[str, Sequence[EntityEvent]]
"""Newest event that makes memories doubtful of each kind of reporter, by URN."""


def newest_by_reporter(events: Iterable[EntityEvent]) -> NewestEvents:
    """Newest event of each kind of reporter: people, each agent of each persona, and commits that edit files.

    The kinds stay apart, so that the event of a reporter with fewer rights does not hide another's.
    """
    newest: dict[str, dict[_Teller, EntityEvent]] = defaultdict(dict)
    for event in sorted(events, key=_age):
        if event.event in STALING:
            newest[event.urn][_teller(event)] = event
    return {urn: list(told.values()) for urn, told in newest.items()}


_Teller = tuple[str | None, str | None]


def _teller(event: EntityEvent) -> _Teller:
    if event.is_edit:
        return event.event, event.persona
    return (agent_voice(event.created_by), event.persona) if event.by_agent else (None, None)


def _age(event: EntityEvent) -> tuple[datetime, str]:
    return event.occurred_at, event.id


def newest_event_about(memory: Memory, newest: NewestEvents) -> EntityEvent | None:
    """Newest event of any entity that the memory names, with preference for those that may silence the memory."""
    found = [event for urn in memory.entities for event in newest.get(urn, ())]
    unheeded = [event for event in found if event.occurred_at > vouched_at(memory)]
    silencing = [event for event in unheeded if may_take_out_of_recall(event, memory)]
    return max(silencing or unheeded or found, key=_age, default=None)
