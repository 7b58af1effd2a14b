"""An erased record is gone with all that was kept beside it; its id goes on counting, its neighbours fall silent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.adapters.aws.store import partition_erasure
from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import TOMBSTONE
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import VersionConflict
from memory_layer.ports.commit import ANSWER_LIFETIME, Change, Commit, Erasure, IdempotencyRecord
from tests.aws.store.test_commits import a_verdict, an_answer
from tests.given import START, a_memory, changed, created, some_vectors

pytestmark = pytest.mark.engines


def partition(table: tuple[Any, str], scope: Scope, id: str) -> list[dict[str, Any]]:
    client, name = table
    found: list[dict[str, Any]] = client.query(
        TableName=name,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": keys.record_partition(scope, id)}},
        ConsistentRead=True,
    )["Items"]
    return found


def with_history(store: DynamoRecordStore, memory: Memory, versions: int) -> Memory:
    """The record after so many versions, with a verdict each."""
    store.writer.commit(Commit(scope=memory.scope, changes=(created(memory, vectors=some_vectors(1)),)))
    for number in range(1, versions):
        change = changed(memory, confidence=number / 1000)
        verdict = a_verdict(f"v{number:04}", memory.id)
        store.writer.commit(Commit(scope=memory.scope, changes=(change,), verdicts=(verdict,)))
        memory = change.memory
    return memory


def erase(store: DynamoRecordStore, memory: Memory, *echoes: str) -> None:
    store.writer.commit(Commit(scope=memory.scope, erasures=(Erasure(memory.id, memory.version, echoes),)))


def test_only_a_tombstone_is_left(store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]) -> None:
    memory = with_history(store, a_memory(scope, session_id="talk", position=1), 3)
    store.writer.commit(Commit(scope=scope, answer=an_answer()))
    erase(store, memory)
    (left,) = partition(table, scope, "m1")
    names = ("pk", "sk", "kind", "tenant", "project", "id", "version", "log_sk", "age_pk", "age_sk", "digest")
    assert sorted(left) == sorted(names)
    assert (left["kind"]["S"], left["version"]["N"]) == (TOMBSTONE, "4")
    assert (
        store.memories.get(scope, "m1"),
        store.history.of(scope, "m1"),
        store.history.verdicts(scope, "m1"),
    ) == (None, [], [])
    assert (store.memories.vectors(scope, ["m1"]), store.memories.last_versions(scope, ["m1"])) == (
        {},
        {"m1": 4},
    )
    assert store.requests.answers(scope, ["k1"], START)["k1"].body == ""


def test_no_index_knows_an_erased_record(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    memory = with_history(store, a_memory(scope, session_id="talk", position=1), 1)
    erase(store, memory)
    client, name = table
    for index, sort, value in (
        ("by_age", "age", keys.age_partition(scope, "active")),
        ("by_content", "content", keys.content_partition(scope, memory.content_hash)),
        ("by_session", "session", keys.session_partition(scope, "talk")),
    ):
        answer = client.query(
            TableName=name,
            IndexName=index,
            KeyConditionExpression=f"{sort}_pk = :pk",
            ExpressionAttributeValues={":pk": {"S": value}},
        )
        assert answer["Items"] == []


def test_an_erasure_of_another_version_is_refused(store: DynamoRecordStore, scope: Scope) -> None:
    memory = with_history(store, a_memory(scope), 2)
    for before in (1, 3):
        with pytest.raises(VersionConflict, match=f"no longer at version {before}"):
            store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", before),)))
    assert store.memories.get(scope, "m1") == memory
    assert len(store.history.of(scope, "m1")) == 2


def test_what_is_erased_is_not_erased_again(store: DynamoRecordStore, scope: Scope) -> None:
    memory = with_history(store, a_memory(scope), 1)
    erase(store, memory)
    for before in (1, 2):
        with pytest.raises(VersionConflict):
            store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", before),)))


def test_a_created_again_id_goes_on_counting(store: DynamoRecordStore, scope: Scope) -> None:
    erase(store, with_history(store, a_memory(scope), 2))
    for wrong in (1, 2, 3, 5):
        with pytest.raises(VersionConflict):
            store.writer.commit(
                Commit(scope=scope, changes=(created(replace(a_memory(scope), version=wrong)),))
            )
    again = replace(a_memory(scope, content="Again."), version=4)
    store.writer.commit(Commit(scope=scope, changes=(created(again),)))
    assert store.memories.get(scope, "m1") == again
    assert [version.memory for version in store.history.of(scope, "m1")] == [again]
    erase(store, again)
    assert store.memories.last_versions(scope, ["m1"]) == {"m1": 5}


@pytest.mark.parametrize("versions", [30, 60, 180])
def test_a_long_history_goes_too(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str], versions: int
) -> None:
    """Of 360 items a transaction deletes 98: falls without what is deleted after it."""
    erase(store, with_history(store, a_memory(scope), versions))
    assert len(partition(table, scope, "m1")) == 1


def test_a_verdict_cannot_outlive_its_record(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    """Falls without the check of the record that a verdict, or an answer, speaks of."""
    erase(store, with_history(store, a_memory(scope), 1))
    with pytest.raises(VersionConflict, match="m1 was erased meanwhile"):
        store.writer.commit(Commit(scope=scope, verdicts=(a_verdict("v1"),)))
    with pytest.raises(VersionConflict, match="m1 was erased meanwhile"):
        store.writer.commit(Commit(scope=scope, answer=an_answer()))
    assert len(partition(table, scope, "m1")) == 1


def test_what_a_crash_left_is_invisible_and_deleted_by_the_next(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = with_history(store, a_memory(scope), 80)
    with monkeypatch.context() as crash:
        crash.setattr(partition_erasure, "finish_erasure", lambda *_: None)
        erase(store, memory)
    assert len(partition(table, scope, "m1")) > 1
    assert store.history.of(scope, "m1") == []
    store.erased.finish_erasure(scope, "m1", memory.version + 1)
    assert len(partition(table, scope, "m1")) == 1


def test_whoever_creates_the_id_again_keeps_what_is_theirs(store: DynamoRecordStore, scope: Scope) -> None:
    """Falls if what is left is deleted without a look at the record."""
    memory = with_history(store, a_memory(scope), 1)
    erase(store, memory)
    again = replace(a_memory(scope), version=3)
    store.writer.commit(Commit(scope=scope, changes=(created(again),), verdicts=(a_verdict("v9"),)))
    store.erased.finish_erasure(scope, "m1", 2)
    assert [version.memory for version in store.history.of(scope, "m1")] == [again]
    assert [verdict.id for verdict in store.history.verdicts(scope, "m1")] == ["v9"]


def test_a_history_of_an_id_created_again_leaves_out_what_was_erased(
    store: DynamoRecordStore, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `first_version`: a reader between the erasure and its end sees what was erased."""
    memory = with_history(store, a_memory(scope), 80)
    with monkeypatch.context() as crash:
        crash.setattr(partition_erasure, "finish_erasure", lambda *_: None)
        erase(store, memory)
    again = replace(a_memory(scope), version=82)
    store.writer.commit(Commit(scope=scope, changes=(created(again),)))
    assert [version.memory for version in store.history.of(scope, "m1")] == [again]


def heard(scope: Scope, id: str, words: str = "Secret words.") -> tuple[Memory, IdempotencyRecord]:
    memory = a_memory(scope, id, context=words)
    body = json.dumps({"id": id, "context": words, "receipt": {"durable": True}})
    return memory, IdempotencyRecord(f"key of {id}", "same", 201, body, START + ANSWER_LIFETIME, id)


def test_neighbours_fall_silent(store: DynamoRecordStore, scope: Scope) -> None:
    said = with_history(store, a_memory(scope, content="Secret words."), 1)
    neighbour, answer = heard(scope, "m2")
    bystander, untouched = heard(scope, "m3", "Other words.")
    for memory, told in ((neighbour, answer), (bystander, untouched)):
        store.writer.commit(Commit(scope=scope, changes=(created(memory),), answer=told))
    quiet = changed(neighbour, context=None)
    store.writer.commit(
        Commit(scope=scope, changes=(quiet,), erasures=(Erasure("m1", said.version, ("m2",)),))
    )
    assert [version.memory.context for version in store.history.of(scope, "m2")] == [None, None]
    assert [version.memory.context for version in store.history.of(scope, "m3")] == ["Other words."]
    answers = store.requests.answers(scope, [answer.key, untouched.key], START)
    assert json.loads(answers[answer.key].body) == {"id": "m2", "context": None, "receipt": {"durable": True}}
    assert answers[untouched.key] == untouched


def test_many_echoes_are_silenced_after_the_transaction(store: DynamoRecordStore, scope: Scope) -> None:
    """120 versions are more than a transaction takes: falls without what is rewritten after it."""
    said = with_history(store, a_memory(scope, content="Secret words."), 1)
    neighbour, answer = heard(scope, "m2")
    store.writer.commit(Commit(scope=scope, changes=(created(neighbour),), answer=answer))
    for _ in range(119):
        change = changed(neighbour, pinned=not neighbour.pinned)
        store.writer.commit(Commit(scope=scope, changes=(change,)))
        neighbour = change.memory
    quiet = Change(
        replace(neighbour, context=None, version=neighbour.version + 1),
        neighbour.version,
        "quiet",
        "ada",
        START,
    )
    store.writer.commit(
        Commit(scope=scope, changes=(quiet,), erasures=(Erasure("m1", said.version, ("m2",)),))
    )
    assert {version.memory.context for version in store.history.of(scope, "m2")} == {None}
    assert '"context":null' in store.requests.answers(scope, [answer.key], START)[answer.key].body


def test_an_echo_that_is_not_there_is_no_obstacle(store: DynamoRecordStore, scope: Scope) -> None:
    said = with_history(store, a_memory(scope), 1)
    erase(store, said, "m7", "m8")
    assert store.memories.get(scope, "m1") is None


def test_a_refused_erasure_silences_nobody(store: DynamoRecordStore, scope: Scope) -> None:
    with_history(store, a_memory(scope), 2)
    neighbour, answer = heard(scope, "m2")
    store.writer.commit(Commit(scope=scope, changes=(created(neighbour),), answer=answer))
    with pytest.raises(VersionConflict):
        store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", 1, ("m2",)),)))
    assert store.history.of(scope, "m2")[0].memory == neighbour
    assert store.requests.answers(scope, [answer.key], START)[answer.key] == answer


def test_an_erased_record_is_in_no_log_of_what_can_be_found(store: DynamoRecordStore, scope: Scope) -> None:
    erase(store, with_history(store, a_memory(scope), 1))
    assert store.memories.written_after(scope, 0) == []
    again = replace(a_memory(scope), version=3)
    store.writer.commit(Commit(scope=scope, changes=(created(again),)))
    assert store.memories.written_after(scope, 0) == [again.ref]
