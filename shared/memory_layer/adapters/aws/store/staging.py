"""Runs and staged learnings as they are now: entries in order, then the items that they name (see `staging_items`)."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, groupby, islice, repeat
from operator import itemgetter
from typing import Final, TypeVar, get_args

from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.keys import AFTER_HASH
from memory_layer.adapters.aws.table.paging import NOBODY, Place, checked_cursor, growing_sizes
from memory_layer.adapters.aws.table.record_items import Item, Value
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.adapters.aws.table.request_items import is_unexpired
from memory_layer.adapters.aws.table.staging_items import run_of_item, staged_of_item
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus
from memory_layer.domain.memory import Scope
from memory_layer.ports.collections import RunPage, StagedPage
from memory_layer.ports.process import Clock

ENTRIES_MAX: Final = 8_000
"""Entries looked at in one round trip: as many as are in the megabyte where DynamoDB ends a page itself."""

T = TypeVar("T")


class StagingItems:
    """Runs and staged learnings of all projects: the port ports.collections.LearningStore.

    Args:
        clock: says which of those that were promoted or rejected are gone.
    """

    def __init__(self, table: RecordsTable, reading: BatchReads, clock: Clock) -> None:
        self._table = table
        self._reading = reading
        self._clock = clock

    def run(self, scope: Scope, run_id: str) -> RunRecord | None:
        item = self._table.get(keys.run_key(scope, run_id))
        return None if item is None else run_of_item(item)

    def runs(self, scope: Scope, *, after: Place | None, limit: int) -> RunPage:
        """Reads a page as LearningStore.runs."""
        part = KeyRange(keys.runs_partition(scope), "0", _newest(after), newest_first=True)
        entries = chain.from_iterable(self._table.pages(part, growing_sizes(limit + 1, ENTRIES_MAX)))
        places = _in_order_of_ids(map(_place, entries))
        behind = (place for place in places if after is None or place < after)
        found, next_key = _page(behind, limit, lambda chunk: self._runs(scope, chunk))
        return RunPage(tuple(found), next_key)

    def _runs(self, scope: Scope, places: Sequence[Place]) -> list[tuple[Place, RunRecord]]:
        items = self._reading.items([keys.run_key(scope, run_id) for _, run_id in places])
        runs = {run.run_id: run for run in map(run_of_item, items)}
        return [(place, runs[place[1]]) for place in places if place[1] in runs]

    def staged(self, scope: Scope, ids: Collection[str]) -> dict[str, StagedLearning]:
        """Reads staged learnings as LearningStore.staged, in the order asked for."""
        now, wanted = self._clock.now(), list(dict.fromkeys(ids))
        items = self._reading.items([keys.staged_key(scope, id) for id in wanted])
        there = (item for item in items if "expires_at" not in item or is_unexpired(item, now))
        found = {staged.id: staged for staged in map(staged_of_item, there)}
        return {id: found[id] for id in wanted if id in found}

    def staged_page(
        self,
        scope: Scope,
        statuses: Collection[StagedStatus],
        viewer: Viewer,
        *,
        after: Place | None,
        limit: int,
    ) -> StagedPage:
        """Reads a page as LearningStore.staged_page; items have the last word, entries are a moment older."""
        if not statuses:
            return StagedPage((), None)
        part = self._shown(scope, viewer, _oldest(after), statuses)
        entries = chain.from_iterable(self._table.pages(part, growing_sizes(limit + 1, ENTRIES_MAX)))
        places = (place for place in map(_place, entries) if after is None or place > after)

        def read(chunk: Sequence[Place]) -> list[tuple[Place, StagedLearning]]:
            found = self.staged(scope, [id for _, id in chunk])
            read = ((place, found.get(place[1])) for place in chunk)
            return [(place, item) for place, item in read if item is not None and item.status in statuses]

        shown, next_key = _page(places, limit, read)
        return StagedPage(tuple(shown), next_key)

    def staged_counts(self, scope: Scope, viewer: Viewer) -> dict[StagedStatus, int]:
        """Counts as LearningStore.staged_counts, by the entries alone."""
        part = self._shown(scope, viewer, "0", get_args(StagedStatus))
        entries = chain.from_iterable(self._table.pages(part, repeat(ENTRIES_MAX)))
        counts = Counter(entry["status"]["S"] for entry in entries)
        return {status: counts[status] for status in get_args(StagedStatus)}

    def _shown(self, scope: Scope, viewer: Viewer, low: str, statuses: Collection[StagedStatus]) -> KeyRange:
        """Entries of unexpired learnings that this viewer may see."""
        asked: dict[str, Value] = {
            f":status{number}": {"S": status} for number, status in enumerate(sorted(statuses))
        }
        where = [f"#a IN ({', '.join(asked)})", "(attribute_not_exists(#b) OR #b > :now)"]
        names = {"#a": "status", "#b": "expires_at"}
        values = {**asked, ":now": {"S": rfc3339(self._clock.now())}}
        if not viewer.sees_all_personas:
            names["#c"] = "persona"
            where.append("(attribute_not_exists(#c) OR #c = :persona)")
            values[":persona"] = {"S": viewer.persona or NOBODY}
        return KeyRange(
            keys.staging_partition(scope),
            low,
            "~",
            names=("sk", "id", "status"),
            where=" AND ".join(where),
            filtered=names,
            values=values,
        )


def _place(entry: Item) -> Place:
    return entry["sk"]["S"].split("#", 1)[0], entry["id"]["S"]


def _oldest(after: Place | None) -> str:
    """Lowest sort key of a page after a place, that place itself included."""
    return "0" if after is None else checked_cursor("#".join(after))


def _newest(after: Place | None) -> str:
    """Highest sort key of a page after a place, all of the same time included: their order is that of their ids."""
    return "~" if after is None else f"{checked_cursor(after[0])}{AFTER_HASH}"


def _in_order_of_ids(places: Iterator[Place]) -> Iterator[Place]:
    """Places newest first; the entries of one time are in the order of their ids' digests."""
    for _, at_once in groupby(places, key=itemgetter(0)):
        yield from sorted(at_once, reverse=True)


def _page(
    places: Iterator[Place], limit: int, read: Callable[[Sequence[Place]], list[tuple[Place, T]]]
) -> tuple[list[T], Place | None]:
    """Page of values and the place where the next one begins, or all that is left."""
    found: list[tuple[Place, T]] = []
    while len(found) <= limit and (chunk := list(islice(places, limit + 1 - len(found)))):
        found += read(chunk)
    shown = found[:limit]
    return [value for _, value in shown], shown[-1][0] if len(found) > limit else None
