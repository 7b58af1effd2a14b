"""Ids and versions of a project's records, and which of them the log says are on their way to the index."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, repeat
from typing import Final

from memory_layer.adapters.aws.store.listing import PARTITIONS
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import number_of
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.domain.memory import Scope
from memory_layer.manifest.tables import BY_AGE

ON_ITS_WAY: Final = timedelta(hours=1)
"""Age below which a change is the stream's to bring; an older one still in the log was given up."""

LOG_PAGES_MAX: Final = 5
LOG_PAGE: Final = 1_000
AGE_PAGE: Final = 10_000


@dataclass(frozen=True, slots=True)
class RecordEntry:
    """Record, erased or not, as the index by age has it."""

    id: str
    version: int
    is_tombstone: bool


def record_entries(table: RecordsTable, scope: Scope) -> Iterator[RecordEntry]:
    """Yields keys and versions alone; one that changes its status meanwhile may come twice, or not at all."""
    for partition in (*PARTITIONS, keys.ERASED):
        part = KeyRange(
            keys.age_partition(scope, partition),
            " ",
            "~",
            index=BY_AGE.name,
            keys=(BY_AGE.partition_key, BY_AGE.sort_key),
            names=("pk", *BY_AGE.includes),
        )
        for item in chain.from_iterable(table.pages(part, repeat(AGE_PAGE))):
            yield RecordEntry(keys.id_of(item), number_of(item, "version") or 0, partition == keys.ERASED)


def ids_on_their_way(table: RecordsTable, scope: Scope, now: datetime) -> set[str] | None:
    """Ids that the log says the index is about to have; None: they are too many to compare anything."""
    since = keys.log_position(now - ON_ITS_WAY)
    part = KeyRange(keys.log_partition(scope), since, "~", newest_first=True, names=("id",))
    found: set[str] = set()
    for number, page in enumerate(table.pages(part, (*repeat(LOG_PAGE, LOG_PAGES_MAX), 1))):
        if page and number == LOG_PAGES_MAX:
            return None
        found.update(entry["id"]["S"] for entry in page)
    return found
