"""Pages of conversations, and of the turns of one: keys from the table's index and the log, records from the table."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import merge
from itertools import groupby, islice
from typing import Final

from memory_layer.adapters.aws.store.project_log import ProjectLog
from memory_layer.adapters.aws.store.sound_items import SoundItems
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.paging import growing_sizes
from memory_layer.adapters.aws.table.records_table import READ_CHUNK, KeyRange, RecordsTable
from memory_layer.domain.access import Viewer
from memory_layer.domain.conversation import conversation_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import POSITION_MAX, Memory, Ref, Scope, as_of_now
from memory_layer.manifest.tables import BY_SESSION
from memory_layer.ports.records import ConversationPage, RecordPage

EXAMINED_MAX: Final = 2_000
"""Turns read for one page at most: then it ends early, and says where to go on."""

CONVERSATIONS_MAX: Final = 200
"""Conversations looked at for one page at most; of each the last turn is read."""

INDEX_PAGE_MAX: Final = 500

TurnPlace = tuple[int, str]
"""Position and id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQuery:
    """Query for one page of turns. Args: after: the place that the page before ended at."""

    scope: Scope
    session_id: str
    filters: Filters
    viewer: Viewer
    now: datetime
    after: TurnPlace | None
    limit: int
    newest_first: bool = False

    def accepts(self, turn: Memory) -> bool:
        seen = self.viewer.may_see(turn.persona) and self.filters.accept(as_of_now(turn, self.now))
        return seen and turn.session_id == self.session_id

    def is_beyond(self, place: TurnPlace) -> bool:
        """Says that a place comes after the page before."""
        return self.after is None or (place < self.after if self.newest_first else place > self.after)

    def keys(self) -> KeyRange:
        """Range of the index from the position on at which the page before ended."""
        low, high = keys.session_position(0), f"{keys.session_position(POSITION_MAX)}{keys.AFTER_HASH}"
        if self.after is not None and self.newest_first:
            high = f"{keys.session_position(self.after[0])}{keys.AFTER_HASH}"
        elif self.after is not None:
            low = keys.session_position(self.after[0])
        return _in_session(self.scope, self.session_id, low, high, newest_first=self.newest_first)


class SessionPages:
    """Reader of pages. Args: executor: reads the last turns of conversations side by side."""

    def __init__(self, table: RecordsTable, log: ProjectLog, sound: SoundItems, executor: Executor) -> None:
        self._table = table
        self._log = log
        self._sound = sound
        self._executor = executor

    def turns(self, asked: TurnQuery) -> RecordPage:
        """Reads turns as SessionStore.page, without bodies; one that looked at EXAMINED_MAX may hold fewer."""
        places, found, examined = self._places(asked), list[Memory](), 0
        sizes = growing_sizes(asked.limit + 1, max(asked.limit + 1, READ_CHUNK))
        while chunk := list(islice(places, next(sizes))):
            found += self._shown(asked, chunk)
            if len(found) > asked.limit:
                shown = found[: asked.limit]
                return RecordPage(tuple(shown), _key(_place(shown[-1])))
            examined += len(chunk)
            if examined >= EXAMINED_MAX:
                return RecordPage(tuple(found), _key(chunk[-1]))
        return RecordPage(tuple(found), None)

    def _places(self, asked: TurnQuery) -> Iterator[TurnPlace]:
        """Places that the index or the log knows, in order, each once."""
        lately = self._log.places_in(asked.scope, asked.session_id, 0, POSITION_MAX)
        in_order = sorted(lately, reverse=asked.newest_first)
        found = merge(self._indexed(asked), in_order, reverse=asked.newest_first)
        return (place for place, _ in groupby(found) if asked.is_beyond(place))

    def _indexed(self, asked: TurnQuery) -> Iterator[TurnPlace]:
        for items in self._table.pages(asked.keys(), growing_sizes(asked.limit + 1, INDEX_PAGE_MAX)):
            for item in items:
                position, id, _ = item[BY_SESSION.sort_key]["S"].split("#")
                yield int(position), id

    def _shown(self, asked: TurnQuery, places: Collection[TurnPlace]) -> Iterator[Memory]:
        """Turns that stand at these places now, and are asked for."""
        found: Mapping[Ref, Memory] = self._sound.memories(
            asked.scope.tenant, {Ref(asked.scope.project, id) for _, id in places}
        )
        for place in places:
            turn = found.get(Ref(asked.scope.project, place[1]))
            if turn is not None and turn.position == place[0] and asked.accepts(turn):
                yield turn

    def conversations(self, asked: TurnQuery) -> ConversationPage:
        """Reads conversations as the port. Args: asked: `session_id` is the last of the page before, or empty."""
        low = f"{asked.session_id}{keys.AFTER_KEY}" if asked.session_id else " "
        part = _in_session(asked.scope, "", low, keys.AFTER_TEXTS)
        items: Iterable[Mapping[str, dict[str, str]]] = next(
            self._table.pages(part, (CONVERSATIONS_MAX,)), []
        )
        ids = [item[BY_SESSION.sort_key]["S"] for item in items]
        wanted = (replace(asked, session_id=id, limit=1, newest_first=True) for id in ids)
        pages = self._executor.map(self.turns, wanted)
        found = [conversation_of(turn) for page in pages for turn in page.memories]
        if len(found) > asked.limit:
            return ConversationPage(tuple(found[: asked.limit]), found[asked.limit - 1].session_id)
        return ConversationPage(tuple(found), ids[-1] if len(ids) == CONVERSATIONS_MAX else None)


def _in_session(
    scope: Scope, session_id: str, low: str, high: str, *, newest_first: bool = False
) -> KeyRange:
    """Range of the index by conversation; no conversation has the empty id, and the list of them has it."""
    return KeyRange(
        keys.session_partition(scope, session_id),
        low,
        high,
        index=BY_SESSION.name,
        keys=(BY_SESSION.partition_key, BY_SESSION.sort_key),
        newest_first=newest_first,
    )


def _place(turn: Memory) -> TurnPlace:
    return turn.position or 0, turn.id


def _key(place: TurnPlace) -> tuple[str, str]:
    return str(place[0]), place[1]
