"""Conversations: their records by position, and the positions still to be given out."""

from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from memory_layer.adapters.aws.store.access_counts import AccessCounts
from memory_layer.adapters.aws.store.project_log import ProjectLog
from memory_layer.adapters.aws.store.session_pages import SessionPages, TurnQuery
from memory_layer.adapters.aws.store.sound_items import SoundItems
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import Item, Value, text_attributes, with_digest
from memory_layer.adapters.aws.table.records_table import ConditionFailed, KeyRange, RecordsTable
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.manifest.tables import BY_SESSION
from memory_layer.ports.records import ConversationPage, RecordPage

POSITION_MAX = 2**31
"""The bound of the record's field."""

KNOWN_MAX: Final = 10_000
"""Conversations that a process remembers to have listed; beyond them it begins anew."""

_NO_POSITIONS: Final[dict[str, Any]] = {"UpdateExpression": "SET", "ExpressionAttributeValues": {}}
"""Update that takes no position."""


class SessionEntries:
    """Conversations of all projects, as the table has them."""

    def __init__(self, table: RecordsTable, log: ProjectLog, sound: SoundItems, executor: Executor) -> None:
        self._table = table
        self._log = log
        self._sound = sound
        self._executor = executor
        self._registered: set[tuple[Scope, str]] = set()

    def turns(self, scope: Scope, session_id: str, first: int, last: int) -> list[Memory]:
        """Reads turns as SessionStore.turns, without bodies: those that the index or the log knows, as they are now."""
        first, last = max(0, first), min(last, POSITION_MAX)
        if first > last:
            return []
        lately = self._executor.submit(self._log.of_session, scope, session_id, first, last)
        indexed = {keys.id_of(item) for item in self._table.whole(_stretch(scope, session_id, first, last))}
        refs = [Ref(scope.project, id) for id in sorted(indexed | set(lately.result()))]
        found = self._sound.memories(scope.tenant, refs).values()
        own = (memory for memory in found if memory.session_id == session_id and memory.position is not None)
        return sorted((memory for memory in own if first <= _lateness(memory)[0] <= last), key=_lateness)

    def last(self, scope: Scope, session_id: str, limit: int) -> list[Memory]:
        """Reads turns as SessionStore.last_turns, without bodies; unplaced ones once the index knows them."""
        lately = self._executor.submit(self._log.of_session, scope, session_id, 0, POSITION_MAX)
        whole = replace(_stretch(scope, session_id, 0, POSITION_MAX, newest_first=True), low=" ")
        indexed = [keys.id_of(item) for page in self._table.pages(whole, (limit,)) for item in page]
        refs = [Ref(scope.project, id) for id in sorted({*indexed, *lately.result()})]
        found = self._sound.memories(scope.tenant, refs).values()
        own = [memory for memory in found if memory.session_id == session_id]
        return sorted(own, key=_lateness, reverse=True)[:limit]

    def register(self, turns: Iterable[Memory]) -> None:
        """Lists the conversations of turns, each once in a process; where the table is busy, with a later turn."""
        places = dict.fromkeys((turn.scope, turn.session_id) for turn in turns if turn.position is not None)
        for scope, session_id in places:
            if session_id is None or (scope, session_id) in self._registered:
                continue
            with suppress(StoreUnavailable):
                self._table.update(
                    **_with_constants(_NO_POSITIONS, scope, session_id),
                    Key=keys.positions_key(scope, session_id),
                )
                self._remember(scope, session_id)

    def _remember(self, scope: Scope, session_id: str) -> None:
        if len(self._registered) >= KNOWN_MAX:
            self._registered.clear()
        self._registered.add((scope, session_id))

    def forget(self, scope: Scope, session_ids: Iterable[str]) -> None:
        """Takes conversations that were erased for unknown."""
        self._registered -= {(scope, session_id) for session_id in session_ids}

    def take_positions(self, scope: Scope, session_id: str, count: int, at_least: int) -> int:
        """Takes positions as SessionStore.take_positions; a repeat after a lost answer leaves a gap, never a twin.

        Raises:
            StoreUnavailable: too many others take positions of this conversation.
        """
        floor = max(at_least, self._first_free(scope, session_id))
        key = keys.positions_key(scope, session_id)
        for _ in self._table.backoff.rounds():
            for update in (_following_positions(count, floor), _first_positions(floor, count)):
                request = {**_with_constants(update, scope, session_id), "Key": key}
                try:
                    taken = self._table.update(ReturnValues="UPDATED_NEW", **request)
                except ConditionFailed:
                    continue
                return int(taken["next_free"]["N"]) - count
        raise StoreUnavailable(
            f"others take positions of session {session_id} all the time; send the turns again"
        )

    def _first_free(self, scope: Scope, session_id: str) -> int:
        """First position after all that records have."""
        lately = self._executor.submit(self._log.of_session, scope, session_id, 0, POSITION_MAX)
        part = _stretch(scope, session_id, 0, POSITION_MAX, newest_first=True)
        last = [_position(item) for page in self._table.pages(part, (1,)) for item in page]
        return max([*last, *lately.result().values()], default=-1) + 1


class SessionItems:
    """Conversations of all projects: the port ports.records.SessionStore."""

    def __init__(
        self, entries: SessionEntries, pages: SessionPages, bodies: Bodies, counts: AccessCounts
    ) -> None:
        self._entries = entries
        self._counts = counts
        self._pages = pages
        self._bodies = bodies

    def turns(self, scope: Scope, session_id: str, first: int, last: int) -> list[Memory]:
        turns = self._counts.counted(self._entries.turns(scope, session_id, first, last))
        return self._bodies.whole_or_stubs(turns)

    def last_turns(self, scope: Scope, session_id: str, limit: int) -> list[Memory]:
        turns = self._counts.counted(self._entries.last(scope, session_id, limit))
        return self._bodies.whole(turns)[0]

    def page(
        self,
        scope: Scope,
        session_id: str,
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        after: tuple[str, str] | None,
        limit: int,
        newest_first: bool = False,
    ) -> RecordPage:
        asked = TurnQuery(
            scope=scope,
            session_id=session_id,
            filters=filters,
            viewer=viewer,
            now=now,
            after=None if after is None else (int(after[0]), after[1]),
            limit=limit,
            newest_first=newest_first,
        )
        found = self._pages.turns(asked)
        counted = replace(found, memories=tuple(self._counts.counted(found.memories)))
        return self._bodies.whole_page(counted)

    def conversations(
        self, scope: Scope, filters: Filters, viewer: Viewer, *, now: datetime, after: str | None, limit: int
    ) -> ConversationPage:
        asked = TurnQuery(
            scope=scope,
            session_id=after or "",
            filters=filters,
            viewer=viewer,
            now=now,
            after=None,
            limit=limit,
        )
        return self._pages.conversations(asked)

    def take_positions(self, scope: Scope, session_id: str, count: int, *, at_least: int = 0) -> int:
        return self._entries.take_positions(scope, session_id, count, at_least)


def _stretch(scope: Scope, session_id: str, first: int, last: int, *, newest_first: bool = False) -> KeyRange:
    return KeyRange(
        keys.session_partition(scope, session_id),
        keys.session_position(first),
        f"{keys.session_position(last)}{keys.AFTER_HASH}",
        index=BY_SESSION.name,
        keys=(BY_SESSION.partition_key, BY_SESSION.sort_key),
        newest_first=newest_first,
    )


def _lateness(memory: Memory) -> tuple[int, datetime, str]:
    return -1 if memory.position is None else memory.position, memory.created_at, memory.id


def _position(item: Item) -> int:
    return int(item[BY_SESSION.sort_key]["S"].split("#", 1)[0])


def _with_constants(update: dict[str, Any], scope: Scope, session_id: str) -> dict[str, Any]:
    """Adds the constant attributes and their digest, which covers them alone and so needs no look at the item."""
    key = keys.positions_key(scope, session_id)
    index = keys.listing_attributes(keys.project_partition(scope), key)
    listed = text_attributes({"session_pk": keys.session_partition(scope, ""), "session_sk": session_id})
    named = text_attributes({"kind": "positions", "session_id": session_id})
    item = with_digest({**key, **index, **listed, **named})
    constants = {name: value for name, value in item.items() if name not in key}
    assigned = ", ".join(f"#{name} = :{name}" for name in constants)
    values = {f":{name}": value for name, value in constants.items()}
    return {
        **update,
        "UpdateExpression": f"{update['UpdateExpression']} {assigned}",
        "ExpressionAttributeNames": {f"#{name}": name for name in constants},
        "ExpressionAttributeValues": {**update["ExpressionAttributeValues"], **values},
    }


def _following_positions(count: int, floor: int) -> dict[str, Any]:
    """Takes positions after those given out before, if that is high enough; the second count tells damage to either."""
    values: dict[str, Value] = {":count": {"N": str(count)}, ":floor": {"N": str(floor)}}
    return {
        "UpdateExpression": "SET next_free = next_free + :count,"
        " next_free_again = if_not_exists(next_free_again, next_free) + :count,",
        "ConditionExpression": "next_free >= :floor",
        "ExpressionAttributeValues": values,
    }


def _first_positions(floor: int, count: int) -> dict[str, Any]:
    """Takes positions above all that are in use, where fewer or none were given out."""
    values: dict[str, Value] = {
        ":free": {"N": str(floor + count)},
        ":floor": {"N": str(floor)},
    }
    return {
        "UpdateExpression": "SET next_free = :free, next_free_again = :free,",
        "ConditionExpression": "attribute_not_exists(next_free) OR next_free < :floor",
        "ExpressionAttributeValues": values,
    }
