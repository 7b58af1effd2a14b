"""Past states of records: the newest of a record's versions that fits, the records side by side."""

from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Final

from memory_layer.adapters.aws.table import keys, record_seals
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.history_items import sound_entry_of, verdict_of
from memory_layer.adapters.aws.table.keys import AFTER_HASH, VERDICT, VERSION
from memory_layer.adapters.aws.table.paging import growing_sizes
from memory_layer.adapters.aws.table.record_items import Item
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.stored_values import UNREADABLE, parse_stored
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Memory, Scope, Status
from memory_layer.ports.commit import Verdict
from memory_layer.ports.records import RecordVersion

FIRST_SIZE: Final = 8
"""Most records have few versions: one small query finds the one asked for."""

SIZE_MAX: Final = 200

_LOOKED_AT: Final = ("kind", record_seals.SEAL, "first_version")


class VersionItems:
    """Versions of records. Args: executor: asks of several records at a time."""

    def __init__(self, table: RecordsTable, reading: BatchReads, executor: Executor) -> None:
        self._table = table
        self._reading = reading
        self._executor = executor

    def all(self, scope: Scope, id: str) -> list[RecordVersion]:
        """Versions since the id was last created; those that an erasure is still deleting are gone for readers.

        Raises:
            StoreUnavailable: one is damaged.
        """
        return _parsed(id, self._of_record(scope, id))

    def all_of_each(self, scope: Scope, ids: Collection[str]) -> dict[str, list[RecordVersion]]:
        """Reads several records' versions as `all`: the records in batches, their versions side by side."""
        records = self._records(scope, ids)

        def read(record: Item) -> list[RecordVersion]:
            return _parsed(keys.id_of(record), self._table.whole(_stretch(scope, record)))

        return dict(zip(map(keys.id_of, records), self._executor.map(read, records), strict=True))

    def writers(self, scope: Scope, ids: Collection[str]) -> dict[str, str]:
        """Reads writers as HistoryStore.writers: each first version lies under a key that its record names."""
        first = [
            keys.version_key(scope, keys.id_of(one), _first_number(one)) for one in self._records(scope, ids)
        ]
        found = map(_sound_or_none, self._reading.items(first))
        return {version.memory.id: version.by for version in found if version is not None}

    def of_all(self, ids: Collection[str], read: Callable[[str], list[Verdict]]) -> dict[str, list[Verdict]]:
        """Reads the verdicts on several records side by side."""
        return dict(zip(ids, self._executor.map(read, ids), strict=True))

    def sound(self, scope: Scope, id: str) -> list[RecordVersion]:
        """Versions as `all` reads them, without the damaged ones: for bodies that are lost."""
        found = map(_sound_or_none, self._of_record(scope, id))
        return [version for version in found if version is not None]

    def _of_record(self, scope: Scope, id: str) -> Iterator[Item]:
        record = self._table.get(keys.record_key(scope, id), ("pk", *_LOOKED_AT))
        if record is None or record_seals.is_tombstone(record):
            return iter(())
        return self._table.whole(_stretch(scope, record))

    def at(self, scope: Scope, ids: Collection[str], moment: datetime) -> dict[str, Memory]:
        """Reads past states as HistoryStore.at."""
        found = self._each(scope, ids, partial(self._last_until, scope, moment))
        return {version.memory.id: version.memory for version in found}

    def in_status_since(self, scope: Scope, ids: Collection[str], status: Status) -> dict[str, RecordVersion]:
        """Reads versions as HistoryStore.in_status_since."""
        found = self._each(scope, ids, partial(self._first_in, scope, status))
        return {version.memory.id: version for version in found}

    def _each(
        self, scope: Scope, ids: Collection[str], look: Callable[[Item], RecordVersion | None]
    ) -> Iterator[RecordVersion]:
        """Searches the versions of each existing record: one that an erasure is still deleting is gone for readers."""
        found = self._executor.map(look, self._records(scope, ids))
        return (version for version in found if version is not None)

    def _records(self, scope: Scope, ids: Collection[str]) -> list[Item]:
        wanted = [keys.record_key(scope, id) for id in dict.fromkeys(ids)]
        items = self._reading.items(wanted, ("pk", *_LOOKED_AT))
        return [item for item in items if not record_seals.is_tombstone(item)]

    def _last_until(self, scope: Scope, moment: datetime, record: Item) -> RecordVersion | None:
        in_time = {"where": "#a <= :at", "filtered": {"#a": "at"}, "values": {":at": {"S": rfc3339(moment)}}}
        newest = next(self._newest_first(scope, record, **in_time), None)
        return None if newest is None else _sound_or_none(newest)

    def _first_in(self, scope: Scope, status: Status, record: Item) -> RecordVersion | None:
        first: RecordVersion | None = None
        for version in map(_sound_or_none, self._newest_first(scope, record)):
            if version is None:
                return None  # nobody knows since when
            if version.memory.status != status:
                break
            first = version
        return first

    def _newest_first(self, scope: Scope, record: Item, **filtered: object) -> Iterator[Item]:
        part = replace(_stretch(scope, record), newest_first=True, **filtered)  # type: ignore[arg-type]
        return chain.from_iterable(self._table.pages(part, growing_sizes(FIRST_SIZE, SIZE_MAX)))


class HistoryItems:
    """Earlier versions and verdicts of all projects: the port ports.records.HistoryStore."""

    def __init__(self, table: RecordsTable, versions: VersionItems, bodies: Bodies) -> None:
        self._table = table
        self._versions = versions
        self._bodies = bodies

    def of(self, scope: Scope, id: str) -> list[RecordVersion]:
        return self._bodies.whole_history(self._versions.all(scope, id))

    def of_each(self, scope: Scope, ids: Collection[str]) -> dict[str, list[RecordVersion]]:
        found = self._versions.all_of_each(scope, ids)
        return {id: self._bodies.whole_history(versions) for id, versions in found.items()}

    def writers(self, scope: Scope, ids: Collection[str]) -> dict[str, str]:
        return self._versions.writers(scope, ids)

    def at(self, scope: Scope, ids: Collection[str], moment: datetime) -> dict[str, Memory]:
        found = self._versions.at(scope, ids, moment)
        whole, _ = self._bodies.whole(list(found.values()))
        return {memory.id: memory for memory in whole}

    def in_status_since(self, scope: Scope, ids: Collection[str], status: Status) -> dict[str, RecordVersion]:
        return self._bodies.whole_versions(self._versions.in_status_since(scope, ids, status))

    def verdicts(self, scope: Scope, memory_id: str, *, in_force: bool = True) -> list[Verdict]:
        part = KeyRange(keys.record_partition(scope, memory_id), VERDICT, f"{VERDICT[:-1]}{AFTER_HASH}")
        found = [
            parse_stored(verdict_of, item, f"a verdict on {memory_id}") for item in self._table.whole(part)
        ]
        standing = (verdict for verdict in found if not in_force or verdict.replaced_by is None)
        return sorted(standing, key=lambda verdict: (verdict.at, verdict.id))

    def verdicts_of_each(self, scope: Scope, ids: Collection[str]) -> dict[str, list[Verdict]]:
        return self._versions.of_all(ids, lambda id: self.verdicts(scope, id, in_force=False))


def _parsed(id: str, items: Iterable[Item]) -> list[RecordVersion]:
    """Versions of a record. Raises: StoreUnavailable: one is damaged."""
    return [
        parse_stored(
            sound_entry_of, item, f"version {item['sk']['S'].removeprefix(VERSION).lstrip('0')} of {id}"
        )
        for item in items
    ]


def _stretch(scope: Scope, record: Item) -> KeyRange:
    """Versions of a record since its id was last created."""
    first = keys.version_sort(_first_number(record))
    return KeyRange(keys.record_partition(scope, keys.id_of(record)), first, f"{VERSION[:-1]}{AFTER_HASH}")


def _first_number(record: Item) -> int:
    return int(record["first_version"]["N"])


def _sound_or_none(item: Item) -> RecordVersion | None:
    """Version of an item; None for a damaged one, which a verification names."""
    try:
        return sound_entry_of(item)
    except UNREADABLE:
        return None
