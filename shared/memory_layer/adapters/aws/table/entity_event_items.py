"""Items of entity events: each has one of its own under its id, and an entry in the order of every list it stands in.

Ids are unique in a project whatever else an event says, so the event lies under its id. Beside it, in the same
transaction: an entry under each end of it (`{time}#{id}`), and one in the project's list of open events, which goes
when the event is applied. The index by age lists the events of a project (see `keys.beside_index`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from memory_layer.adapters.aws.table import keys, lifecycle_keys
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.packing import packed, unpacked
from memory_layer.adapters.aws.table.record_items import Item, Value, text_attributes, with_digest
from memory_layer.adapters.stored_form import entity_event_fields
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.entity_events import EntityEvent

EVENT: Final = "event"
EVENT_ENTRY: Final = "event_entry"
ACTIVITY: Final = "activity"

Actions = list[Mapping[str, Any]]


def event_puts(event: EntityEvent) -> Actions:
    """What keeps a new event; the first of them says whether it is new."""
    is_new = {"Item": event_item(event), "ConditionExpression": "attribute_not_exists(pk)"}
    return [{"Put": is_new}, *({"Put": {"Item": entry}} for entry in _entries(event))]


def event_closings(event: EntityEvent) -> Actions:
    """What keeps that an event was applied; the first of them says whether it was at the version before."""
    body = {
        "Item": event_item(event),
        "ConditionExpression": "#version = :before",
        "ExpressionAttributeNames": {"#version": "version"},
        "ExpressionAttributeValues": {":before": {"N": str(event.version - 1)}},
    }
    return [{"Put": body}, {"Delete": {"Key": _open_key(event)}}]


def event_keys(event: EntityEvent) -> list[Key]:
    """Everything that lies of it in the table."""
    entries = [
        lifecycle_keys.urn_entry_key(event.scope, urn, event.occurred_at, event.id) for urn in event.urns
    ]
    return [*entries, _open_key(event), lifecycle_keys.entity_event_key(event.scope, event.id)]


def count_updates(scope: Scope, counts: Mapping[str, int]) -> Actions:
    """Adds to the project's counts; nothing where there is nothing to add."""
    names = sorted(name for name, count in counts.items() if count)
    if not names:
        return []
    placeholders = {f"#{number}": name for number, name in enumerate(names)}
    body = {
        "Key": lifecycle_keys.event_counts_key(scope),
        "UpdateExpression": "ADD " + ", ".join(f"{name} :{name[1:]}" for name in placeholders),
        "ExpressionAttributeNames": placeholders,
        "ExpressionAttributeValues": {
            f":{name[1:]}": {"N": str(counts[kind])} for name, kind in placeholders.items()
        },
    }
    return [{"Update": body}]


def added_counts(events: Iterable[EntityEvent]) -> Counter[str]:
    return Counter(name for event in events for name in (event.event, *_unknown(event)))


def closed_counts(events: Iterable[EntityEvent]) -> Counter[str]:
    return Counter(name for event in events for name in _unknown(event))


def _unknown(event: EntityEvent) -> Sequence[str]:
    return (entity_event_fields.UNKNOWN,) if event.is_known is False else ()


def event_item(event: EntityEvent) -> dict[str, Value]:
    where = lifecycle_keys.entity_event_key(event.scope, event.id)
    item = {
        **where,
        **keys.beside_index(keys.project_partition(event.scope), where),
        "kind": {"S": EVENT},
        **{
            name: _value(name, value)
            for name, value in entity_event_fields.event_values(event).items()
            if value is not None
        },
    }
    return with_digest(item)


def events_of_items(scope: Scope, items: Iterable[Item]) -> list[EntityEvent]:
    """Without those that are damaged."""
    return entity_event_fields.readable_events(scope, items, _values)


def _values(item: Item) -> dict[str, entity_event_fields.Stored]:
    return {
        name: _stored(item[name]) if name in item else None
        for name in entity_event_fields.ENTITY_EVENT_FIELDS
    }


def _value(name: str, value: str | int) -> Value:
    if isinstance(value, int):
        return {"N": str(value)}
    return packed(value) if name == "detail" else {"S": value}


def _stored(value: Value) -> entity_event_fields.Stored:
    if "N" in value:
        return int(value["N"])
    return str(value["S"]) if "S" in value else unpacked(value)


def _entries(event: EntityEvent) -> Iterator[dict[str, Value]]:
    named = text_attributes({"kind": EVENT_ENTRY, "id": event.id})
    for urn in event.urns:
        where = lifecycle_keys.urn_entry_key(event.scope, urn, event.occurred_at, event.id)
        yield with_digest({**where, **named, "event": {"S": event.event}})
    if event.applied_at is None:
        yield with_digest({**_open_key(event), **named})


def _open_key(event: EntityEvent) -> Key:
    return lifecycle_keys.open_event_key(event.scope, event.received_at, event.id)


def activity_update(scope: Scope, at: datetime) -> dict[str, Any]:
    """Later than what is there, or nothing."""
    where, text = lifecycle_keys.activity_key(scope), {"S": rfc3339(at)}
    item = with_digest({**where, "kind": {"S": ACTIVITY}, "last_activity_at": text})
    return {
        "Key": where,
        "UpdateExpression": "SET #kind = :kind, last_activity_at = :at, digest = :digest",
        "ConditionExpression": "attribute_not_exists(pk) OR last_activity_at < :at",
        "ExpressionAttributeNames": {"#kind": "kind"},
        "ExpressionAttributeValues": {":kind": item["kind"], ":at": text, ":digest": item["digest"]},
    }
