"""Past states of records: the newest of a record's versions that fits, the records side by side."""

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Final

from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.history_items import history_entry_of
from memory_layer.adapters.aws.table.keys import AFTER_HASH, VERSION
from memory_layer.adapters.aws.table.paging import growing_sizes
from memory_layer.adapters.aws.table.record_items import Item, is_memory
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Memory, Scope, Status
from memory_layer.ports.records import RecordVersion

FIRST_SIZE: Final = 8
"""Most records have few versions: one small query finds the one asked for."""

SIZE_MAX: Final = 200


class VersionItems:
    """Versions of records. Args: executor: asks of several records at a time."""

    def __init__(self, table: RecordsTable, reading: BatchReads, executor: Executor) -> None:
        self._table = table
        self._reading = reading
        self._executor = executor

    def at(self, scope: Scope, ids: Collection[str], moment: datetime) -> dict[str, Memory]:
        """Reads past states as RecordStore.versions_at."""
        found = self._each(scope, ids, partial(self._last_until, scope, moment))
        return {version.memory.id: version.memory for version in found}

    def in_status_since(self, scope: Scope, ids: Collection[str], status: Status) -> dict[str, RecordVersion]:
        """Reads versions as RecordStore.in_status_since."""
        found = self._each(scope, ids, partial(self._first_in, scope, status))
        return {version.memory.id: version for version in found}

    def _each(
        self, scope: Scope, ids: Collection[str], look: Callable[[Item], RecordVersion | None]
    ) -> Iterator[RecordVersion]:
        """Searches the versions of each existing record: one that an erasure is still deleting is gone for readers."""
        wanted = [keys.record_key(scope, id) for id in dict.fromkeys(ids)]
        records = filter(is_memory, self._reading.items(wanted, ("pk", "kind", "first_version")))
        found = self._executor.map(look, list(records))
        return (version for version in found if version is not None)

    def _last_until(self, scope: Scope, moment: datetime, record: Item) -> RecordVersion | None:
        in_time = {"where": "#a <= :at", "filtered": {"#a": "at"}, "values": {":at": {"S": rfc3339(moment)}}}
        newest = next(self._newest_first(scope, record, **in_time), None)
        return None if newest is None else history_entry_of(newest)

    def _first_in(self, scope: Scope, status: Status, record: Item) -> RecordVersion | None:
        first: RecordVersion | None = None
        for version in map(history_entry_of, self._newest_first(scope, record)):
            if version.memory.status != status:
                break
            first = version
        return first

    def _newest_first(self, scope: Scope, record: Item, **filtered: object) -> Iterator[Item]:
        part = KeyRange(
            keys.record_partition(scope, keys.id_of(record)),
            keys.version_sort(int(record["first_version"]["N"])),
            f"{VERSION[:-1]}{AFTER_HASH}",
            newest_first=True,
            **filtered,  # type: ignore[arg-type]
        )
        return chain.from_iterable(self._table.pages(part, growing_sizes(FIRST_SIZE, SIZE_MAX)))
