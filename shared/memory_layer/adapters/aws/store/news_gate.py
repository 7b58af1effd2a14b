"""Gate for records that must be news, between processes: of near contents stored at one instant, the first goes first.

A writer announces the vector of a content, and then reads what others have announced. Both steps are strongly
consistent, so of two writers at least one sees the other. Who sees an earlier announcement waits for its record; who
sees a later one cancels it, and a cancelled one cannot be committed any more. A writer that died is cancelled as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from memory_layer.adapters.aws.store.commit_actions import Action
from memory_layer.adapters.aws.store.memories import MemoryItems
from memory_layer.adapters.aws.table import keys, record_items, request_items
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.records_table import ConditionFailed, KeyRange, RecordsTable
from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.domain.memory import Ref, Scope
from memory_layer.errors import AnnouncementCancelled, NearContentTaken
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Clock

ANNOUNCED_FOR: Final = timedelta(seconds=10)
"""Time within which an announcement counts: longer than from a search to its commit, and than clocks differ."""

OVERDUE_AFTER: Final = timedelta(seconds=2)
"""Age from which an earlier announcement without a record is cancelled like a later one."""

LIFETIME: Final = timedelta(minutes=1)

CODE_SLACK: Final = 0.01
"""Announced vectors are rounded to 8 bits: cosines this far below the threshold are looked at."""

_NAMES: Final = ("id", "sk", "persona", "model", "codes", "scale")

CANCELLED: Final = "cancelled"


@dataclass(frozen=True, slots=True)
class Entry:
    """Commit of a record that must be news, in this gate. Args: place: of the commit among those asked for."""

    place: int
    commit: Commit
    change: Change


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """Answer to commits at the gate, by their places.

    Args:
        announced: the keys of their announcements; those of what waits are deleted.
        refused: a near record is there, with which the writer did not compare.
        waiting: a near one is being stored.
    """

    announced: Mapping[int, Key] = field(default_factory=dict)
    refused: Mapping[int, NearContentTaken] = field(default_factory=dict)
    waiting: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Announced:
    """Announcements of others, not too old. Args: vectors: shape (n, dimensions)."""

    places: tuple[_Place, ...]
    vectors: NDArray[np.float32]


class _Place(NamedTuple):
    """Id of an announced record, and the sort key of its announcement, which gives the order."""

    id: str
    order: str


def entries_of(commits: Iterable[tuple[int, Commit]]) -> list[Entry]:
    """The commits that the gate is for, each with its new record."""
    return [
        Entry(place, commit, change)
        for place, commit in commits
        for change in commit.changes
        if change.is_news and change.beside is not None and change.vectors is not None
    ]


class AnnouncedNews:
    """Announcements of the contents that writers are about to store."""

    def __init__(self, table: RecordsTable, memories: MemoryItems, clock: Clock) -> None:
        self._table = table
        self._memories = memories
        self._clock = clock

    def enter(self, entries: Sequence[Entry]) -> GateAnswer:
        """Announces records and holds them against what others announced; those that wait are announced no more."""
        if not entries:
            return GateAnswer()
        now = self._clock.now()
        announced = {entry.place: _key(entry.change, now) for entry in entries}
        self._table.put_each(
            [{**announced[entry.place], **_announcement(entry.change, now)} for entry in entries]
        )
        refused: dict[int, NearContentTaken] = {}
        waiting: set[int] = set()
        for scope in dict.fromkeys(entry.commit.scope for entry in entries):
            own = [entry for entry in entries if entry.commit.scope == scope]
            for entry, rivals in self._rivals(scope, own, now):
                taken, is_pending = self._judged(entry.change, rivals, announced[entry.place], now)
                if taken is not None:
                    refused[entry.place] = NearContentTaken(taken)
                elif is_pending:
                    waiting.add(entry.place)
        self.leave(announced[place] for place in waiting)
        return GateAnswer(announced, refused, frozenset(waiting))

    def leave(self, announced: Iterable[Key]) -> None:
        """Takes back the announcements of records that are not stored."""
        self._table.delete_each(list(announced))

    def _rivals(
        self, scope: Scope, entries: Sequence[Entry], now: datetime
    ) -> Iterable[tuple[Entry, list[_Place]]]:
        """Yields the entries, each with what others announced near to it."""
        own = {entry.change.memory.id for entry in entries}
        groups = {(entry.change.memory.persona, entry.change.memory.embedding_model) for entry in entries}
        items = [item for item in self._live(scope, now) if item["id"]["S"] not in own]
        for group in groups:
            announced = _decoded([item for item in items if _group_of(item) == group])
            for entry in entries:
                memory, vectors = entry.change.memory, entry.change.vectors
                if announced.places and vectors and (memory.persona, memory.embedding_model) == group:
                    near = announced.vectors @ vectors.content > DUPLICATE_COSINE - CODE_SLACK
                    yield entry, [announced.places[at] for at in np.flatnonzero(near)]

    def _live(self, scope: Scope, now: datetime) -> Iterable[record_items.Item]:
        since = keys.log_position(now - ANNOUNCED_FOR)
        return self._table.whole(KeyRange(keys.news_partition(scope), since, keys.AFTER_TIMES, names=_NAMES))

    def _judged(
        self, change: Change, rivals: Sequence[_Place], own: Key, now: datetime
    ) -> tuple[str | None, bool]:
        """The first near record that is there and was not compared with; and if an earlier one is not there yet."""
        known = (change.memory.supersedes, *(change.beside or ()))
        unknown = [rival for rival in rivals if rival.id not in known]
        stored, taken = self._stored(change, unknown)
        pending = [rival for rival in unknown if rival.id not in stored]
        overdue = keys.log_position(now - OVERDUE_AFTER)
        if taken is not None or any(overdue <= rival.order < own["sk"]["S"] for rival in pending):
            return taken, taken is None
        for rival in pending:
            self._cancel(change.memory.scope, rival)
        return self._stored(change, pending)[
            1
        ], False  # one may have been committed just before it was cancelled

    def _stored(self, change: Change, rivals: Sequence[_Place]) -> tuple[set[str], str | None]:
        """Ids of the rivals that are there, and the first in use that is exactly near."""
        memory, vectors = change.memory, change.vectors
        if not rivals or vectors is None:
            return set(), None
        found = self._memories.get_many(memory.tenant, [Ref(memory.project, rival.id) for rival in rivals])
        exact = self._memories.vectors(memory.scope, [ref.id for ref in found])
        near = (
            other.id
            for other in found.values()
            if other.is_active
            and other.persona == memory.persona
            and not other.has_expired(change.at)
            and other.id in exact
            and exact[other.id].content @ vectors.content > DUPLICATE_COSINE
        )
        return {ref.id for ref in found}, next(near, None)

    def _cancel(self, scope: Scope, rival: _Place) -> None:
        try:
            self._table.update(
                Key=keys.item_key(keys.news_partition(scope), rival.order),
                UpdateExpression="SET #a = :a",
                ConditionExpression="attribute_exists(pk)",
                ExpressionAttributeNames={"#a": CANCELLED},
                ExpressionAttributeValues={":a": {"BOOL": True}},
            )
        except ConditionFailed:
            return  # its writer has taken it back


def announced_action(key: Key) -> Action:
    """Action that has a transaction fail whose announcement somebody cancelled."""
    body = {
        "Key": key,
        "ConditionExpression": "attribute_exists(pk) AND attribute_not_exists(#a)",
        "ExpressionAttributeNames": {"#a": CANCELLED},
    }
    return Action("ConditionCheck", body, lambda _: AnnouncementCancelled("another near text came first"))


def _key(change: Change, now: datetime) -> Key:
    return keys.news_key(change.memory.scope, now, change.memory.id)


def _announcement(change: Change, now: datetime) -> record_items.Item:
    memory, vectors = change.memory, change.vectors
    content = np.zeros(1, np.float32) if vectors is None else vectors.content
    scale = float(np.abs(content).max()) / 127 or 1.0
    named = {"kind": "news", "id": memory.id, "persona": memory.persona, "model": memory.embedding_model}
    return {
        **record_items.text_attributes(named),
        "codes": {"B": np.round(content / scale).astype(np.int8).tobytes()},
        "scale": {"N": repr(scale)},
        "expires_s": request_items.ttl_attribute(now + LIFETIME),
    }


def _group_of(item: record_items.Item) -> tuple[str | None, str | None]:
    return record_items.text_of(item, "persona"), record_items.text_of(item, "model")


def _decoded(items: Sequence[record_items.Item]) -> _Announced:
    rows = [
        np.frombuffer(record_items.bytes_of(item["codes"]), np.int8) * np.float32(item["scale"]["N"])
        for item in items
    ]
    places = tuple(_Place(item["id"]["S"], item["sk"]["S"]) for item in items)
    return _Announced(places, np.array(rows, np.float32))
