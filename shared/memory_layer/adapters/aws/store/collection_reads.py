"""Reads of the collections beside the records: one engine for every specification.

What is kept lies under its id, in a partition of its own; an entry (`{time}#{id}`, perhaps behind a prefix) stands in
the order of every list that it is part of. The item has the last word: an entry is a moment older.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Final, Generic

from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.collection_items import sound_cells
from memory_layer.adapters.aws.table.paging import Place, checked_cursor, growing_sizes
from memory_layer.adapters.aws.table.record_items import Item, Value
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.adapters.stored_form.collection_spec import CollectionSpec, T
from memory_layer.domain.access import Viewer
from memory_layer.domain.memory import Scope

ENTRIES_MAX: Final = 8_000
"""Entries looked at in one round trip: as many as are in the megabyte where DynamoDB ends a page itself."""


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Condition on entries. Args: where: over the attributes `#name` of `names`, and values."""

    where: str
    names: dict[str, str]
    values: dict[str, Value]

    def __and__(self, other: "EntryFilter") -> "EntryFilter":
        where = " AND ".join(part for part in (self.where, other.where) if part)
        return EntryFilter(where, self.names | other.names, self.values | other.values)


EVERY_ENTRY: Final = EntryFilter("", {}, {})


def seen_by(viewer: Viewer) -> EntryFilter:
    """Condition that a viewer may see what an entry names."""
    if viewer.sees_all_personas:
        return EVERY_ENTRY
    own: dict[str, Value] = {
        f":persona{number}": {"S": persona} for number, persona in enumerate(sorted(viewer.personas))
    }
    among = f" OR #persona IN ({', '.join(own)})" if own else ""
    return EntryFilter(f"(attribute_not_exists(#persona){among})", {"#persona": "persona"}, own)


@dataclass(frozen=True, slots=True)
class EntryList:
    """Entries in the order of their time, then of the id.

    Args:
        prefix: of the sort keys, before the time; it ends with `#`.
        newest_first: in an order of falling time and id; ids may lie there as digests.
    """

    partition: str
    prefix: str = ""
    shown: EntryFilter = EVERY_ENTRY
    newest_first: bool = False

    def after(self, place: Place | None) -> KeyRange:
        """Range of the entries after a place; those of the same time may be among them."""
        low, high = self.prefix or " ", f"{self.prefix[:-1]}{keys.AFTER_HASH}" if self.prefix else "~"
        if place is not None and self.newest_first:
            high = f"{self.prefix}{checked_cursor(place[0])}{keys.AFTER_HASH}"
        elif place is not None:
            low = f"{self.prefix}{checked_cursor('#'.join(place))}"
        shown = self.shown
        return KeyRange(
            self.partition,
            low,
            high,
            newest_first=self.newest_first,
            names=("sk", "id"),
            where=shown.where or None,
            filtered=shown.names,
            values=shown.values,
        )

    def places(self, entries: Iterable[Item], after: Place | None) -> Iterator[Place]:
        """Places of entries that lie behind another, in order."""
        found = (self._place(entry) for entry in entries)
        if not self.newest_first:
            return (place for place in found if after is None or place > after)
        in_order = chain.from_iterable(
            sorted(at_once, reverse=True) for _, at_once in groupby(found, key=itemgetter(0))
        )
        return (place for place in in_order if after is None or place < after)

    def _place(self, entry: Item) -> Place:
        return entry["sk"]["S"][len(self.prefix) :].split("#", 1)[0], entry["id"]["S"]


class CollectionReads(Generic[T]):
    """Reader of one collection of all projects.

    Args:
        key_of: key of a record's item.
        is_kept: tells if an item is still there for readers.
    """

    def __init__(
        self,
        table: RecordsTable,
        reading: BatchReads,
        spec: CollectionSpec[T],
        key_of: Callable[[Scope, str], keys.Key],
        is_kept: Callable[[Item], bool] = lambda _: True,
    ) -> None:
        self._table = table
        self._reading = reading
        self._spec = spec
        self._key_of = key_of
        self._is_kept = is_kept

    def get_many(self, scope: Scope, ids: Collection[str]) -> dict[str, T]:
        """Reads records by id, in the order asked for; missing ids are left out."""
        wanted = list(dict.fromkeys(ids))
        items = self._reading.items([self._key_of(scope, id) for id in wanted]) if wanted else ()
        found = {self._spec.id_of(record): record for record in self.records(scope, items)}
        return {id: found[id] for id in wanted if id in found}

    def records(self, scope: Scope, items: Iterable[Item]) -> list[T]:
        """Records of the items that are still there, as CollectionSpec.records."""
        kept = (item for item in items if self._is_kept(item))
        return self._spec.records(scope, kept, partial(sound_cells, self._spec), self._named)

    def page(
        self,
        scope: Scope,
        entries: EntryList,
        after: Place | None,
        limit: int,
        is_listed: Callable[[T], bool] = lambda _: True,
    ) -> tuple[tuple[T, ...], Place | None]:
        """Page of a list, and the place that the next one continues after (None: this is the last).

        Args:
            is_listed: tells if a record still stands in the list.
        """
        sizes = growing_sizes(limit + 1, ENTRIES_MAX)
        read = chain.from_iterable(self._table.pages(entries.after(after), sizes))
        places, found = entries.places(read, after), list[tuple[Place, T]]()
        while len(found) <= limit and (chunk := list(islice(places, limit + 1 - len(found)))):
            there = self._at(scope, chunk)
            found += [(place, record) for place, record in there if is_listed(record)]
        shown = found[:limit]
        return tuple(record for _, record in shown), shown[-1][0] if len(found) > limit else None

    def _at(self, scope: Scope, places: Sequence[Place]) -> list[tuple[Place, T]]:
        found = self.get_many(scope, [id for _, id in places])
        return [(place, found[place[1]]) for place in places if place[1] in found]

    def _named(self, item: Item) -> str:
        return str(item.get(self._spec.id, {}).get("S", item["pk"]["S"]))
