"""CloudEvents of changes: made of an entry of the audit log, with ids and numbers and no word of any memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from urllib.parse import quote

from memory_layer.domain.audit import AuditEvent, AuditLink
from memory_layer.domain.change_types import TYPES_BY_VERB, UNTOLD, ChangeType
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Memory, Scope, Standing, Status

LEARNING_PREFIX: Final = "learning "
"""Beginning of the verbs about staged learnings."""

ERASURES: Final = frozenset({"memory.erased", "run.erased"})
"""Events that tell an id alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateTold:
    """State of a memory when its event is told, which may be later than the event.

    Args:
        version: its newest; equal to that of the event, nothing has happened since.
        status: as a read would show it.
        standing: trusted if a person said it or a reviewer approved it.
        doubted: somebody has said against it, and nobody has decided.
    """

    version: int
    status: Status
    standing: Standing
    doubted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeData:
    """Change that an event tells of, without any words.

    Args:
        id: of the memory, run or learning.
        change: verb of the change, as in the history.
        version: the one that the change made; absent where it made none.
        by: principal who did it.
        now: absent where nobody may say any more.
    """

    change: str
    id: str | None = None
    version: int | None = None
    by: str | None = None
    now: StateTold | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEvent:
    """CloudEvent 1.0 of a change.

    Args:
        specversion: of CloudEvents.
        datacontenttype: of `data`.
        id: position in the project's log: unique with `source`, and the place to read on from.
        source: tenant and project.
        type: kind of change.
        subject: id of the memory, run or learning.
        time: time of entry in the log.
        traceparent: trace context of the request that made the change; an erasure tells none. Source: CloudEvents,
            extension for distributed tracing.
    """

    specversion: Literal["1.0"] = "1.0"
    id: str
    source: str
    type: ChangeType
    time: datetime
    datacontenttype: Literal["application/json"] = "application/json"
    subject: str | None = None
    traceparent: str | None = None
    data: ChangeData


def source_of(scope: Scope) -> str:
    return f"urn:memory-layer:{quote(scope.tenant, safe='')}:{quote(scope.project, safe='')}"


def readable_event(link: AuditLink) -> AuditEvent | None:
    """Event of an entry; None: it is erased, or damaged, which a verification tells."""
    try:
        return None if link.is_damaged else link.event
    except (ValueError, TypeError):
        return None


def change_type(event: AuditEvent) -> ChangeType | None:
    """Type of the event that tells of an entry; None: it is no change."""
    if event.what in UNTOLD:
        return None
    if event.what.startswith(LEARNING_PREFIX):
        return "learning.changed"
    unknown: ChangeType = "memory.created" if event.before == 0 else "memory.changed"
    kind = TYPES_BY_VERB.get(event.what, unknown)
    return "memory.created" if kind == "memory.edited" and event.before == 0 else kind


def is_about_memory(kind: ChangeType) -> bool:
    return kind.startswith("memory.") or kind == "knowledge.applied"


def change_event(
    scope: Scope, position: int, at: datetime, event: AuditEvent, now: StateTold | None = None
) -> ChangeEvent | None:
    """CloudEvent of an entry of the log; None: it tells of no change."""
    kind = change_type(event)
    if kind is None:
        return None
    return ChangeEvent(
        id=str(position),
        source=source_of(scope),
        type=kind,
        time=at,
        subject=event.about,
        traceparent=None if kind in ERASURES else event.traceparent,
        data=_told(kind, event, now),
    )


def event_of_link(scope: Scope, link: AuditLink, now: StateTold | None = None) -> ChangeEvent | None:
    """CloudEvent of a link; None: it is erased, damaged, or no change."""
    event = readable_event(link)
    try:
        return None if event is None else change_event(scope, link.position, instant(link.at), event, now)
    except ValueError:  # damage to its time
        return None


def _told(kind: ChangeType, event: AuditEvent, now: StateTold | None) -> ChangeData:
    if kind in ERASURES:
        return ChangeData(change=event.what, id=event.about)
    return ChangeData(change=event.what, id=event.about, version=event.after, by=event.principal, now=now)


def state_told(memory: Memory) -> StateTold:
    """State of a memory for its event. Args: memory: as it stands now."""
    return StateTold(
        version=memory.version,
        status=memory.status,
        standing=memory.standing,
        doubted=memory.doubted is not None,
    )


def as_cloud_event(event: ChangeEvent) -> dict[str, Any]:
    """JSON format of a CloudEvent, in which an absent attribute is left out."""
    data = event.data
    told: dict[str, Any] = {"id": data.id, "change": data.change, "version": data.version, "by": data.by}
    if data.now is not None:
        told["now"] = {name: getattr(data.now, name) for name in _STATE}
    return _present(
        {
            "specversion": event.specversion,
            "id": event.id,
            "source": event.source,
            "type": event.type,
            "time": rfc3339(event.time),
            "subject": event.subject,
            "datacontenttype": event.datacontenttype,
            "traceparent": event.traceparent,
            "data": _present(told),
        }
    )


_STATE: Final = ("version", "status", "standing", "doubted")


def _present(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
