"""Keys of the lifecycle's items: events, pairs, sweeps, projects, due records (ADR-0006)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from memory_layer.adapters.aws.table import keys
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Scope


def entity_event_key(scope: Scope, id: str) -> keys.Key:
    return keys.item_key(f"{keys.project_partition(scope)}#v#{keys.text_digest(id)}", "event")


def urn_partition(scope: Scope, urn: str) -> str:
    """Partition of the events of an entity, in order of time."""
    return f"{keys.project_partition(scope)}#e#{keys.text_digest(urn)}"


def urn_entry_key(scope: Scope, urn: str, occurred_at: datetime, id: str) -> keys.Key:
    return keys.item_key(urn_partition(scope, urn), f"{rfc3339(occurred_at)}#{id}")


def open_events_partition(scope: Scope) -> str:
    return f"{keys.project_partition(scope)}#events"


def open_event_key(scope: Scope, received_at: datetime, id: str) -> keys.Key:
    return keys.item_key(open_events_partition(scope), f"{rfc3339(received_at)}#{id}")


def event_counts_key(scope: Scope) -> keys.Key:
    """Key of the counts of events; not between activity and policy, which a recall reads as one stretch."""
    return keys.item_key(keys.project_partition(scope), "stats_of_events")


def activity_key(scope: Scope) -> keys.Key:
    return keys.item_key(keys.project_partition(scope), "activity")


def assembly_key(scope: Scope) -> keys.Key:
    """Key of the settings of assembly, after the policy: a recall's stretch ends there."""
    return keys.item_key(keys.project_partition(scope), "tuning")


def authors_key(scope: Scope) -> keys.Key:
    """Key of the records of authors, between activity and policy: a recall reads them in that stretch."""
    return keys.item_key(keys.project_partition(scope), "authors")


def write_mark_key(scope: Scope) -> keys.Key:
    """Key of the write mark; not between activity and policy either, as it is read by itself."""
    return keys.item_key(keys.project_partition(scope), "write_mark")


def pair_key(scope: Scope, id: str) -> keys.Key:
    return keys.item_key(f"{keys.project_partition(scope)}#p#{keys.text_digest(id)}", "pair")


def pairs_partition(scope: Scope) -> str:
    return f"{keys.project_partition(scope)}#pairs"


def pair_entry_prefix(kind: str, status: str) -> str:
    return f"{kind}#{status}#"


def pair_entry_key(scope: Scope, kind: str, status: str, found_at: datetime, id: str) -> keys.Key:
    """Key of a pair's entry: by when the pair was found, then id."""
    return keys.item_key(pairs_partition(scope), f"{pair_entry_prefix(kind, status)}{rfc3339(found_at)}#{id}")


def pair_link_key(scope: Scope, memory_id: str, id: str) -> keys.Key:
    """Key of a pair's link, in the partition of a record, so that an erasure finds the pair."""
    return keys.item_key(keys.record_partition(scope, memory_id), f"{keys.PAIR_LINK}{id}")


def sweep_key(name: str) -> keys.Key:
    """Key of a sweep's state, of the whole table: no tenant has an empty name."""
    return keys.item_key("##sweeps", name)


PROJECTS_PARTITION: Final = "##projects"


def project_key(scope: Scope) -> keys.Key:
    """Key of the note that a project was written to."""
    return keys.item_key(PROJECTS_PARTITION, keys.project_partition(scope))


DUE_SHARDS: Final = 8
"""A bulk import gives ten thousands of records one day to expire on; a partition takes 1,000 writes a second."""

DUE_EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""No table is older: a walk that knows no better begins here, and a clock that is wrong writes no day before."""


def due_partition(day: str, shard: int) -> str:
    """Partition of the records due on a day, one shard of them. Args: day: as `due_day` makes it."""
    return f"##due#{day}#{shard}"


def due_day(at: datetime) -> str:
    return max(at, DUE_EPOCH).astimezone(UTC).date().isoformat()


def due_index(at: datetime, scope: Scope, id: str) -> dict[str, dict[str, str]]:
    """Attributes by which the index of due records lists a record."""
    where = f"{keys.project_partition(scope)}#{id}"
    shard = int(keys.text_digest(where)[:8], 16) % DUE_SHARDS
    return {
        "due_pk": {"S": due_partition(due_day(at), shard)},
        "due_sk": {"S": f"{rfc3339(max(at, DUE_EPOCH))}#{where}"},
    }


def due_record(entry: Mapping[str, Any]) -> tuple[Scope, str]:
    """Project and id of the record of an entry of that index, read off its partition key."""
    tenant, project, _, id = entry["pk"]["S"].split("#", 3)
    return Scope(tenant, project), id
