"""Pages of a project's records by age: keys from the table's indexes and the log, records from the table itself."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import chain, repeat
from typing import Final, NamedTuple, get_args

from memory_layer.adapters.aws.store.project_log import ProjectLog
from memory_layer.adapters.aws.store.sound_items import DamagedRecordItem
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.paging import Place, checked_cursor, growing_sizes
from memory_layer.adapters.aws.table.record_items import Item, text_of
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import ENDED_STATUSES, Memory, Ref, Scope, Status, as_of_now
from memory_layer.manifest.tables import BY_AGE, BY_SESSION
from memory_layer.ports.records import RecordPage

STATUSES: tuple[Status, ...] = get_args(Status)

PARTITIONS: Final = (*STATUSES, keys.DOUBTED)
"""Partitions of the index by age that hold all existing records."""

EXAMINED_MAX: Final = 2_000
"""Records read for one page at most: then it ends early, and says where to go on."""

KEYS_MAX: Final = 20_000
"""Keys looked at for one page at most: twenty pages of an index."""

CHUNK_MAX: Final = 500
INDEX_PAGE_MAX: Final = 1_000

ACTIVE: Final[Status] = "active"

ReadMany = Callable[[str, Collection[Ref]], dict[Ref, Memory | DamagedRecordItem]]

Listed = tuple[Place, Memory | DamagedRecordItem]


class ListingCandidate(NamedTuple):
    """Place of a record in the order; `may_be_shown` is false where its key rules it out."""

    created_at: str
    id: str
    may_be_shown: bool

    @property
    def place(self) -> Place:
        return self.created_at, self.id


@dataclass(frozen=True, slots=True)
class ListingQuery:
    """Query for one page."""

    scope: Scope
    filters: Filters
    viewer: Viewer
    now: datetime
    after: Place | None
    limit: int
    oldest_first: bool

    def may_show(self, status: str, expires_at: str | None) -> bool:
        """Says that a record with this stored status is listed under one of those asked for (see `as_of_now`)."""
        wanted = self.filters.status
        has_lapsed = (
            status not in ENDED_STATUSES and bool(expires_at) and str(expires_at) <= rfc3339(self.now)
        )
        return not wanted or ("archived" if has_lapsed else status) in wanted

    def stored_statuses(self) -> list[Status]:
        """Statuses in store that may be listed: under `archived` also what has lapsed since it was written."""
        wanted = self.filters.status
        return [
            status
            for status in STATUSES
            if not wanted or status in wanted or ("archived" in wanted and status not in ENDED_STATUSES)
        ]

    def partitions(self) -> list[tuple[str, Status]]:
        """Partitions of the index by age that hold what may be listed, each with the status of its records."""
        found: list[tuple[str, Status]] = [(status, status) for status in self.stored_statuses()]
        is_doubted = self.filters.is_doubted
        if is_doubted:
            found = [place for place in found if place != (ACTIVE, ACTIVE)]
        if is_doubted is not False and ACTIVE in self.stored_statuses():
            found.append((keys.DOUBTED, ACTIVE))
        return found

    def bounds(self) -> tuple[str, str]:
        """Sort keys of the index by age between which the page lies; no key equals either."""
        filters = self.filters
        low = [f"{rfc3339(filters.created_after)}{keys.AFTER_HASH}"] if filters.created_after else ["0"]
        high = [rfc3339(filters.created_before)] if filters.created_before else ["~"]
        if self.after is not None and self.oldest_first:
            low.append(f"{'#'.join(self.after)}{keys.AFTER_HASH}")
        elif self.after is not None:
            high.append("#".join(self.after))
        return max(low), min(high)


class RecordListing:
    """Listing of records.

    Args:
        read_many: strongly consistent.
        executor: asks the indexes side by side.
    """

    def __init__(self, table: RecordsTable, log: ProjectLog, read_many: ReadMany, executor: Executor) -> None:
        self._table = table
        self._log = log
        self._read_many = read_many
        self._executor = executor

    def page(self, question: ListingQuery) -> RecordPage:
        """Reads a page as MemoryStore.page; one that looked at EXAMINED_MAX records may hold fewer, even none.

        Raises:
            Malformed: the place to begin at is none that a page ever named.
        """
        if question.after is not None:
            checked_cursor("".join(question.after))
        found: list[Listed] = []
        seen = examined = 0
        last: Place | None = None
        for chunk in _chunks(self._candidates(question), question.limit + 1):
            places = dict.fromkeys(candidate.place for candidate in chunk if candidate.may_be_shown)
            found += self._shown(question, places)
            if len(found) > question.limit:
                shown = found[: question.limit]
                return _page(shown, shown[-1][0])
            seen, examined, last = seen + len(chunk), examined + len(places), chunk[-1].place
            if seen >= KEYS_MAX or examined >= EXAMINED_MAX:
                return _page(found, last)
        return _page(found, None)

    def _shown(self, question: ListingQuery, places: Collection[Place]) -> Iterator[Listed]:
        """Records of these places that still exist and are asked for; a damaged one, where it says so itself."""
        project = question.scope.project
        records = self._read_many(question.scope.tenant, {Ref(project, id) for _, id in places})
        accepts = question.filters.acceptor()
        for place in places:
            found = records.get(Ref(project, place[1]))
            if found is not None and _is_shown(question, accepts, place, found):
                yield place, found

    def _candidates(self, question: ListingQuery) -> Iterator[ListingCandidate]:
        """Merges every index asked and the log in the page's order; a record may come more than once in a row."""
        log = self._executor.submit(self._written_lately, question)
        streams = self._of_session(question) or self._by_age(question)
        return merge(
            *streams, _ordered(log.result(), question), key=_order, reverse=not question.oldest_first
        )

    def _written_lately(self, question: ListingQuery) -> list[ListingCandidate]:
        return [
            ListingCandidate(
                entry["created_at"]["S"],
                entry["id"]["S"],
                question.may_show(entry["status"]["S"], text_of(entry, "expires_at")),
            )
            for entry in self._log.changes(question.scope)
        ]

    def _by_age(self, question: ListingQuery) -> list[Iterable[ListingCandidate]]:
        """Streams of the partitions; the first page of all is asked for at once."""
        low, high = question.bounds()
        started = [
            (status, self._started(self._age_range(question, partition, low, high), question.limit + 1))
            for partition, status in question.partitions()
        ]
        return [_aged(pages(), question, status) for status, pages in started]

    def _age_range(self, question: ListingQuery, partition: str, low: str, high: str) -> KeyRange:
        return KeyRange(
            keys.age_partition(question.scope, partition),
            low,
            high,
            index=BY_AGE.name,
            keys=(BY_AGE.partition_key, BY_AGE.sort_key),
            newest_first=not question.oldest_first,
        )

    def _started(self, part: KeyRange, first_size: int) -> Callable[[], Iterator[list[Item]]]:
        pages = self._table.pages(part, growing_sizes(first_size, INDEX_PAGE_MAX))
        first: Future[list[Item]] = self._executor.submit(next, pages, [])
        return lambda: chain([first.result()], pages)

    def _of_session(self, question: ListingQuery) -> list[Iterable[ListingCandidate]] | None:
        """Keys of the one conversation asked for, put in order; None: not one, or too long for that."""
        if len(question.filters.session_id) != 1:
            return None
        partition = keys.session_partition(question.scope, question.filters.session_id[0])
        names = (BY_SESSION.partition_key, BY_SESSION.sort_key)
        part = KeyRange(partition, " ", "~", index=BY_SESSION.name, keys=names)
        found: list[ListingCandidate] = []
        for page in self._table.pages(part, repeat(INDEX_PAGE_MAX)):
            found += map(_in_session, page)
            if len(found) >= KEYS_MAX:
                return None
        return [_ordered(found, question)]


def _is_shown(
    question: ListingQuery, accepts: Callable[[Memory], bool], place: Place, found: Memory | DamagedRecordItem
) -> bool:
    """Says that a record is asked for; a damaged one by what it says itself, if it can be read."""
    memory = found.says if isinstance(found, DamagedRecordItem) else found
    if memory is None:
        return question.viewer.sees_all_personas
    is_here = memory is not found or _place(memory) == place  # an id created again stands elsewhere
    may_see = question.viewer.may_see(memory.persona)
    return is_here and may_see and accepts(as_of_now(memory, question.now))


def _page(listed: Sequence[Listed], next_key: Place | None) -> RecordPage:
    memories = tuple(one for _, one in listed if isinstance(one, Memory))
    damaged = dict.fromkeys(one.id for _, one in listed if isinstance(one, DamagedRecordItem))
    return RecordPage(memories, next_key, tuple(damaged))


def _ordered(candidates: Iterable[ListingCandidate], question: ListingQuery) -> list[ListingCandidate]:
    """Candidates on this page or after it, in the page's order."""
    low, high = question.bounds()
    reached = (c for c in candidates if low < f"{c.created_at}#{c.id}#" < high)
    return sorted(reached, key=_order, reverse=not question.oldest_first)


def _aged(pages: Iterable[list[Item]], question: ListingQuery, status: Status) -> Iterator[ListingCandidate]:
    for item in chain.from_iterable(pages):
        created_at, id, expires_at = _split(item[BY_AGE.sort_key]["S"])
        yield ListingCandidate(created_at, id, question.may_show(status, expires_at))


def _in_session(item: Item) -> ListingCandidate:
    _, id, created_at = _split(item[BY_SESSION.sort_key]["S"])
    return ListingCandidate(created_at, id, True)


def _split(sort: str) -> tuple[str, str, str]:
    first, rest = sort.split("#", 1)
    id, last = rest.rsplit("#", 1)
    return first, id, last


def _place(memory: Memory) -> Place:
    return rfc3339(memory.created_at), memory.id


def _order(candidate: ListingCandidate) -> Place:
    return candidate.place


def _chunks(candidates: Iterator[ListingCandidate], wanted: int) -> Iterator[list[ListingCandidate]]:
    """Splits candidates into ever larger chunks, by those that may be shown; copies of a record stay together."""
    chunk: list[ListingCandidate] = []
    size, possible = min(wanted, CHUNK_MAX), 0
    for candidate in candidates:
        is_new = not chunk or candidate.place != chunk[-1].place
        if is_new and (possible >= size or len(chunk) >= KEYS_MAX):
            yield chunk
            size, chunk, possible = min(2 * size, CHUNK_MAX), [], 0
        chunk.append(candidate)
        possible += candidate.may_be_shown
    if chunk:
        yield chunk
