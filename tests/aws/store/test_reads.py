"""Reads see every commit before them: in chunks, in pages, past indexes that lag, and never past an expiry."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from memory_layer.adapters.aws.store import project_log, receipts
from memory_layer.adapters.aws.store.project_log import change_entry
from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.store.unindexed_records import SHORT_LOG
from memory_layer.adapters.aws.table import keys, record_items
from memory_layer.adapters.aws.table.record_items import item_of
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.errors import IndexUnavailable, StoreUnavailable, TooLarge
from memory_layer.ports.commit import Commit, Erasure
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.ports.records import Operation
from tests.aws.dynamodb_table import open_store
from tests.aws.indexes_that_lag import Lagging
from tests.aws.receipts_told import shown
from tests.given import START, StandingClock, a_memory, changed, created, new_scope, some_vectors

pytestmark = pytest.mark.engines

EVERYONE = Viewer(sees_all_personas=True)


@pytest.fixture
def lagging(table: tuple[Any, str]) -> Iterator[tuple[Lagging, DynamoRecordStore]]:
    client = Lagging(table[0])
    with open_store(client, table[1]) as opened:
        yield client, opened


def keep(store: DynamoRecordStore, *memories: Memory) -> None:
    errors = store.writer.commit_each([Commit(scope=m.scope, changes=(created(m),)) for m in memories])
    assert errors == [None] * len(memories)


def put_at_once(table: tuple[Any, str], items: list[dict[str, Any]]) -> None:
    client, name = table
    for start in range(0, len(items), 25):
        requests = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        assert not client.batch_write_item(RequestItems={name: requests})["UnprocessedItems"]


# ---- many at once


def test_more_than_a_hundred_are_read_with_gaps_and_twice_asked(
    store: DynamoRecordStore, scope: Scope
) -> None:
    other = new_scope()
    kept = [a_memory(scope, f"m{number}") for number in range(0, 250, 2)]
    keep(store, *kept, a_memory(other, "m0"))
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("m4", 1),)))
    refs = [Ref(scope.project, f"m{number}") for number in range(250)] * 2 + [Ref(other.project, "m0")]
    found = store.memories.get_many(scope.tenant, refs)
    assert found == {m.ref: m for m in (*kept, a_memory(other, "m0")) if m.ref != Ref(scope.project, "m4")}
    assert store.memories.get_many("beta", refs) == {}
    assert store.memories.get_many(scope.tenant, []) == {}


def test_writers_of_many_are_read_in_hundreds(scope: Scope, table: tuple[Any, str]) -> None:
    """Falls where each record's versions are asked for by themselves, or all of them are read."""
    client, count = Recording(table[0]), 150
    with open_store(client, table[1]) as store:
        keep(store, *(a_memory(scope, f"m{number}") for number in range(count)))
        client.asked.clear()
        assert len(store.history.writers(scope, [f"m{number}" for number in range(count)])) == count
        assert [name for name, _ in client.asked] == ["batch_get_item"] * 4


def test_what_one_answer_does_not_hold_is_asked_again(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    """100 records of 380 KB are 38 MB; an answer holds 16. Falls without the loop over unprocessed keys."""
    large = [a_memory(scope, f"m{number}", content="x" * 380_000) for number in range(100)]
    for start in range(0, 100, 20):
        put_at_once(table, [dict(item_of(memory)) for memory in large[start : start + 20]])
    found = store.memories.get_many(scope.tenant, [memory.ref for memory in large])
    assert found == {memory.ref: memory for memory in large}


def test_keys_that_stay_unprocessed_end_in_an_error(table: tuple[Any, str], scope: Scope) -> None:
    class Overloaded(Lagging):
        def batch_get_item(self, RequestItems: Any) -> Any:
            return {"Responses": {}, "UnprocessedKeys": RequestItems}

    pauses: list[float] = []
    with (
        open_store(Overloaded(table[0]), table[1], share=lambda: 1.0, sleep=pauses.append) as overloaded,
        pytest.raises(StoreUnavailable, match="too busy for batch_get_item at 12 attempts"),
    ):
        overloaded.memories.get_many(scope.tenant, [Ref(scope.project, "m1")], with_accesses=False)
    assert pauses == [0.04, 0.08, 0.16, 0.32, *[0.5] * 7]


def test_vectors_of_many(store: DynamoRecordStore, scope: Scope) -> None:
    kept = [created(a_memory(scope, f"m{n}"), vectors=some_vectors(n) if n % 2 else None) for n in range(130)]
    store.writer.commit_each([Commit(scope=scope, changes=(change,)) for change in kept])
    found = store.memories.vectors(scope, [f"m{number}" for number in range(140)] * 2)
    assert set(found) == {f"m{number}" for number in range(1, 130, 2)}
    assert (found["m7"].content == some_vectors(7).content).all()
    assert found["m7"].context is None


def test_last_versions_count_the_living_and_the_dead(store: DynamoRecordStore, scope: Scope) -> None:
    keep(store, *(a_memory(scope, f"m{number}") for number in range(3)))
    store.writer.commit(Commit(scope=scope, changes=(changed(a_memory(scope, "m1"), confidence=0.5),)))
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("m2", 1),)))
    assert store.memories.last_versions(scope, ["m0", "m1", "m2", "m3", "m0"]) == {"m0": 1, "m1": 2, "m2": 2}


def test_a_history_longer_than_a_megabyte(store: DynamoRecordStore, scope: Scope) -> None:
    """60 versions of 24 KB that do not compress. Falls without the pages of a query."""
    rng = random.Random(7)
    memory = a_memory(scope, content="0")
    store.writer.commit(Commit(scope=scope, changes=(created(memory),)))
    for _ in range(60):
        change = changed(memory, content=rng.randbytes(16_384).hex())
        store.writer.commit(Commit(scope=scope, changes=(change,)))
        memory = change.memory
    versions = store.history.of(scope, "m1")
    assert [version.memory.version for version in versions] == list(range(1, 62))
    assert versions[-1].memory == memory
    assert (versions[-1].verb, versions[-1].by, versions[-1].at, versions[-1].reason) == (
        *("updated", "ada", START),
        None,
    )


# ---- indexes that lag


def test_twins_are_found_before_the_index_knows_them(
    lagging: tuple[Lagging, DynamoRecordStore], scope: Scope
) -> None:
    """Falls without the log."""
    _, store = lagging
    first, other = (a_memory(scope, id, content="Use WAL.") for id in ("m1", "m2"))
    keep(store, other, first, a_memory(scope, "m3"))
    assert store.memories.same_content(scope, first.content_hash) == [first, other]


def test_twins_that_say_otherwise_by_now_are_none(
    lagging: tuple[Lagging, DynamoRecordStore], scope: Scope, table: tuple[Any, str]
) -> None:
    """Falls if hits of the index or the log are not read again."""
    client, store = lagging
    kept = [a_memory(scope, f"m{number}", content="Use WAL.") for number in range(4)]
    keep(store, *kept)
    client.freeze(table[1], "by_content")
    store.writer.commit(Commit(scope=scope, changes=(changed(kept[0], status="archived"),)))
    store.writer.commit(Commit(scope=scope, changes=(changed(kept[1], content="x", content_hash="x"),)))
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("m2", 1),)))
    assert store.memories.same_content(scope, kept[0].content_hash) == [kept[3]]


def test_more_twins_than_a_page_holds(store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]) -> None:
    twins = [a_memory(scope, f"m{number:04}", content="Yes!") for number in range(1_050)]
    put_at_once(table, [dict(item_of(memory)) for memory in twins])
    assert store.memories.same_content(scope, twins[0].content_hash) == twins


def a_turn(scope: Scope, position: int, id: str = "", **fields: Any) -> Memory:
    return a_memory(scope, id or f"t{position}", session_id="talk", position=position, **fields)


def test_turns_come_in_order_of_position(store: DynamoRecordStore, scope: Scope) -> None:
    said = [a_turn(scope, position) for position in (0, 2, 9, 10, 100)]
    twice = a_turn(scope, 9, "also-nine")
    keep(store, *reversed(said), twice)
    keep(store, a_memory(scope, "other", session_id="talk#2", position=9), a_memory(scope, "none"))
    keep(store, a_memory(scope, "without", session_id="talk"))
    assert store.sessions.turns(scope, "talk", 2, 10) == [said[1], twice, said[2], said[3]]
    assert store.sessions.turns(scope, "talk", -4, 0) == [said[0]]
    assert store.sessions.turns(scope, "talk", 11, 2**40) == [said[4]]
    assert (store.sessions.turns(scope, "talk", 11, 99), store.sessions.turns(scope, "talk", 3, 2)) == (
        [],
        [],
    )


def test_turns_are_there_before_the_index_knows_them(
    lagging: tuple[Lagging, DynamoRecordStore], scope: Scope, table: tuple[Any, str]
) -> None:
    client, store = lagging
    first, moved, gone, elsewhere = (a_turn(scope, position) for position in (1, 2, 3, 4))
    keep(store, first, moved, gone, elsewhere)
    assert store.sessions.turns(scope, "talk", 0, 9) == [first, moved, gone, elsewhere]
    client.freeze(table[1], "by_session")
    further = changed(moved, position=12)
    left = changed(elsewhere, session_id="another")
    store.writer.commit(Commit(scope=scope, changes=(further, left), erasures=(Erasure("t3", 1),)))
    assert store.sessions.turns(scope, "talk", 0, 9) == [first]
    assert store.sessions.turns(scope, "talk", 12, 12) == [further.memory]


def test_positions_follow_all_that_is_in_use(
    lagging: tuple[Lagging, DynamoRecordStore], store: DynamoRecordStore, scope: Scope
) -> None:
    """Falls without the log: the index knows nothing of position 7."""
    _, behind = lagging
    assert behind.sessions.take_positions(scope, "empty", 2) == 0
    keep(store, a_turn(scope, 7))
    assert [behind.sessions.take_positions(scope, "talk", 3) for _ in range(2)] == [8, 11]
    assert store.sessions.take_positions(scope, "talk", 1, at_least=40) == 40
    keep(store, a_turn(scope, 90))
    assert [behind.sessions.take_positions(scope, "talk", 1) for _ in range(2)] == [91, 92]
    assert store.sessions.take_positions(scope, "empty", 1) == 2


def test_the_log_tells_what_was_written_the_last_first(scope: Scope, table: tuple[Any, str]) -> None:
    clock = StandingClock()
    with open_store(*table, clock) as store:
        for number in range(3):
            clock.advance(seconds=1)
            keep(store, a_memory(scope, f"m{number}"))
        clock.advance(seconds=1)
        store.writer.commit(Commit(scope=scope, changes=(changed(a_memory(scope, "m0"), confidence=0.5),)))
        assert [ref.id for ref in store.memories.written_after(scope, 0)] == ["m0", "m2", "m1"]
        at = keys.microseconds(START + timedelta(seconds=1))
        assert [ref.id for ref in store.memories.written_after(scope, at + 1_000_000 - 1)] == [
            "m0",
            "m2",
            "m1",
        ]
        assert [ref.id for ref in store.memories.written_after(scope, at + 1_000_000)] == ["m0", "m2"]
        assert store.memories.written_after(scope, at + 3_000_000) == []


def test_an_entry_is_deleted_by_what_its_record_names(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    client, name = table
    keep(store, a_memory(scope, "m1"), a_memory(scope, "m2"))
    item = client.get_item(TableName=name, Key=keys.record_key(scope, "m1"))["Item"]
    client.delete_item(TableName=name, Key=keys.log_key(scope, item["log_sk"]["S"]))
    assert store.memories.written_after(scope, 0) == [Ref(scope.project, "m2")]


def test_each_change_has_an_entry_of_its_own(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    """The clock stands: falls without the version in an entry's key, as the first one's deletion takes the second."""
    client, name = table
    first = a_memory(scope)
    keep(store, first)
    earlier = client.get_item(TableName=name, Key=keys.record_key(scope, "m1"))["Item"]
    store.writer.commit(Commit(scope=scope, changes=(changed(first, confidence=0.5),)))
    client.delete_item(TableName=name, Key=keys.log_key(scope, earlier["log_sk"]["S"]))
    assert store.memories.written_after(scope, 0) == [first.ref]


def test_of_a_long_log_the_newest_are_looked_at(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    entries = [
        change_entry(
            a_memory(scope, f"m{number}"), keys.log_sort(START + timedelta(seconds=number), f"m{number}", 1)
        )
        for number in range(project_log.ENTRIES_MAX + 5)
    ]
    put_at_once(table, entries)
    found = store.memories.written_after(scope, 0)
    assert (len(found), found[0].id, found[-1].id) == (1_000, "m1004", "m5")


def test_a_record_behind_many_entries_of_others_is_told(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    """Falls where one page of entries is read: each of these records has two, the one asked for the oldest."""
    entries = [
        change_entry(
            a_memory(scope, f"m{number % 700}"),
            keys.log_sort(START + timedelta(seconds=number), f"m{number % 700}", 1 + number // 700),
        )
        for number in range(1_400)
    ]
    put_at_once(table, entries)
    assert {ref.id for ref in store.memories.written_after(scope, 0)} == {
        f"m{number}" for number in range(700)
    }


def test_a_log_too_long_to_be_read_is_no_short_one(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recall then says that it is degraded; falls where the entries beyond are left out in silence."""
    monkeypatch.setattr(project_log, "ENTRIES_MAX", 10)
    entries = [
        change_entry(a_memory(scope, "m1"), keys.log_sort(START + timedelta(seconds=number), "m1", number))
        for number in range(51)
    ]
    put_at_once(table, entries[1:])
    assert [ref.id for ref in store.memories.written_after(scope, 0)] == ["m1"]
    put_at_once(table, entries[:1])
    with pytest.raises(IndexUnavailable):
        store.memories.written_after(scope, 0)


def test_a_long_log_and_its_records_are_read_once(scope: Scope, table: tuple[Any, str]) -> None:
    """Falls without what is kept: each recall reads every record that the index lacks, and its vectors."""
    clock = StandingClock()
    client = Recording(table[0])
    with open_store(client, table[1], clock) as store:
        keep(store, *(a_memory(scope, f"m{number:03}") for number in range(SHORT_LOG + 20)))
        clock.advance(seconds=31)
        first = unseen_of(store, scope)
        client.asked.clear()
        assert unseen_of(store, scope) == first
        assert [name for name, _ in client.asked] == ["query"]  # of the entries since
        clock.advance(seconds=1)
        store.writer.commit(Commit(scope=scope, changes=(changed(a_memory(scope, "m001"), confidence=0.5),)))
        store.writer.commit(Commit(scope=scope, erasures=(Erasure("m002", 1),)))
        keep(store, a_memory(scope, "new"))
        client.asked.clear()
        after = unseen_of(store, scope)
        read = [
            key["pk"]["S"] for name, one in client.asked if name == "batch_get_item" for key in keys_of(one)
        ]
        assert {key.rpartition("#")[2] for key in read} == {"m001", "new"}
        assert after.keys() == {*first.keys(), Ref(scope.project, "new")} - {Ref(scope.project, "m002")}
        assert after[Ref(scope.project, "m001")].version == 2


def test_what_the_index_has_by_now_is_kept_for_a_minute_at_most(scope: Scope, table: tuple[Any, str]) -> None:
    """The words of an erased record go with it."""
    clock = StandingClock()
    with open_store(*table, clock) as store:
        keep(store, *(a_memory(scope, f"m{number:03}") for number in range(SHORT_LOG + 1)))
        clock.advance(seconds=31)
        keep(store, a_memory(scope, "new"))
        assert len(unseen_of(store, scope)) == SHORT_LOG + 2
        for id in ("m000", "new"):
            item = table[0].get_item(TableName=table[1], Key=keys.record_key(scope, id))["Item"]
            table[0].delete_item(TableName=table[1], Key=keys.log_key(scope, item["log_sk"]["S"]))
        assert {ref.id for ref in store.memories.written_after(scope, 0)} >= {"m000"}
        clock.advance(seconds=60)
        assert not {ref.id for ref in store.memories.written_after(scope, 0)} & {"m000", "new"}
        assert (scope, "m000") not in store.memories._unindexed._records  # type: ignore[attr-defined]


def unseen_of(store: DynamoRecordStore, scope: Scope) -> dict[Ref, Memory]:
    found = store.memories.unseen(scope.tenant, store.memories.written_after(scope, 0))
    return {ref: memory for ref, (memory, _) in found.items()}


def keys_of(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [key for part in request["RequestItems"].values() for key in part["Keys"]]


class Recording:
    """A client that notes what it is asked."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        def call(**request: Any) -> Any:
            self.asked.append((name, request))
            return getattr(self._client, name)(**request)

        return call


def test_every_read_of_the_table_is_strongly_consistent(scope: Scope, table: tuple[Any, str]) -> None:
    """DynamoDB Local always is; only the hits of an index may be behind, and they are read again."""
    client = Recording(table[0])
    with open_store(client, table[1]) as store:
        keep(store, *(a_memory(scope, f"m{number}") for number in range(3)))
        store.memories.get(scope, "m1")
        store.memories.get_many(scope.tenant, [Ref(scope.project, "m1"), Ref(scope.project, "m2")])
        store.memories.vectors(scope, ["m1"])
        store.history.of(scope, "m1")
        store.history.verdicts(scope, "m1")
        store.projects.policy(scope)
        store.requests.answers(scope, ["k"], START)
        store.memories.written_after(scope, 0)
        store.memories.last_versions(scope, ["m1"])
        store.learnings.run(scope, "r1")
        store.learnings.staged(scope, ["s1"])
        store.learnings.staged_page(scope, ["pending"], EVERYONE, after=None, limit=10)
        store.memories.page(scope, Filters(), EVERYONE, now=START, after=None, limit=10)
        store.receipts.get(scope, "rcl_1")
        store.requests.operation(scope.tenant, "op_1")
    reads = [
        part for name, request in client.asked for part in parts_of(name, request) if not are_of_counts(part)
    ]
    assert {name for name, _ in client.asked} >= {"get_item", "batch_get_item", "query"}
    assert [part for part in reads if not part.get("ConsistentRead") and "IndexName" not in part] == []


def are_of_counts(part: dict[str, Any]) -> bool:
    """Reads of access counts alone, which are minutes late anyway."""
    return {key["sk"]["S"] for key in part.get("Keys", ())} == {keys.ACCESSES}


def parts_of(name: str, request: dict[str, Any]) -> list[dict[str, Any]]:
    if name == "batch_get_item":
        return list(request["RequestItems"].values())
    return [request] if name in ("get_item", "query") else []


# ---- receipts


def a_receipt(scope: Scope, number: int, ids: list[str], at: datetime = START) -> RecallReceipt:
    return RecallReceipt(f"rec_{number:06}", scope, "ada", tuple(Ref(scope.project, id) for id in ids), at)


def test_a_receipt_lapses_on_time(scope: Scope, table: tuple[Any, str]) -> None:
    """Falls if the deletion by TTL is waited for: nothing deletes here."""
    clock, receipt = StandingClock(), a_receipt(scope, 1, ["m1", "m2"])
    with open_store(*table, clock) as store:
        store.receipts.note(receipt)
        clock.advance(days=30, microseconds=-1)
        assert store.receipts.get(scope, "rec_000001") == receipt
        assert store.receipts.get(new_scope(), "rec_000001") is None
        clock.advance(microseconds=1)
        assert store.receipts.get(scope, "rec_000001") is None


def test_a_recall_is_known_before_it_is_counted(store: DynamoRecordStore, scope: Scope) -> None:
    keep(store, *(a_memory(scope, f"m{number}") for number in range(4)))
    store.receipts.note(a_receipt(scope, 1, ["m1"], START - timedelta(minutes=16)))
    store.receipts.note(a_receipt(scope, 2, ["m2"]))
    store.accesses.count({(scope, "m0"): shown(1, START - timedelta(days=2))})
    asked = [Ref(scope.project, f"m{number}") for number in (0, 1, 2, 3, 2)]
    assert store.receipts.recalled_since(scope, asked, START - timedelta(days=3)) == {asked[0], asked[2]}
    assert store.receipts.recalled_since(scope, asked, START - timedelta(days=1)) == {asked[2]}
    assert store.receipts.recalled_since(scope, asked, START + timedelta(seconds=1)) == set()
    assert store.receipts.recalled_since(scope, [], START) == set()


def test_of_many_receipts_the_newest_are_looked_at(
    store: DynamoRecordStore, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipts, "UNCOUNTED_MAX", 40)
    for number in range(50):
        store.receipts.note(a_receipt(scope, number, [f"m{number}"]))
    asked = [Ref(scope.project, f"m{number}") for number in range(50)]
    assert store.receipts.recalled_since(scope, asked, START) == set(asked[10:])


def test_receipts_lie_in_several_partitions_and_are_read_in_order(
    store: DynamoRecordStore, scope: Scope
) -> None:
    """Falls with one partition: it takes a thousand recalls a second, and no more."""
    for number in range(40):
        store.receipts.note(a_receipt(scope, number, ["m1"] if number % 2 else ["m2"]))
    spread = {keys.receipt_key(scope, f"rec_{number:06}")["pk"]["S"] for number in range(40)}
    assert len(spread) == keys.RECEIPT_SHARDS
    assert spread < set(keys.receipts_partitions(scope))
    shown = store.receipts.that_showed(scope, Ref(scope.project, "m1"), 9, limit=9)
    assert [receipt.recall_id for receipt in shown] == [f"rec_{n:06}" for n in (39, 37, 35, 33, 31)]
    assert store.receipts.times_shown(scope, Ref(scope.project, "m2"), 40) == 20


def test_a_receipt_of_a_release_before_is_still_found(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    client, name = table
    old = {
        **receipts.receipt_item(a_receipt(scope, 1, ["m1"])),
        **keys.unspread_receipt_key(scope, "rec_000001"),
    }
    client.put_item(TableName=name, Item=record_items.with_digest(old))
    assert store.receipts.get(scope, "rec_000001") == a_receipt(scope, 1, ["m1"])
    assert store.receipts.times_shown(scope, Ref(scope.project, "m1"), 10) == 1
    assert store.erasures.forget_receipts(scope, "ada") == 1
    assert store.receipts.get(scope, "rec_000001") is None


def test_accesses_add_up_and_time_does_not_go_back(store: DynamoRecordStore, scope: Scope) -> None:
    keep(store, a_memory(scope, "m1"), a_memory(scope, "m2"))
    later = START + timedelta(hours=1)
    store.accesses.count({(scope, "m1"): shown(2, later), (scope, "m2"): shown(1, later)})
    store.accesses.count({(scope, "m1"): shown(3, START)})
    found = store.memories.get_many(scope.tenant, [Ref(scope.project, "m1"), Ref(scope.project, "m2")])
    assert [(m.access_count, m.last_accessed_at, m.version) for m in found.values()] == [
        (5, later, 1),
        (1, later, 1),
    ]


def test_what_is_erased_counts_nothing(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    keep(store, a_memory(scope, "m1"))
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", 1),)))
    store.accesses.count({(scope, "m1"): shown(2, START), (scope, "never"): shown(1, START)})
    client, name = table
    assert "Item" not in client.get_item(TableName=name, Key=keys.accesses_key(scope, "m1"))
    assert "Item" not in client.get_item(TableName=name, Key=keys.accesses_key(scope, "never"))
    assert "access_count" not in client.get_item(TableName=name, Key=keys.record_key(scope, "m1"))["Item"]
    assert "Item" not in client.get_item(TableName=name, Key=keys.record_key(scope, "never"))


def test_counting_writes_a_small_item_and_no_record(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    """Falls if a count lies in the record: each write of it costs as much as the record is long."""
    client, name = table
    keep(store, a_memory(scope, "m1", content="word " * 2_000))
    before = client.get_item(TableName=name, Key=keys.record_key(scope, "m1"))["Item"]
    for at in (START, START + timedelta(hours=1)):
        store.accesses.count({(scope, "m1"): shown(1, at)})
    assert client.get_item(TableName=name, Key=keys.record_key(scope, "m1"))["Item"] == before
    counts = client.get_item(TableName=name, Key=keys.accesses_key(scope, "m1"))["Item"]
    assert record_items.size_bytes(counts) < 1_024
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", 1),)))
    assert "Item" not in client.get_item(TableName=name, Key=keys.accesses_key(scope, "m1"))


def test_counts_of_a_release_before_go_on(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    """They lie in the record, until its next count takes them over."""
    client, name = table
    keep(store, a_memory(scope, "m1"))
    last = START + timedelta(days=1)
    client.update_item(
        TableName=name,
        Key=keys.record_key(scope, "m1"),
        UpdateExpression="SET access_count = :n, last_accessed_at = :at",
        ExpressionAttributeValues={":n": {"N": "7"}, ":at": {"S": rfc3339(last)}},
    )
    assert accesses_of(store, scope) == (7, last)
    store.accesses.count({(scope, "m1"): shown(2, START)})
    assert accesses_of(store, scope) == (9, last)
    assert store.receipts.recalled_since(scope, [Ref(scope.project, "m1")], last) == {
        Ref(scope.project, "m1")
    }


def test_a_damaged_count_is_begun_anew(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    """Falls if a count is added to whatever lies there: DynamoDB refuses it, and its receipts come for ever."""
    client, name = table
    keep(store, a_memory(scope, "m1"))
    store.accesses.count({(scope, "m1"): shown(1, START)})
    client.update_item(
        TableName=name,
        Key=keys.accesses_key(scope, "m1"),
        UpdateExpression="SET access_count = :n",
        ExpressionAttributeValues={":n": {"S": "many"}},
    )
    assert accesses_of(store, scope) == (0, None)
    store.accesses.count({(scope, "m1"): shown(2, START)})
    assert accesses_of(store, scope) == (2, START)


def accesses_of(store: DynamoRecordStore, scope: Scope) -> tuple[int, Any]:
    memory = store.memories.get(scope, "m1")
    assert memory is not None
    return memory.access_count, memory.last_accessed_at


# ---- operations


def an_operation(**fields: Any) -> Operation:
    said = {"id": "op_1", "tenant": "acme", "principal": "ada", "kind": "batch", "status": "running"}
    return Operation(**{**said, "done": 0, "total": 3, "created_at": START, **fields})


def test_an_operation_is_kept_for_thirty_days(table: tuple[Any, str]) -> None:
    clock = StandingClock()
    with open_store(*table, clock) as store:
        running = an_operation(input="batches/op_1")
        store.requests.put_operation(running)
        assert store.requests.operation("acme", "op_1") == running
        ended = replace(running, status="succeeded", done=3, result={"results": [{"line": 1, "status": 201}]})
        store.requests.put_operation(ended)
        assert store.requests.operation("acme", "op_1") == ended
        assert (store.requests.operation("beta", "op_1"), store.requests.operation("acme", "op_2")) == (
            None,
            None,
        )
        clock.advance(days=30)
        assert store.requests.operation("acme", "op_1") is None


def test_the_result_of_a_full_batch_fits(store: DynamoRecordStore) -> None:
    """A thousand lines, each a refusal with its twin's words: 900 KB as JSON. Falls if results are kept plain."""
    words = [
        " ".join(random.Random(line).choices(["index", "pool", "retry", "cache"], k=150))
        for line in range(1_000)
    ]
    results = [
        {"line": n, "status": 409, "problem": {"type": "duplicate", "detail": text}}
        for n, text in enumerate(words)
    ]
    ended = an_operation(id="op_full", status="failed", problem={"results": results})
    store.requests.put_operation(ended)
    assert store.requests.operation("acme", "op_full") == ended


def test_a_result_that_no_item_holds_is_refused(store: DynamoRecordStore) -> None:
    noise = random.Random(1).randbytes(600_000).hex()
    with pytest.raises(TooLarge, match="operation op_noise takes"):
        store.requests.put_operation(an_operation(id="op_noise", result={"noise": noise}))
    assert store.requests.operation("acme", "op_noise") is None


def test_nothing_is_found_in_a_project_without_a_write(store: DynamoRecordStore, scope: Scope) -> None:
    assert store.memories.page(scope, Filters(), EVERYONE, now=START, after=None, limit=5).memories == ()
    assert (
        store.memories.get(scope, "m1"),
        store.history.of(scope, "m1"),
        store.memories.written_after(scope, 0),
    ) == (
        None,
        [],
        [],
    )
    assert (store.memories.same_content(scope, "h"), store.sessions.turns(scope, "s", 0, 9)) == ([], [])
    assert (store.requests.answers(scope, ["k"], START), store.receipts.get(scope, "r")) == ({}, None)
