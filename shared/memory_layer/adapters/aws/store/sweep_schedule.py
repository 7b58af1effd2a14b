"""Schedule of sweeps in DynamoDB: records by when they are due, projects, and the state of each sweep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from memory_layer.adapters.aws.store.project_marks import ProjectRegistry
from memory_layer.adapters.aws.store.sound_items import DamagedRecordItem, SoundItems
from memory_layer.adapters.aws.table import keys, lifecycle_keys, record_seals
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.record_items import Item, Value
from memory_layer.adapters.aws.table.records_table import ConditionFailed, KeyRange, RecordsTable
from memory_layer.adapters.stored_form.sweep_state_text import (
    state_digest,
    state_of,
    state_text,
    sweep_state_conflict,
)
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.time.decay import due_at
from memory_layer.domain.time.sweep_state import SweepName, SweepState
from memory_layer.errors import Malformed
from memory_layer.manifest.tables import BY_DUE
from memory_layer.ports.maintenance import DueNames, DuePage

PARTITIONS_A_PAGE: Final = 4 * lifecycle_keys.DUE_SHARDS
"""Queries for one page at most: then it ends early, and says where to go on."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Shard of a day, and the key in it after which to go on."""

    day: date
    shard: int = 0
    after: str = ""

    def next(self) -> _Place:
        is_last = self.shard + 1 == lifecycle_keys.DUE_SHARDS
        return _Place(self.day + timedelta(days=1)) if is_last else _Place(self.day, self.shard + 1)

    def __str__(self) -> str:
        return f"{self.day.isoformat()}#{self.shard}#{self.after}"


def _place_of(cursor: str) -> _Place:
    """Place of a cursor. Raises: Malformed: no page ever named it."""
    try:
        day, shard, after = cursor.split("#", 2)
        return _Place(date.fromisoformat(day), int(shard), after)
    except ValueError as error:
        raise Malformed("the cursor is none of ours; start again without one") from error


class SweepItems:
    """Schedule of all tenants: the port ports.maintenance.SweepStore."""

    def __init__(
        self, table: RecordsTable, reading: BatchReads, sound: SoundItems, registry: ProjectRegistry
    ) -> None:
        self._table = table
        self._reading = reading
        self._sound = sound
        self._registry = registry

    def due(self, until: datetime, *, since: datetime | None, after: str | None, limit: int) -> DuePage:
        """Reads due records day by day; the record itself decides, as the index lags behind."""
        found, next_cursor = self._listed(until, since, after, limit)
        read = list(self._read(found))
        return DuePage(
            tuple(one for one in read if isinstance(one, Memory) and _is_due(one, until)),
            next_cursor,
            tuple(one for one in read if isinstance(one, str)),
        )

    def due_names(
        self, until: datetime, *, since: datetime | None, after: str | None, limit: int
    ) -> DueNames:
        found, next_cursor = self._listed(until, since, after, limit)
        return DueNames(tuple(dict.fromkeys(lifecycle_keys.due_record(hit) for hit in found)), next_cursor)

    def _listed(
        self, until: datetime, since: datetime | None, after: str | None, limit: int
    ) -> tuple[list[Item], str | None]:
        """Entries of the index, and the cursor behind them."""
        begin = _Place(date.fromisoformat(lifecycle_keys.due_day(since or lifecycle_keys.DUE_EPOCH)))
        place: _Place | None = begin if after is None else _place_of(after)
        found: list[Item] = []
        for _ in range(PARTITIONS_A_PAGE):
            if place is None or len(found) >= limit:
                break
            hits, place = self._hits(place, until, limit - len(found))
            found += hits
        return found, None if place is None else str(place)

    def _hits(self, place: _Place, until: datetime, limit: int) -> tuple[list[Item], _Place | None]:
        """Entries of a shard, and where to go on: None where everything is later than `until`."""
        if place.day.isoformat() > lifecycle_keys.due_day(until):
            return [], None
        part = KeyRange(
            lifecycle_keys.due_partition(place.day.isoformat(), place.shard),
            f"{place.after}{keys.AFTER_KEY}" if place.after else " ",
            f"{rfc3339(until)}{keys.AFTER_HASH}",
            index=BY_DUE.name,
            keys=(BY_DUE.partition_key, BY_DUE.sort_key),
        )
        (hits,) = self._table.pages(part, (limit,)) if part.low <= part.high else ([],)
        if len(hits) == limit:
            return hits, _Place(place.day, place.shard, hits[-1]["due_sk"]["S"])
        following = place.next()
        return hits, None if following.day.isoformat() > lifecycle_keys.due_day(until) else following

    def _read(self, hits: list[Item]) -> Iterator[Memory | str]:
        """Records of hits, in order; one that is erased meanwhile is left out."""
        wanted = {hit["pk"]["S"]: {"pk": hit["pk"], "sk": hit["sk"]} for hit in hits}
        if not wanted:
            return
        items = {
            item["pk"]["S"]: item
            for item in self._reading.items(list(wanted.values()), record_seals.READ_ATTRIBUTES)
        }
        for key in wanted:
            if key in items and (found := _memory_or_name(self._sound.of_item(items[key]))) is not None:
                yield found

    def projects(self, *, after: Scope | None, limit: int) -> list[Scope]:
        return self._registry.after(after, limit)

    def written_since(self, scope: Scope, at: datetime) -> bool:
        return self._registry.written_since(scope, at)

    def state(self, name: SweepName) -> SweepState | None:
        item = self._table.get(lifecycle_keys.sweep_key(name))
        if item is None:
            return None
        return state_of(name, int(item["version"]["N"]), item["state"]["S"], item["digest"]["S"])

    def put_state(self, state: SweepState) -> None:
        text = state_text(state)
        values: dict[str, Value] = {
            ":version": {"N": str(state.version)},
            ":state": {"S": text},
            ":digest": {"S": state_digest(state.name, state.version, text)},
        }
        is_first = state.version == 1
        try:
            self._table.update(
                Key=lifecycle_keys.sweep_key(state.name),
                UpdateExpression="SET #version = :version, #state = :state, #digest = :digest",
                ConditionExpression="attribute_not_exists(pk)" if is_first else "#version = :before",
                ExpressionAttributeNames={"#version": "version", "#state": "state", "#digest": "digest"},
                ExpressionAttributeValues=values
                if is_first
                else {**values, ":before": {"N": str(state.version - 1)}},
            )
        except ConditionFailed as error:
            raise sweep_state_conflict(state) from error


def _memory_or_name(found: Memory | DamagedRecordItem | None) -> Memory | str | None:
    """Record; a sentence on one that is damaged, so that others are swept."""
    if not isinstance(found, DamagedRecordItem):
        return found
    project, id = found.ref
    return f"{project}: {id} is damaged; run: mem verify -p {project}"


def _is_due(memory: Memory, until: datetime) -> bool:
    at = due_at(memory)
    return at is not None and at <= until
