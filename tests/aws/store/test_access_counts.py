"""Accesses on DynamoDB: each recall counts once, whatever becomes of the batch that tells of it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from memory_layer.adapters.aws.projection.access_counter import AccessCounter
from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import keys, record_items
from memory_layer.domain.memory import Ref, Scope
from memory_layer.ports.commit import Commit
from tests.aws.faults import Fault, Faults
from tests.aws.receipts_told import told_receipts
from tests.given import a_memory, created

pytestmark = pytest.mark.engines

IDS = ("m1", "m2", "m3")
RECEIPTS = 60


@pytest.fixture
def shown(store: DynamoRecordStore, scope: Scope) -> Scope:
    """A project with the records."""
    commits = [Commit(scope=scope, changes=(created(a_memory(scope, id)),)) for id in IDS]
    assert store.writer.commit_each(commits) == [None] * len(IDS)
    return scope


def counts_of(store: DynamoRecordStore, scope: Scope) -> list[int]:
    found = store.memories.get_many(scope.tenant, [Ref(scope.project, id) for id in IDS])
    return [memory.access_count for memory in found.values()]


def test_a_batch_that_comes_twice_counts_once(store: DynamoRecordStore, shown: Scope) -> None:
    """Falls without the positions beside each count: 120."""
    counter, batch = AccessCounter(store.accesses.count), told_receipts(shown, RECEIPTS, IDS)
    for _ in range(2):
        assert counter.take(batch).failed == []
    assert counts_of(store, shown) == [RECEIPTS] * len(IDS)


@pytest.mark.parametrize("seed", range(6))
def test_what_fails_and_comes_again_in_other_batches_counts_once(
    store: DynamoRecordStore, shown: Scope, table: tuple[Any, str], seed: int
) -> None:
    """Batches that some records' counts are written of, halves of them, batches that came through and come again."""
    randomness, events = Random(seed), told_receipts(shown, RECEIPTS, IDS)

    def choose(operation: str, _: int) -> Fault:
        is_hit = operation == "UpdateItem" and randomness.random() < 0.5
        return randomness.choice(("throttle", "lost answer", "lost request")) if is_hit else None

    done, counter = 0, AccessCounter(store.accesses.count)
    with Faults(table[0], choose).applied() as faults:
        while done < RECEIPTS:
            begin = max(0, done - randomness.randint(0, 9))
            batch = events[begin : begin + randomness.randint(10, 20)]
            if counter.take(batch).failed == []:
                done = begin + len(batch)
    assert faults.met["lost answer"] > 0
    assert counts_of(store, shown) == [RECEIPTS] * len(IDS)


def test_a_batch_writes_each_count_once_in_one_unit(
    store: DynamoRecordStore, shown: Scope, table: tuple[Any, str]
) -> None:
    """The first one too, and what comes again writes nothing."""
    counter, events = AccessCounter(store.accesses.count), told_receipts(shown, RECEIPTS, IDS)
    with Faults(table[0], lambda *_: None).applied() as faults:
        for begin in (0, 20, 40, 20, 40):
            assert counter.take(events[begin : begin + 20]).failed == []
    assert faults.sent["UpdateItem"] == 3 * len(IDS)
    item = table[0].get_item(TableName=table[1], Key=keys.accesses_key(shown, "m1"))["Item"]
    assert record_items.size_bytes(item) < 1_024


def test_another_count_meanwhile_is_added_to(
    store: DynamoRecordStore, shown: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls if a count is written over what was read: two shards of the stream count a record at the same time."""
    events = told_receipts(shown, RECEIPTS, ("m1",))
    lanes: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        lanes.setdefault(event["dynamodb"]["Keys"]["pk"]["S"], []).append(event)
    one, *others = lanes.values()
    real, counter = store.accesses._replaces, AccessCounter(store.accesses.count)

    def overtaken(*arguments: Any) -> bool:
        monkeypatch.setattr(store.accesses, "_replaces", real)
        for other in others:
            assert counter.take(other).failed == []
        return real(*arguments)

    monkeypatch.setattr(store.accesses, "_replaces", overtaken)
    assert counter.take(one).failed == []
    assert counts_of(store, shown) == [RECEIPTS, 0, 0]
