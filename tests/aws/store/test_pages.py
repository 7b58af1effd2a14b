"""Pages of records against a plain model: every filter, both directions, cursors, indexes that lag, expiry."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.adapters.aws.store import listing
from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import item_of
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Scope, Status, as_of_now
from memory_layer.errors import Malformed
from memory_layer.ports.commit import Change, Commit, Erasure
from memory_layer.ports.records import RecordPage
from tests.aws.dynamodb_table import fresh_table, open_store
from tests.aws.indexes_that_lag import Lagging
from tests.aws.store.test_reads import put_at_once
from tests.fuzzing import examples
from tests.given import START, StandingClock, a_memory, changed, commit_all, created, new_scope

pytestmark = pytest.mark.engines

EVERYONE = Viewer(sees_all_personas=True)
STATUSES: tuple[Status, ...] = get_args(Status)
MOMENTS = [START + timedelta(hours=hour) for hour in range(-6, 7)]
RECORDS = 90


@dataclass(frozen=True)
class World:
    """What is stored, and stores to ask.

    One has current indexes and nothing in its log, one has indexes that are behind and the log since then, one has
    indexes that know nothing and the whole log.
    """

    scope: Scope
    records: dict[str, Memory]
    stores: dict[str, DynamoRecordStore]


def some_memory(scope: Scope, id: str, rng: random.Random) -> Memory:
    return a_memory(
        scope,
        id,
        type=rng.choice(["pattern", "warning"]),
        category=rng.choice(["general", "gotcha"]),
        dimension=rng.choice(["knowledge", "event"]),
        task_type=rng.choice([None, "feature"]),
        source=rng.choice(["human", "run"]),
        status=rng.choices(STATUSES, [8, 1, 1, 1, 1, 1, 2, 1])[0],
        tier=rng.choice(["hot", "warm"]),
        persona=rng.choice([None, None, "reviewer", "coder"]),
        created_by=rng.choice(["ada", "bob"]),
        session_id=rng.choice([None, "talk", "talk#1"]),
        position=rng.choice([None, 1, 2, 3]),
        detail=rng.choice([{}, {"complexity": "low"}, {"complexity": "high"}]),
        tags=tuple(rng.sample(["a", "b", "c"], rng.randrange(3))),
        entities=tuple(rng.sample(["urn:x", "urn:y"], rng.randrange(2))),
        confidence=rng.randrange(0, 1001, 100) / 1000,
        success_rate=rng.choice([None, 0.0, 0.5, 1.0]),
        expires_at=rng.choice([None, None, *MOMENTS]),
        created_at=rng.choice(MOMENTS),
        updated_at=rng.choice(MOMENTS),
    )


@pytest.fixture(scope="module")
def world(dynamodb_endpoint: str) -> Iterator[World]:
    scope, rng = new_scope(), random.Random(11)
    ids = [f"{rng.choice('aAzZ_')}{number}{rng.choice(['', '-x', '.x', ':x'])}" for number in range(RECORDS)]
    records = {id: some_memory(scope, id, rng) for id in ids}
    clock = StandingClock()
    frozen_at = keys.log_position(START + timedelta(seconds=1))
    with fresh_table(dynamodb_endpoint) as (client, name):
        half = Lagging(client, log_begins=frozen_at)
        with (
            open_store(Lagging(client, log_begins="~", is_current=True), name, clock) as current,
            open_store(half, name) as behind,
            open_store(Lagging(client), name) as blind,
        ):
            commit_all(current, [created(memory) for memory in records.values()])
            half.freeze(name, "by_age", "by_session")
            clock.advance(seconds=2)
            changes = [drifted(records[id], rng) for id in ids[: RECORDS // 2]]
            commit_all(current, changes)
            records |= {change.memory.id: change.memory for change in changes}
            for id in ids[: RECORDS // 8]:
                erased = records.pop(id)
                current.writer.commit(Commit(scope=scope, erasures=(Erasure(id, erased.version),)))
                if rng.random() < 0.5:
                    again = replace(some_memory(scope, id, rng), version=erased.version + 2)
                    commit_all(current, [created(again)])
                    records[id] = again
            yield World(scope, records, {"current": current, "half": behind, "nothing": blind})


def drifted(memory: Memory, rng: random.Random) -> Change:
    """All that may change of a record: not when it was created."""
    other = some_memory(memory.scope, memory.id, rng)
    return changed(
        memory, **{f: getattr(other, f) for f in ("status", "expires_at", "persona", "session_id", "tags")}
    )


def some_of(*values: str) -> st.SearchStrategy[tuple[str, ...]]:
    return st.one_of(
        st.just(()), st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True).map(tuple)
    )


moments = st.one_of(st.none(), st.sampled_from(MOMENTS))
filters = st.builds(
    Filters,
    type=some_of("pattern", "warning"),
    category=some_of("general", "gotcha"),
    dimension=some_of("knowledge", "event"),
    task_type=some_of("feature", "bug-fix"),
    source=some_of("human", "run"),
    status=st.lists(st.sampled_from(STATUSES), max_size=4, unique=True).map(tuple),
    tier=some_of("hot", "warm"),
    persona=some_of("reviewer", "coder"),
    created_by=some_of("ada", "bob"),
    session_id=some_of("talk", "talk#1"),
    complexity=some_of("low", "high"),
    tags=some_of("a", "b", "c"),
    entities=some_of("urn:x", "urn:y"),
    min_confidence=st.sampled_from([None, None, 0.2, 0.5]),
    min_success_rate=st.sampled_from([None, None, 0.5]),
    created_after=moments,
    created_before=moments,
    updated_after=moments,
    updated_before=moments,
)
mostly_by_one = st.one_of(
    st.builds(Filters, status=st.lists(st.sampled_from(STATUSES), max_size=8, unique=True).map(tuple)),
    st.builds(Filters, session_id=some_of("talk", "talk#1"), status=st.sampled_from([(), ("active",)])),
    st.builds(Filters, created_after=moments, created_before=moments),
    filters,
)
viewers = st.sampled_from(
    [EVERYONE, Viewer.of("reviewer"), Viewer.of("coder"), Viewer.of("coder", "reviewer"), Viewer()]
)


@pytest.mark.parametrize("indexes", ["current", "half", "nothing"])
@given(
    asked=mostly_by_one,
    viewer=viewers,
    now=st.sampled_from(MOMENTS),
    limit=st.sampled_from([200, 100, 40, 25, 12, 5]),
    oldest_first=st.booleans(),
)
@settings(max_examples=examples(100))
def test_pages_are_what_the_model_says(
    world: World,
    indexes: str,
    asked: Filters,
    viewer: Viewer,
    now: datetime,
    limit: int,
    oldest_first: bool,
) -> None:
    """Falls without the log (half, nothing), the indexes (current, half), the second look at each record (half), the
    look at what has lapsed (current).
    """
    matching = (
        m for m in world.records.values() if viewer.may_see(m.persona) and asked.accept(as_of_now(m, now))
    )
    expected = sorted(matching, key=lambda m: (m.created_at, m.id), reverse=not oldest_first)
    pages = list(all_pages(world, indexes, asked, viewer, now, limit, oldest_first))
    assert [m.id for page in pages for m in page.memories] == [m.id for m in expected]
    assert [m for page in pages for m in page.memories] == expected
    assert [len(page.memories) for page in pages[:-1]] == [limit] * (len(pages) - 1)


def all_pages(
    world: World, indexes: str, asked: Filters, viewer: Viewer, now: datetime, limit: int, oldest_first: bool
) -> Iterator[RecordPage]:
    after = None
    while True:
        page = world.stores[indexes].memories.page(
            world.scope, asked, viewer, now=now, after=after, limit=limit, oldest_first=oldest_first
        )
        yield page
        after = page.next_key
        if after is None:
            return


def test_a_page_names_the_last_record_it_shows(world: World) -> None:
    page = world.stores["current"].memories.page(
        world.scope, Filters(), EVERYONE, now=START, after=None, limit=3
    )
    assert page.next_key == (rfc3339(page.memories[-1].created_at), page.memories[-1].id)


def test_a_cursor_of_anywhere_is_a_place_in_the_order(world: World) -> None:
    """A record that a cursor names may be gone by now."""
    store = world.stores["current"]
    everything = Filters(status=())
    for after in [(rfc3339(START), "m"), ("0", ""), ("~", "~"), ("", ""), (rfc3339(START), "\U0001f9e0")]:
        page = store.memories.page(world.scope, everything, EVERYONE, now=START, after=after, limit=500)
        expected = {m.id for m in world.records.values() if (rfc3339(m.created_at), m.id) < after}
        assert {m.id for m in page.memories} == expected


def test_a_cursor_longer_than_any_is_none_of_ours(world: World) -> None:
    with pytest.raises(Malformed):
        world.stores["current"].memories.page(
            world.scope, Filters(), EVERYONE, now=START, after=("2026", "x" * 2_000), limit=5
        )


@pytest.fixture(scope="module")
def crowd(dynamodb_endpoint: str) -> Iterator[tuple[DynamoRecordStore, list[Memory]]]:
    """500 active records, one in a hundred of bob's."""
    scope = new_scope()
    memories = [
        a_memory(
            scope,
            f"m{number:03}",
            created_at=START + timedelta(seconds=number),
            created_by="ada" if number % 100 else "bob",
        )
        for number in range(500)
    ]
    with fresh_table(dynamodb_endpoint) as (client, name), open_store(client, name) as store:
        put_at_once((client, name), [dict(item_of(memory)) for memory in memories])
        yield store, memories


@pytest.fixture
def near_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "EXAMINED_MAX", 300)


@pytest.mark.usefixtures("near_bound")
def test_a_page_that_looked_far_enough_ends_and_says_where_to_go_on(
    crowd: tuple[DynamoRecordStore, list[Memory]],
) -> None:
    """Falls without the bound: one call would read the whole project."""
    store, memories = crowd
    scope, by_bob = memories[0].scope, Filters(created_by=("bob",))
    first = store.memories.page(scope, by_bob, EVERYONE, now=START, after=None, limit=10)
    assert first.next_key is not None
    assert 0 < len(first.memories) < 5
    second = store.memories.page(scope, by_bob, EVERYONE, now=START, after=first.next_key, limit=10)
    assert second.next_key is None
    assert [m.id for m in (*first.memories, *second.memories)] == ["m400", "m300", "m200", "m100", "m000"]


@pytest.mark.usefixtures("near_bound")
def test_a_page_may_be_empty_and_go_on(crowd: tuple[DynamoRecordStore, list[Memory]]) -> None:
    store, memories = crowd
    nobodys = Filters(created_by=("eve",))
    first = store.memories.page(memories[0].scope, nobodys, EVERYONE, now=START, after=None, limit=10)
    assert first.memories == ()
    assert first.next_key is not None
    second = store.memories.page(
        memories[0].scope, nobodys, EVERYONE, now=START, after=first.next_key, limit=10
    )
    assert second == RecordPage((), None)


def test_what_cannot_have_lapsed_is_not_read(
    crowd: tuple[DynamoRecordStore, list[Memory]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`status=archived` asks for active records that lapsed: falls without the expiry in the index's key."""
    store, memories = crowd
    read: list[int] = []
    listing: Any = store.memories._listing  # type: ignore[attr-defined]
    read_many = listing._read_many

    def counted(tenant: str, refs: Any) -> Any:
        read.append(len(refs))
        return read_many(tenant, refs)

    monkeypatch.setattr(listing, "_read_many", counted)
    page = store.memories.page(
        memories[0].scope, Filters(status=("archived",)), EVERYONE, now=START, after=None, limit=10
    )
    assert (page, sum(read)) == (RecordPage((), None), 0)


def test_a_long_page_is_one_page(crowd: tuple[DynamoRecordStore, list[Memory]]) -> None:
    store, memories = crowd
    page = store.memories.page(memories[0].scope, Filters(), EVERYONE, now=START, after=None, limit=200)
    assert list(page.memories) == memories[:-201:-1]


def test_a_conversation_too_long_for_one_look_is_listed_by_age(
    crowd: tuple[DynamoRecordStore, list[Memory]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, memories = crowd
    scope = memories[0].scope
    turns = [
        a_memory(scope, f"t{n:04}", session_id="long", position=n, created_at=MOMENTS[0]) for n in range(30)
    ]
    commit_all(store, [created(turn) for turn in turns])
    asked = Filters(session_id=("long",))
    whole = store.memories.page(scope, asked, EVERYONE, now=START, after=None, limit=50, oldest_first=True)
    monkeypatch.setattr(listing, "KEYS_MAX", 20)
    bounded = store.memories.page(scope, asked, EVERYONE, now=START, after=None, limit=50, oldest_first=True)
    assert list(whole.memories) == turns
    assert list(bounded.memories) == turns[: len(bounded.memories)]
    assert bounded.next_key is not None
