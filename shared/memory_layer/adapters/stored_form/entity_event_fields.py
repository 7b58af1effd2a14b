"""Entity events as named texts and integers: the same in a row and in an item."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, Final, get_args

from memory_layer.adapters.stored_form.collection_spec import Cell, CollectionSpec
from memory_layer.adapters.stored_form.stored_values import converted
from memory_layer.domain.fields import canonical_json, instant, rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.entity_events import EntityEvent, EntityEventKind

UNKNOWN: Final = "unknown"
"""Name, among the counts of kinds, of the events whose URN no known record named."""

ENTITY_EVENT_KINDS: Final[tuple[EntityEventKind, ...]] = get_args(EntityEventKind)
_FIELDS: Final = tuple(field.name for field in fields(EntityEvent) if field.name not in ("tenant", "project"))

_WRITERS: dict[str, Callable[[Any], Cell]] = {
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


def _cells(event: EntityEvent) -> dict[str, Cell]:
    """Stored value of every field but tenant and project, in declaration order."""
    return converted(((name, getattr(event, name)) for name in _FIELDS), _WRITERS)


def _event_of(scope: Scope, values: Mapping[str, Cell]) -> EntityEvent:
    """Event that `_cells` was made of."""
    return EntityEvent(tenant=scope.tenant, project=scope.project, **converted(values.items(), _READERS))


EVENTS: Final = CollectionSpec(
    name="entity_events", fields=_FIELDS, documents=frozenset({"detail"}), cells=_cells, read=_event_of
)


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
