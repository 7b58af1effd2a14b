"""Entity events as named texts and integers: the same in a row and in an item."""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import fields
from datetime import datetime
from typing import Any, Final, TypeVar, get_args

from memory_layer.adapters.stored_form.stored_values import UNREADABLE, converted
from memory_layer.domain.fields import canonical_json, instant, rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.entity_events import EntityEvent, EntityEventKind

Stored = str | int | None
Row = TypeVar("Row")

UNKNOWN: Final = "unknown"
"""Name, among the counts of kinds, of the events whose URN no known record named."""

ENTITY_EVENT_KINDS: Final[tuple[EntityEventKind, ...]] = get_args(EntityEventKind)
ENTITY_EVENT_FIELDS: Final = tuple(
    field.name for field in fields(EntityEvent) if field.name not in ("tenant", "project")
)

_WRITERS: dict[str, Callable[[Any], Stored]] = {
    "detail": lambda detail: canonical_json(dict(detail)),
    "occurred_at": rfc3339,
    "received_at": rfc3339,
    "applied_at": rfc3339,
    "is_known": int,
    "by_agent": int,
}
_READERS: dict[str, Callable[[Any], Any]] = {
    "detail": json.loads,
    "occurred_at": instant,
    "received_at": instant,
    "applied_at": instant,
    "is_known": bool,
    "by_agent": bool,
}


def event_values(event: EntityEvent) -> dict[str, Stored]:
    """Stored value of every field but tenant and project, in declaration order."""
    return converted(((name, getattr(event, name)) for name in ENTITY_EVENT_FIELDS), _WRITERS)


def readable_events(
    scope: Scope, rows: Iterable[Row], values_of: Callable[[Row], Mapping[str, Stored]]
) -> list[EntityEvent]:
    """Events of rows, without damaged ones: verify names them, and they keep no other from taking effect."""
    found: list[EntityEvent] = []
    for row in rows:
        with suppress(*UNREADABLE):
            found.append(_event_of(scope, values_of(row)))
    return found


def _event_of(scope: Scope, values: Mapping[str, Stored]) -> EntityEvent:
    """Event that `event_values` was made of."""
    return EntityEvent(tenant=scope.tenant, project=scope.project, **converted(values.items(), _READERS))


def events_by_scope(events: Iterable[EntityEvent]) -> dict[Scope, list[tuple[int, EntityEvent]]]:
    """Events by scope, each with its position among all."""
    found: dict[Scope, list[tuple[int, EntityEvent]]] = {}
    for place, event in enumerate(events):
        found.setdefault(event.scope, []).append((place, event))
    return found


def counts_by_kind(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts of all kinds, with zeros, and of the unknown."""
    return {name: counts.get(name, 0) for name in (*ENTITY_EVENT_KINDS, UNKNOWN)}


def activity_of(text: str | None) -> datetime | None:
    """Time of the last activity; None without any, and for a damaged text, so that no recall fails by that."""
    try:
        return None if text is None else instant(text)
    except ValueError:
        return None
