"""Items of entity events: one under the id of each event, and an entry in the order of every list it stands in.

Ids are unique in a project whatever else an event says, so the event lies under its id. Beside it, in the same
transaction: an entry under each end of it (`{time}#{id}`), and one in the project's list of open events, which goes
when the event is applied. The index by age lists the events of a project (see `keys.listing_attributes`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from memory_layer.adapters.aws.table import keys, lifecycle_keys
from memory_layer.adapters.aws.table.collection_items import attributes, put_condition
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.record_items import Value, text_attributes, with_digest
from memory_layer.adapters.aws.table.records_table import TransactItems
from memory_layer.adapters.stored_form import entity_event_fields
from memory_layer.domain.access import agent_voice
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.entity_events import EntityEvent

EVENT: Final = "event"
EVENT_ENTRY: Final = "event_entry"
ACTIVITY: Final = "activity"


def event_puts(event: EntityEvent) -> TransactItems:
    """Actions that add an event; the condition of the first fails where the event is stored already."""
    is_new = {"Item": event_item(event), **put_condition(1)}
    return [{"Put": is_new}, *({"Put": {"Item": entry}} for entry in _entries(event))]


def event_closings(event: EntityEvent) -> TransactItems:
    """Actions that mark an event as applied; the condition of the first asks for the version before."""
    body = {"Item": event_item(event), **put_condition(event.version)}
    return [{"Put": body}, {"Delete": {"Key": _open_key(event)}}]


def event_keys(event: EntityEvent) -> list[Key]:
    """Keys of all items of an event."""
    entries = [
        lifecycle_keys.urn_entry_key(event.scope, urn, event.occurred_at, event.id) for urn in event.urns
    ]
    return [*entries, _open_key(event), lifecycle_keys.entity_event_key(event.scope, event.id)]


def count_updates(scope: Scope, counts: Mapping[str, int]) -> TransactItems:
    """Actions that add to the project's counts; none where there is nothing to add."""
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
        **keys.listing_attributes(keys.project_partition(event.scope), where),
        "kind": {"S": EVENT},
        **attributes(entity_event_fields.EVENTS, event),
    }
    return with_digest(item)


def _entries(event: EntityEvent) -> Iterator[dict[str, Value]]:
    named = text_attributes({"kind": EVENT_ENTRY, "id": event.id})
    speaker = text_attributes({"event": event.event, "voice": agent_voice(event.created_by)})
    speaker["by_agent"] = {"BOOL": bool(event.by_agent)}
    for urn in event.urns:
        where = lifecycle_keys.urn_entry_key(event.scope, urn, event.occurred_at, event.id)
        yield with_digest({**where, **named, **speaker})
    if event.applied_at is None:
        yield with_digest({**_open_key(event), **named})


def _open_key(event: EntityEvent) -> Key:
    return lifecycle_keys.open_event_key(event.scope, event.received_at, event.id)


def activity_update(scope: Scope, at: datetime) -> dict[str, Any]:
    """Update of the last activity, on condition that it is later than the stored one."""
    where, text = lifecycle_keys.activity_key(scope), {"S": rfc3339(at)}
    item = with_digest({**where, "kind": {"S": ACTIVITY}, "last_activity_at": text})
    return {
        "Key": where,
        "UpdateExpression": "SET #kind = :kind, last_activity_at = :at, digest = :digest",
        "ConditionExpression": "attribute_not_exists(pk) OR last_activity_at < :at",
        "ExpressionAttributeNames": {"#kind": "kind"},
        "ExpressionAttributeValues": {":kind": item["kind"], ":at": text, ":digest": item["digest"]},
    }
