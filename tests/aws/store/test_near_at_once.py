"""Near contents stored at one instant by two processes: one goes first, what differs is stored, nothing is blocked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from zlib import crc32

import numpy as np
import pytest

from memory_layer.adapters.aws.store.news_gate import entries_of
from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.records_table import KeyRange
from memory_layer.domain.memory import Scope
from memory_layer.errors import AnnouncementCancelled, MemoryLayerError, NearContentTaken, VersionConflict
from memory_layer.ports.commit import Commit, Erasure, Vectors
from tests.aws.dynamodb_table import fresh_table, new_client, open_store
from tests.given import StandingClock, a_memory, created

pytestmark = pytest.mark.engines

WRITERS, ROUNDS = 16, 20


@pytest.fixture
def clock() -> StandingClock:
    return StandingClock()


@pytest.fixture
def stores(dynamodb_endpoint: str, clock: StandingClock) -> Iterator[list[DynamoRecordStore]]:
    """Two processes' worth."""
    with fresh_table(dynamodb_endpoint) as (client, name):
        other = new_client(dynamodb_endpoint)
        with (
            open_store(client, name, clock, sleep=time.sleep) as one,
            open_store(other, name, clock, sleep=time.sleep) as two,
        ):
            yield [one, two]


def said(
    scope: Scope, id: str, fact: int, *, beside: tuple[str, ...] = (), persona: str | None = None
) -> Commit:
    """New record of a text near to every other of the fact, in words of its own."""
    fact_vector, noise = (np.random.default_rng(seed) for seed in (fact, crc32(id.encode())))
    vector = fact_vector.standard_normal(64) + 0.1 * noise.standard_normal(64)
    memory = a_memory(scope, id, content=f"fact {fact} told by {id}", persona=persona, embedding_model="near")
    unit = (vector / np.linalg.norm(vector)).astype(np.float32)
    change = replace(created(memory, vectors=Vectors(unit)), is_news=True, beside=beside)
    return Commit(scope=scope, changes=(change,))


def each_at_once(stores: list[DynamoRecordStore], commits: list[Commit]) -> list[MemoryLayerError | None]:
    start = Barrier(len(commits))

    def write(number: int) -> MemoryLayerError | None:
        start.wait()
        (error,) = stores[number % len(stores)].writer.commit_each([commits[number]])
        return error

    with ThreadPoolExecutor(len(commits)) as writers:
        return list(writers.map(write, range(len(commits))))


def test_of_near_contents_at_one_instant_one_is_stored(stores: list[DynamoRecordStore], scope: Scope) -> None:
    """Falls without the announcements: each is committed before any other sees it."""
    for fact in range(ROUNDS):
        errors = each_at_once(stores, [said(scope, f"m{fact}.{n}", fact) for n in range(WRITERS)])
        stored = [number for number, error in enumerate(errors) if error is None]
        assert len(stored) == 1, fact
        taken = {error.id for error in errors if isinstance(error, NearContentTaken)}
        assert taken == {f"m{fact}.{stored[0]}"}


def test_contents_of_their_own_are_all_stored_at_one_instant(
    stores: list[DynamoRecordStore], scope: Scope
) -> None:
    commits = [said(scope, f"m{number}", number) for number in range(WRITERS)]
    assert each_at_once(stores, commits) == [None] * WRITERS


def test_another_persona_says_it_too(stores: list[DynamoRecordStore], scope: Scope) -> None:
    commits = [said(scope, f"m{n}", 1, persona=("ada", "bob")[n]) for n in range(2)]
    assert each_at_once(stores, commits) == [None, None]


def test_what_was_compared_with_is_no_obstacle(stores: list[DynamoRecordStore], scope: Scope) -> None:
    """Falls where every near record refuses: what differs in a number would never be stored."""
    assert each_at_once(stores, [said(scope, "one", 1)]) == [None]
    (refused,) = each_at_once(stores, [said(scope, "two", 1)])
    assert isinstance(refused, NearContentTaken)
    assert each_at_once(stores, [said(scope, "two", 1, beside=("one",))]) == [None]


def test_lines_of_one_batch_were_compared_with_each_other(
    stores: list[DynamoRecordStore], scope: Scope
) -> None:
    commits = [said(scope, f"m{number}", 1) for number in range(3)]
    assert stores[0].writer.commit_each(commits) == [None] * 3


def test_who_failed_stands_in_nobodys_way(stores: list[DynamoRecordStore], scope: Scope) -> None:
    """Falls where the announcement of a commit that failed is left."""
    assert each_at_once(stores, [said(scope, "taken", 1)]) == [None]
    (failed,) = each_at_once(stores, [said(scope, "taken", 2)])
    assert isinstance(failed, VersionConflict)
    stores[0].writer.commit(Commit(scope=scope, erasures=(Erasure("taken", 1),)))
    assert each_at_once([stores[1]], [said(scope, "other", 2)]) == [None]


def test_a_writer_that_died_blocks_nobody(
    stores: list[DynamoRecordStore], scope: Scope, clock: StandingClock
) -> None:
    """Its announcement is left, and no record; the next is stored beside it, at once when it is old."""
    (store, other), died = stores, said(scope, "died", 1)
    store.writer._news.enter(entries_of([(0, died)]))  # type: ignore[attr-defined]
    clock.advance(seconds=11)
    assert each_at_once([other], [said(scope, "next", 1)]) == [None]


def test_a_writer_that_was_held_up_can_no_longer_store(
    stores: list[DynamoRecordStore], scope: Scope, clock: StandingClock
) -> None:
    """Falls without the condition on its announcement: it was overtaken, and would store beside the other."""
    (store, other), late = stores, said(scope, "late", 1)
    announced = store.writer._news.enter(entries_of([(0, late)])).announced[0]  # type: ignore[attr-defined]
    clock.advance(seconds=3)
    assert each_at_once([other], [said(scope, "next", 1)]) == [None]
    with pytest.raises(AnnouncementCancelled):
        store.writer._transactions.run(late, announced)  # type: ignore[attr-defined]
    (refused,) = each_at_once([store], [late])
    assert isinstance(refused, NearContentTaken)


def test_an_erasure_takes_the_announced_vector_with_it(stores: list[DynamoRecordStore], scope: Scope) -> None:
    """Falls where `remaining_keys` leaves announcements: a vector would outlive its words."""
    store = stores[0]
    assert each_at_once([store], [said(scope, "gone", 1), said(scope, "stays", 2)]) == [None, None]
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("gone", 1),)))
    table = store.writer._table  # type: ignore[attr-defined]
    left = table.whole(KeyRange(keys.news_partition(scope), "0", keys.AFTER_TIMES))
    assert [item["id"]["S"] for item in left] == ["stays"]
