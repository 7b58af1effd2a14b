"""Intake of entity events: reported events are stored, and the memories that they make doubtful marked at once."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from memory_layer.domain.access import SHARED_PROJECT, Principal, viewer_of
from memory_layer.domain.audit import EVENTS_TAKEN, AuditEvent
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.remedies import give, omit
from memory_layer.domain.time.entity_events import (
    NEEDS_TARGET,
    EntityEvent,
    EntityEventKind,
    event_id,
    speaks_less,
    told_apart,
)
from memory_layer.errors import Forbidden, IndexUnavailable, Invalid, TooLarge, Violation
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit
from memory_layer.usecases.ground.allowances import use_of_events
from memory_layer.usecases.world.apply_entity_events import (
    EventEffects,
    StalenessScan,
    apply_entity_events,
    close_events,
)

EVENTS_MAX: Final = 1_000
"""Events taken in one request."""

MARKED_AT_ONCE: Final = 1_000
"""Memories marked while the caller waits; the sweep goes on with the others."""

INDEX_DOWN = "search index unavailable; the events are kept, and the staleness sweep marks the memories later"
MORE_TO_MARK = (
    "not all memories that name these were looked through yet; the staleness sweep goes on with them"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedEvent:
    """Event of an entity as a caller reports it. Source: SPEC 2.41, 6.22."""

    urn: str
    event: EntityEventKind
    target: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    occurred_at: datetime | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class EventOutcome:
    """Outcome of one event.

    Args:
        marked: number of memories, visible to the caller, that went stale by it now.
        is_known: a memory that the caller may see names the URN; None: not looked up yet.
        is_new: False: it was reported before, and stays as it was.
        is_applied: all memories that name the URN were looked through.
    """

    event: EntityEvent
    marked: int
    is_known: bool | None
    is_new: bool
    is_applied: bool


@dataclass(frozen=True, slots=True)
class EventReport:
    """Outcomes of all reported events, in order; the note names the work still to be done."""

    events: tuple[EventOutcome, ...]
    note: str | None = None


def take_entity_events(
    ports: Ports,
    principal: Principal,
    project: str,
    reported: Sequence[ReportedEvent],
    *,
    marked_at_once: int = MARKED_AT_ONCE,
) -> EventReport:
    """Stores the events, then marks the memories that they make doubtful; an event reported twice takes effect once.

    Every agent of a project may report: its report is a question to a person, not a verdict, and the history of every
    memory that it marks names the reporter. A trusted memory, or one of another persona, an agent's report makes no
    more than doubted: it stays in recall until a person has decided. The settings name agents whose events count as a
    person's.

    Raises:
        Invalid: with pointers to what is wrong; then none is kept.
        TooLarge: more than 1,000.
        TooMany: more than the principal may report in an hour; then none is kept.
        Forbidden: events of the tenant's shared project are reported by a reviewer.
    """
    if project == SHARED_PROJECT and not principal.is_reviewer:
        raise Forbidden("of what a whole tenant shares a reviewer tells what has happened")
    if len(reported) > EVENTS_MAX:
        raise TooLarge(f"{len(reported):,} events; send at most {EVENTS_MAX:,} at once")
    scope, now = principal.scope(project), ports.clock.now()
    policy = ports.store.projects.policy(scope)
    events = _admitted(principal, project, reported, policy, now)
    events, before = _beside_lesser(ports, scope, events)
    _refuse_other(events, before)
    uses = use_of_events(
        principal, scope, policy.limits, now, len({event.id for event in events} - before.keys())
    )
    if new := {event.id: event for event in events if event.id not in before}:
        entry = _note_of(principal, list(new.values()))
        ports.store.writer.commit(Commit(scope=scope, uses=uses, notes=(entry,)))
    was_new = ports.store.events.add([event for event in events if event.id not in before])
    _note_activity(ports, events)
    kept = before | (
        ports.store.events.get_many(scope, {event.id for event in events}) if not all(was_new) else {}
    )
    waiting = {event.id: kept.get(event.id, event) for event in events}
    opened = [event for event in waiting.values() if event.applied_at is None]
    applied, note = _applied(ports, principal, project, opened, marked_at_once)
    news = {event.id for event in events} - set(before)
    return EventReport(tuple(_taken(principal, [waiting[event.id] for event in events], news, applied)), note)


def _beside_lesser(
    ports: Ports, scope: Scope, events: Sequence[EntityEvent]
) -> tuple[list[EntityEvent], dict[str, EntityEvent]]:
    """Events, those apart whose id only a lesser voice has told, and the stored ones of their ids."""
    before = ports.store.events.get_many(scope, {event.id for event in events})
    apart = {id for event in events if (known := before.get(id := event.id)) and speaks_less(known, event)}
    if not apart:
        return list(events), before
    told = [told_apart(event) if event.id in apart else event for event in events]
    return told, before | ports.store.events.get_many(scope, {event.id for event in told} - before.keys())


def _admitted(
    principal: Principal, project: str, reported: Sequence[ReportedEvent], policy: Policy, now: datetime
) -> list[EntityEvent]:
    events, problems = [], list[Violation]()
    for place, event in enumerate(reported):
        try:
            events.append(_event(principal, project, event, policy, now))
        except Invalid as error:
            found = error.violations or (Violation("", error.detail),)
            problems += [replace(each, pointer=f"/{place}{each.pointer}") for each in found]
    if problems:
        raise Invalid.each(problems)
    return events


def _event(
    principal: Principal, project: str, reported: ReportedEvent, policy: Policy, now: datetime
) -> EntityEvent:
    """Admits one reported event. Raises: Invalid."""
    asked = {"id": reported.id, "urn": reported.urn, "target": reported.target, "detail": reported.detail}
    admitted = admit(asked, policy).fields
    occurred_at = reported.occurred_at or now
    _check(reported, occurred_at, now)
    contents = (admitted["urn"], reported.event, admitted["target"], admitted["detail"], occurred_at)
    return EntityEvent(
        id=reported.id or event_id(*contents),
        tenant=principal.tenant,
        project=project,
        urn=admitted["urn"],
        event=reported.event,
        target=admitted["target"],
        detail=admitted["detail"],
        occurred_at=occurred_at,
        received_at=now,
        created_by=principal.name,
        by_agent=principal.is_agent and not _is_source(principal, policy),
        persona=principal.persona,
    )


def _is_source(principal: Principal, policy: Policy) -> bool:
    """Tells if an admin has named the caller's token as a source of events; an end user has no share in that."""
    return principal.is_proven and principal.user is None and principal.name in policy.event_sources


def _check(reported: ReportedEvent, occurred_at: datetime, now: datetime) -> None:
    """Refuses an event without its target or dated in the future. Raises: Invalid."""
    if reported.event in NEEDS_TARGET and reported.target is None:
        raise Invalid.at(
            "/target", f"{reported.event} says what it is about at its other end", give("/target")
        )
    if occurred_at > now:
        raise Invalid.at("/occurred_at", "this lies in the future", omit("/occurred_at"))


def _refuse_other(events: Sequence[EntityEvent], before: Mapping[str, EntityEvent]) -> None:
    """Refuses an id that belongs to another event. Raises: Invalid."""
    by_id: dict[str, EntityEvent] = dict(before)
    for place, event in enumerate(events):
        known = by_id.setdefault(event.id, event)
        if (known.urn, known.event, known.target) != (event.urn, event.event, event.target):
            raise Invalid.at(f"/{place}/id", "this id belongs to another event; send a new one")


def _note_of(principal: Principal, events: Sequence[EntityEvent]) -> AuditEvent:
    """Entry of the audit log: how many of which kind; what they are about may have to be erased."""
    kinds = Counter(event.event for event in events)
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return AuditEvent(what=EVENTS_TAKEN, principal=principal.name, detail=told)


def _note_activity(ports: Ports, events: Sequence[EntityEvent]) -> None:
    newest = max((event.occurred_at for event in events if event.event == "activity"), default=None)
    if newest is not None:
        ports.store.projects.note_activity(events[0].scope, newest)


def _applied(
    ports: Ports, principal: Principal, project: str, opened: Sequence[EntityEvent], marked_at_once: int
) -> tuple[EventEffects, str | None]:
    if not opened:
        return EventEffects(), None
    scan = StalenessScan(by=principal.name, viewer=viewer_of(principal), room=marked_at_once)
    try:
        applied = apply_entity_events(ports, principal.scope(project), opened, scan)
    except IndexUnavailable:
        return EventEffects(), INDEX_DOWN
    close_events(ports, applied)
    return applied, MORE_TO_MARK if len(applied.closed) < len(opened) else None


def _taken(
    principal: Principal, events: Sequence[EntityEvent], news: set[str], applied: EventEffects
) -> Iterator[EventOutcome]:
    """Yields the outcome of each event. Args: events: as they were before they were applied now, repeats included."""
    seen, closed = set[str](), {event.id for event in applied.closed}
    for event in events:
        is_first = event.id not in seen
        seen.add(event.id)
        yield EventOutcome(
            event=event,
            marked=applied.marked_in_view[event.id] if is_first else 0,
            is_known=_is_known(principal, event, closed, applied),
            is_new=is_first and event.id in news,
            is_applied=event.id in closed or event.applied_at is not None,
        )


def _is_known(
    principal: Principal, event: EntityEvent, closed: set[str], applied: EventEffects
) -> bool | None:
    """Tells if a visible memory names the URN; an earlier answer was about all memories, so it is for admins alone."""
    if event.urn in applied.known_in_view:
        return True
    if event.id in closed:
        return False
    return event.is_known if principal.is_admin else None
