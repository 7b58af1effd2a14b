"""Many at once: exactly the limit lands, one effect per key, no position twice, no change lost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

import pytest

from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.store.stream_positions import Showing
from memory_layer.domain.memory import Scope
from memory_layer.errors import ContentTaken, MemoryLayerError, TooMany, VersionConflict
from memory_layer.ports.commit import ANSWER_LIFETIME, Commit, Erasure, IdempotencyRecord, Quota
from tests.aws.dynamodb_table import fresh_table, new_client, open_store
from tests.aws.store.test_commits import a_verdict
from tests.given import START, a_memory, changed, created

pytestmark = pytest.mark.engines

THREADS = 20
KEYS, ATTEMPTS = 40, 1_000
PATIENCE = {"attempts": 40, "base_s": 0.002, "longest_s": 0.05}

T = TypeVar("T")


@pytest.fixture(scope="module")
def stores(dynamodb_endpoint: str) -> Iterator[list[DynamoRecordStore]]:
    """Two processes' worth: each with a client and threads of its own."""
    with fresh_table(dynamodb_endpoint) as (client, name):
        other = new_client(dynamodb_endpoint)
        with (
            open_store(client, name, sleep=time.sleep, **PATIENCE) as one,
            open_store(other, name, sleep=time.sleep, **PATIENCE) as two,
        ):
            yield [one, two]


def race(stores: list[DynamoRecordStore], work: Callable[[DynamoRecordStore, int], T], times: int) -> list[T]:
    with ThreadPoolExecutor(THREADS) as racers:
        return list(racers.map(lambda number: work(stores[number % 2], number), range(times)))


def outcome_of(store: DynamoRecordStore, commit: Commit) -> MemoryLayerError | None:
    try:
        store.writer.commit(commit)
    except MemoryLayerError as error:
        return error
    return None


def kinds(outcomes: list[MemoryLayerError | None]) -> dict[str, int]:
    return dict(Counter("done" if error is None else type(error).__name__ for error in outcomes))


def test_exactly_the_limit_of_a_quota_lands(stores: list[DynamoRecordStore], scope: Scope) -> None:
    """Falls without the condition that the uses are still those that were read."""
    quota = Quota(scope.project, 12, 3600, START, "verdicts")

    def use(store: DynamoRecordStore, number: int) -> MemoryLayerError | None:
        change = created(a_memory(scope, f"m{number}"))
        return outcome_of(store, Commit(scope=scope, changes=(change,), quotas=(quota,)))

    assert kinds(race(stores, use, THREADS)) == {"done": 12, "TooMany": 8}
    assert len(stores[0].memories.written_after(scope, 0)) == 12
    with pytest.raises(TooMany):
        stores[0].writer.commit(Commit(scope=scope, quotas=(quota,)))


def test_one_effect_per_idempotency_key(stores: list[DynamoRecordStore], scope: Scope) -> None:
    """Falls without the condition on the answer."""

    def remember(store: DynamoRecordStore, number: int) -> MemoryLayerError | None:
        id, key = f"m{number}", f"key-{number % KEYS}"
        answer = IdempotencyRecord(key, "same", 201, f'{{"id":"{id}"}}', START + ANSWER_LIFETIME, id)
        return outcome_of(store, Commit(scope=scope, changes=(created(a_memory(scope, id)),), answer=answer))

    assert kinds(race(stores, remember, ATTEMPTS)) == {"done": KEYS, "InFlight": ATTEMPTS - KEYS}
    written = {ref.id for ref in stores[0].memories.written_after(scope, 0)}
    answers = stores[1].requests.answers(scope, [f"key-{number}" for number in range(KEYS)], START)
    assert {answer.memory_id for answer in answers.values()} == written
    assert len(written) == KEYS


def test_one_id_is_created_once(stores: list[DynamoRecordStore], scope: Scope) -> None:
    def create(store: DynamoRecordStore, number: int) -> MemoryLayerError | None:
        change = created(a_memory(scope, f"m{number % 5}", confidence=number / 1000))
        return outcome_of(store, Commit(scope=scope, changes=(change,)))

    assert kinds(race(stores, create, 100)) == {"done": 5, "VersionConflict": 95}


def test_no_change_is_lost(stores: list[DynamoRecordStore], scope: Scope) -> None:
    """Falls without the version in the condition of a change."""
    stores[0].writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),)))

    def count_one_more(store: DynamoRecordStore, _: int) -> None:
        while True:
            memory = store.memories.get(scope, "m1")
            assert memory is not None
            change = changed(memory, use_count=memory.use_count + 1)
            if outcome_of(store, Commit(scope=scope, changes=(change,))) is None:
                return

    race(stores, count_one_more, 60)
    memory = stores[0].memories.get(scope, "m1")
    assert memory is not None
    assert (memory.use_count, memory.version) == (60, 61)
    assert [version.memory.use_count for version in stores[1].history.of(scope, "m1")] == list(range(61))


def test_no_position_is_given_twice(stores: list[DynamoRecordStore], scope: Scope) -> None:
    """Falls without the conditions of `take_positions`."""
    stores[0].writer.commit(
        Commit(scope=scope, changes=(created(a_memory(scope, session_id="talk", position=6)),))
    )
    firsts = race(
        stores, lambda store, number: store.sessions.take_positions(scope, "talk", 1 + number % 3), 60
    )
    taken = [first + offset for number, first in enumerate(firsts) for offset in range(1 + number % 3)]
    assert sorted(taken) == list(range(7, 7 + len(taken)))


def test_the_same_news_is_stored_once(stores: list[DynamoRecordStore], scope: Scope) -> None:
    """Falls without claims: no index knows the winner yet."""

    def tell(store: DynamoRecordStore, number: int) -> MemoryLayerError | None:
        memory = a_memory(scope, f"m{number}", content=f"Fact {number % 4}.")
        return outcome_of(store, Commit(scope=scope, changes=(created(memory, is_news=True),)))

    outcomes = race(stores, tell, 80)
    assert kinds(outcomes) == {"done": 4, "ContentTaken": 76}
    told = {ref.id for ref in stores[0].memories.written_after(scope, 0)}
    assert len(told) == 4
    assert {error.id for error in outcomes if isinstance(error, ContentTaken)} <= told


def test_a_claim_passes_to_one_heir(stores: list[DynamoRecordStore], scope: Scope) -> None:
    first = a_memory(scope, "m-first", content="Fact.")
    stores[0].writer.commit(Commit(scope=scope, changes=(created(first, is_news=True),)))
    stores[0].writer.commit(Commit(scope=scope, erasures=(Erasure(first.id, 1),)))

    def tell(store: DynamoRecordStore, number: int) -> MemoryLayerError | None:
        memory = a_memory(scope, f"m{number}", content="Fact.")
        return outcome_of(store, Commit(scope=scope, changes=(created(memory, is_news=True),)))

    assert kinds(race(stores, tell, THREADS)) == {"done": 1, "ContentTaken": THREADS - 1}


def test_accesses_and_changes_of_one_record_all_count(stores: list[DynamoRecordStore], scope: Scope) -> None:
    memory = a_memory(scope)
    stores[0].writer.commit(Commit(scope=scope, changes=(created(memory),)))

    def touch(store: DynamoRecordStore, number: int) -> None:
        if number % 4:
            lane = Showing(START, f"lane {number}", "1")  # within one the stream keeps an order
            store.accesses.count({(scope, "m1"): [lane]})
            return
        while True:
            read = store.memories.get(scope, "m1")
            assert read is not None
            if outcome_of(store, Commit(scope=scope, changes=(changed(read, pinned=True),))) is None:
                return

    race(stores, touch, 60)
    after = stores[0].memories.get(scope, "m1")
    assert after is not None
    assert (after.access_count, after.version) == (45, 16)


def test_a_verdict_races_with_the_erasure_of_its_record(
    stores: list[DynamoRecordStore], scope: Scope
) -> None:
    """Whatever comes first, nothing is left of the record. Falls without the check of the record."""

    def attempt(store: DynamoRecordStore, number: int) -> MemoryLayerError | None:
        id = f"m{number // 4}"
        if number % 4 == 0:
            store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope, id)),)))
            return outcome_of(store, Commit(scope=scope, erasures=(Erasure(id, 1),)))
        return outcome_of(store, Commit(scope=scope, verdicts=(a_verdict(f"v{number}", id),)))

    outcomes = race(stores, attempt, 120)
    assert not [error for error in outcomes if not isinstance(error, VersionConflict | None)]
    left = [stores[0].history.verdicts(scope, f"m{number}") for number in range(30)]
    versions = stores[0].memories.last_versions(scope, [f"m{number}" for number in range(30)])
    assert set(versions.values()) == {2}
    assert left == [[]] * 30


def test_settings_are_changed_by_one_of_many(stores: list[DynamoRecordStore], scope: Scope) -> None:
    policy = stores[0].projects.policy(scope)

    def change(store: DynamoRecordStore, _: int) -> MemoryLayerError | None:
        return outcome_of(store, Commit(scope=scope, policy=replace(policy, version=1)))

    assert kinds(race(stores, change, THREADS)) == {"done": 1, "VersionConflict": THREADS - 1}


def test_one_verdict_replaces_another(stores: list[DynamoRecordStore], scope: Scope) -> None:
    stores[0].writer.commit(Commit(scope=scope, verdicts=(a_verdict("v-first"),)))

    def replace_it(store: DynamoRecordStore, number: int) -> MemoryLayerError | None:
        later = a_verdict(f"v{number}")
        return outcome_of(store, Commit(scope=scope, verdicts=(later,), replaces=(("v-first", later.id),)))

    assert kinds(race(stores, replace_it, THREADS)) == {"done": 1, "VersionConflict": THREADS - 1}
    assert len(stores[0].history.verdicts(scope, "m1")) == 1
