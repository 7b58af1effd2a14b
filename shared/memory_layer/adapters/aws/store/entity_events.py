"""Entity events in DynamoDB (see `entity_event_items`)."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, repeat
from operator import itemgetter
from typing import Final

from memory_layer.adapters.aws.store.collection_reads import CollectionReads, EntryList
from memory_layer.adapters.aws.store.project_marks import ProjectRegistry, WriteMarks
from memory_layer.adapters.aws.table import entity_event_items, keys, lifecycle_keys, records_table
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.paging import Place
from memory_layer.adapters.aws.table.record_items import Item, number_of
from memory_layer.adapters.stored_form import entity_event_fields
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.entity_events import NEEDS_TARGET, EntityEvent, Link, links_in_force
from memory_layer.errors import StoreUnavailable
from memory_layer.manifest.tables import BY_AGE
from memory_layer.ports.collections import LINKS_MAX, EventPage

ADDED_TOGETHER: Final = 20
"""Events of one transaction: at four actions each, and one for the counts, within the 100 of a transaction."""

CLOSED_TOGETHER: Final = 40

ENTRIES_READ: Final = 10_000
"""Entries of one entity, the latest, among which its links are looked for: 2 MB."""

LARGE_PAGE: Final = 2_000


class EntityEventItems:
    """Entity events of all projects: the port ports.collections.EventStore."""

    def __init__(
        self,
        table: records_table.RecordsTable,
        reading: BatchReads,
        registry: ProjectRegistry,
        marks: WriteMarks,
        new_token: Callable[[], str],
    ) -> None:
        self._table = table
        self._reading = reading
        self._reads = CollectionReads(
            table, reading, entity_event_fields.EVENTS, lifecycle_keys.entity_event_key
        )
        self._registry = registry
        self._marks = marks
        self._new_token = new_token

    def add(self, events: Sequence[EntityEvent]) -> list[bool]:
        was_new = [False] * len(events)
        for scope, placed in entity_event_fields.events_by_scope(events).items():
            self._registry.note(scope)
            for place in self._written(
                scope, placed, ADDED_TOGETHER, entity_event_items.event_puts, entity_event_items.added_counts
            ):
                was_new[place] = True
            self._marks.renew([scope])
        return was_new

    def mark_applied(self, events: Sequence[EntityEvent]) -> list[bool]:
        was_before = [False] * len(events)
        for scope, placed in entity_event_fields.events_by_scope(events).items():
            for place in self._written(
                scope,
                placed,
                CLOSED_TOGETHER,
                entity_event_items.event_closings,
                entity_event_items.closed_counts,
            ):
                was_before[place] = True
            self._marks.renew([scope])
        return was_before

    def _written(
        self,
        scope: Scope,
        placed: Sequence[tuple[int, EntityEvent]],
        together: int,
        actions_of: Callable[[EntityEvent], records_table.TransactItems],
        counts_of: Callable[[list[EntityEvent]], Mapping[str, int]],
    ) -> Iterator[int]:
        """Writes events; returns the places of those written: of several with one id it is the first."""
        first = list({event.id: (place, event) for place, event in reversed(placed)}.values())[::-1]
        for start in range(0, len(first), together):
            yield from self._transacted(scope, first[start : start + together], actions_of, counts_of)

    def _transacted(
        self,
        scope: Scope,
        placed: list[tuple[int, EntityEvent]],
        actions_of: Callable[[EntityEvent], records_table.TransactItems],
        counts_of: Callable[[list[EntityEvent]], Mapping[str, int]],
    ) -> list[int]:
        """Writes a transaction: again without events whose condition fails, and while others get in between."""
        for _ in self._table.backoff.rounds():
            if not placed:
                return []
            each = [actions_of(event) for _, event in placed]
            counts = entity_event_items.count_updates(scope, counts_of([event for _, event in placed]))
            reasons = self._table.transact([*chain.from_iterable(each), *counts], self._new_token())
            if reasons is None:
                return [place for place, _ in placed]
            held = _conditions_met(each, reasons)
            placed = [one for one, is_held in zip(placed, held, strict=True) if is_held]
        raise StoreUnavailable(
            f"project {scope.project}: others tell of events all the time; send these again"
        )

    def get_many(self, scope: Scope, ids: Collection[str]) -> dict[str, EntityEvent]:
        return self._reads.get_many(scope, ids)

    def open(self, scope: Scope, *, after: Place | None, limit: int) -> EventPage:
        """Lists open events; one closed meanwhile is listed all the same."""
        entries = EntryList(lifecycle_keys.open_events_partition(scope))
        return EventPage(*self._reads.page(scope, entries, after, limit))

    def of(self, scope: Scope, urn: str, *, after: Place | None, limit: int) -> EventPage:
        entries = EntryList(lifecycle_keys.urn_partition(scope, urn))
        return EventPage(*self._reads.page(scope, entries, after, limit))

    def links_of(
        self,
        scope: Scope,
        urns: Collection[str],
        viewer: Viewer,
        *,
        as_of: datetime | None = None,
        limit: int = LINKS_MAX,
    ) -> dict[str, tuple[Link, ...]]:
        """Queries the events of each entity, then reads all of them together."""
        until = f"{rfc3339(as_of)}{keys.AFTER_HASH}" if as_of else "~"
        named = {urn: self._link_entries(scope, urn, until, limit) for urn in dict.fromkeys(urns)}
        events = self.get_many(scope, [id for ids in named.values() for id in ids])
        links = {
            urn: tuple(sorted(links_in_force((events[id] for id in ids if id in events), viewer)))
            for urn, ids in named.items()
        }
        return {urn: found for urn, found in links.items() if found}

    def links_told(self, scope: Scope) -> list[EntityEvent]:
        return [event for event in self._listed(scope) if event.event in NEEDS_TARGET]

    def _link_entries(self, scope: Scope, urn: str, until: str, limit: int) -> list[str]:
        """Ids of the latest events that may be about links; entries older than this field do not say.

        Where there are more than `limit`, those of each voice turn by turn, of people and sources apart from agents,
        among about the latest `ENTRIES_READ`.
        """
        part = records_table.KeyRange(
            lifecycle_keys.urn_partition(scope, urn),
            " ",
            until,
            newest_first=True,
            where="attribute_not_exists(#event) OR #event IN (:linked, :unlinked)",
            filtered={"#event": "event"},
            values={":linked": {"S": "linked"}, ":unlinked": {"S": "unlinked"}},
        )
        entries = list(chain.from_iterable(self._table.pages(part, _sizes(limit))))
        if len(entries) <= limit:
            return [entry["id"]["S"] for entry in entries]
        halves = ([one for one in entries if _is_agents(one) is is_agents] for is_agents in (False, True))
        return [entry["id"]["S"] for half in halves for entry in _turn_by_turn(half)[:limit]]

    def counts(self, scope: Scope) -> Mapping[str, int]:
        item = self._table.get(lifecycle_keys.event_counts_key(scope)) or {}
        return entity_event_fields.counts_by_kind(
            {
                name: number_of(item, name) or 0
                for name in (*entity_event_fields.ENTITY_EVENT_KINDS, entity_event_fields.UNKNOWN)
            }
        )

    def forget(self, scope: Scope, *, urn: str | None = None, created_by: str | None = None) -> int:
        """Forgets events: an entity's by its list; all others by the index by age, which is a moment behind."""
        events = self._of_entity(scope, urn) if urn is not None else self._listed(scope)
        gone = [event for event in events if created_by in (None, event.created_by)]
        for event in gone:  # the event itself goes last: what a crash leaves is found again
            self._table.delete_each(entity_event_items.event_keys(event))
        if urn is None and created_by is None:
            self._table.delete_each(
                [lifecycle_keys.activity_key(scope), lifecycle_keys.event_counts_key(scope)]
            )
        elif counts := {name: -count for name, count in entity_event_items.added_counts(gone).items()}:
            self._table.transact(entity_event_items.count_updates(scope, counts), self._new_token())
        self._marks.renew([scope])
        return len(gone)

    def _of_entity(self, scope: Scope, urn: str) -> list[EntityEvent]:
        found, after = list[EntityEvent](), None
        while True:
            page = self.of(scope, urn, after=after, limit=records_table.READ_CHUNK)
            found += page.events
            if page.next_key is None:
                return found
            after = page.next_key

    def _listed(self, scope: Scope) -> list[EntityEvent]:
        part = records_table.KeyRange(
            keys.listed_items_partition(keys.project_partition(scope)),
            " ",
            "~",
            index=BY_AGE.name,
            keys=(BY_AGE.partition_key, BY_AGE.sort_key),
        )
        found = list[EntityEvent]()
        for page in self._table.pages(part, repeat(records_table.READ_CHUNK)):
            wanted = [
                {"pk": item["pk"], "sk": item["sk"]}
                for item in page
                if item["sk"]["S"] == entity_event_items.EVENT
            ]
            items = self._reading.items(wanted) if wanted else ()
            found += self._reads.records(scope, items)
        return found


def _sizes(limit: int) -> Iterator[int]:
    """Sizes of the pages of entries that are read: small ones for most, large ones for an entity with very many."""
    small = -(-(limit + 1) // records_table.READ_CHUNK)
    return chain(repeat(records_table.READ_CHUNK, small), repeat(LARGE_PAGE, ENTRIES_READ // LARGE_PAGE))


def _is_agents(entry: Item) -> bool:
    return "by_agent" in entry and bool(entry["by_agent"]["BOOL"])


def _turn_by_turn(entries: Iterable[Item]) -> list[Item]:
    """The latest of each voice, then the second of each: however much one tells, others' are among the first."""
    turns, placed = Counter[str](), list[tuple[int, Item]]()
    for entry in entries:
        voice = entry["voice"]["S"] if "voice" in entry else ""
        turns[voice] += 1
        placed.append((turns[voice], entry))
    return [entry for _, entry in sorted(placed, key=itemgetter(0))]


def _conditions_met(
    each: Sequence[records_table.TransactItems], reasons: Sequence[records_table.CancellationReason]
) -> list[bool]:
    """Results of the condition on the first action of each event."""
    starts, held = 0, []
    for actions in each:
        held.append(reasons[starts].code != "ConditionalCheckFailed")
        starts += len(actions)
    return held
