"""Records that are hot no more: a stub in the item, the words in a body, and every reader finds all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import memory_of, number_of
from memory_layer.adapters.stored_form.body_format import body_key
from memory_layer.domain.filters import Filters
from memory_layer.domain.integrity.verification import broken_parts
from memory_layer.domain.memory import Memory, Ref, Scope, Tier, is_stub
from memory_layer.errors import BodyFrozen, StoreUnavailable, VersionConflict
from memory_layer.ports.commit import Change, Commit, Erasure, Vectors
from tests.aws.dynamodb_table import open_store
from tests.aws.store.test_reads import EVERYONE
from tests.given import START, BlobsInMemory, a_memory, changed, created

pytestmark = pytest.mark.engines

WORDS = "Grüße from a long memory. " * 60
LATER = START + timedelta(days=400)
UNIT = Vectors(np.eye(1, 384, dtype=np.float32)[0])


@pytest.fixture
def blobs() -> BlobsInMemory:
    return BlobsInMemory()


@pytest.fixture
def store(table: tuple[Any, str], blobs: BlobsInMemory) -> Iterator[DynamoRecordStore]:
    with open_store(*table, blobs=blobs) as opened:
        yield opened


def keep(store: DynamoRecordStore, *changes: Change) -> None:
    for change in changes:
        store.writer.commit(Commit(scope=change.memory.scope, changes=(change,)))


def in_tier(store: DynamoRecordStore, scope: Scope, *tiers: Tier, **fields: Any) -> Memory:
    """A record that went through all of these, as its last change left it, with all its words."""
    said = {"content": WORDS, "session_id": "talk", "position": 1, **fields}
    memory = a_memory(scope, **said)
    keep(store, created(memory, vectors=UNIT))
    for tier in tiers:
        keep(store, changed(memory, tier=tier))
        memory = replace(memory, tier=tier, version=memory.version + 1)
    return memory


def item_in(table: tuple[Any, str], scope: Scope, id: str = "m1") -> dict[str, Any]:
    client, name = table
    item: dict[str, Any] = client.get_item(TableName=name, Key=keys.record_key(scope, id))["Item"]
    return item


READS: dict[str, Callable[[DynamoRecordStore, Scope], list[Memory]]] = {
    "get": lambda store, scope: [m for m in [store.memories.get(scope, "m1")] if m],
    "get_many": lambda store, scope: list(
        store.memories.get_many(scope.tenant, [Ref(scope.project, "m1")]).values()
    ),
    "whole": lambda store, scope: store.memories.whole(lying(store, scope)),
    "page": lambda store, scope: list(
        store.memories.page(scope, Filters(status=()), EVERYONE, now=START, after=None, limit=9).memories
    ),
    "every": lambda store, scope: list(store.memories.every(scope, after=None, limit=9).memories),
    "turns": lambda store, scope: store.sessions.turns(scope, "talk", 0, 9),
    "same_content": lambda store, scope: store.memories.same_content(
        scope, a_memory(scope, content=WORDS).content_hash
    ),
    "history": lambda store, scope: [store.history.of(scope, "m1")[-1].memory],
    "versions_at": lambda store, scope: list(store.history.at(scope, ["m1"], LATER).values()),
    "in_status_since": lambda store, scope: [
        version.memory for version in store.history.in_status_since(scope, ["m1"], "active").values()
    ],
}


def lying(store: DynamoRecordStore, scope: Scope) -> list[Memory]:
    return list(store.memories.get_many(scope.tenant, [Ref(scope.project, "m1")], with_bodies=False).values())


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("tiers", [("warm",), ("warm", "cold"), ("warm", "hot")])
def test_every_reader_finds_all_words(
    store: DynamoRecordStore, scope: Scope, name: str, tiers: tuple[Tier, ...]
) -> None:
    memory = in_tier(store, scope, *tiers)
    (found,) = READS[name](store, scope)
    expected = replace(memory, tier="hot", version=1) if name == "in_status_since" else memory
    assert found == expected


def test_the_item_keeps_the_beginning_and_says_how_long_the_words_are(
    store: DynamoRecordStore, blobs: BlobsInMemory, table: tuple[Any, str], scope: Scope
) -> None:
    memory = in_tier(store, scope, "warm")
    item = item_in(table, scope)
    assert memory_of(item).content == WORDS[:200]
    assert number_of(item, "body_bytes") == len(WORDS.encode())
    assert lying(store, scope) == [replace(memory, content=WORDS[:200])]
    key = body_key(scope, "m1", memory.content_hash)
    assert (list(blobs.bodies), blobs.tiers[key]) == ([key], "warm")
    assert len(blobs.bodies[key]) < 200


def test_vectors_stay_where_they_are(store: DynamoRecordStore, scope: Scope) -> None:
    in_tier(store, scope, "warm", "cold")
    assert store.memories.vectors(scope, ["m1"]).keys() == {"m1"}


def test_a_stub_moves_on_without_its_words(
    store: DynamoRecordStore, blobs: BlobsInMemory, table: tuple[Any, str], scope: Scope
) -> None:
    """Sweeps read no bodies: falls if an update of a stub removes what it does not know."""
    in_tier(store, scope, "warm")
    (stub,) = lying(store, scope)
    keep(store, changed(stub, tier="cold"))
    assert number_of(item_in(table, scope), "body_bytes") == len(WORDS.encode())
    assert list(blobs.tiers.values()) == ["cold"]
    found = store.memories.get(scope, "m1")
    assert found is not None
    assert (found.content, found.tier, found.version) == (WORDS, "cold", 3)


def test_words_that_come_back_leave_no_length_behind(
    store: DynamoRecordStore, table: tuple[Any, str], scope: Scope
) -> None:
    in_tier(store, scope, "warm", "hot")
    item = item_in(table, scope)
    assert "body_bytes" not in item
    assert memory_of(item).content == WORDS


def test_short_words_stay_in_their_item(store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope) -> None:
    memory = in_tier(store, scope, "warm", "cold", content="short")
    assert store.memories.get(scope, "m1") == memory
    assert not blobs.bodies


def test_a_record_may_arrive_as_a_stub(
    store: DynamoRecordStore, table: tuple[Any, str], scope: Scope
) -> None:
    """As a snapshot brings it back."""
    memory = a_memory(scope, content=WORDS, tier="cold")
    keep(store, created(memory))
    assert memory_of(item_in(table, scope)).content == WORDS[:200]
    assert store.memories.get(scope, "m1") == memory


def test_a_body_that_is_missing_is_told(store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope) -> None:
    in_tier(store, scope, tier="warm")  # no version has the words
    keep(store, created(a_memory(scope, "m2", content="beside")))
    blobs.bodies.clear()
    with pytest.raises(StoreUnavailable, match="m1 is missing"):
        store.memories.get(scope, "m1")
    page = store.memories.every(scope, after=None, limit=9)
    assert [memory.id for memory in page.memories] == ["m2"]
    assert page.unread == ("m1",)
    assert store.memories.whole(lying(store, scope)) == []
    assert [turn.content for turn in store.sessions.turns(scope, "talk", 0, 9)] == [WORDS[:200]]


def test_a_page_goes_on_behind_what_cannot_be_read(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope
) -> None:
    in_tier(store, scope, tier="warm")  # no version has the words
    keep(store, created(a_memory(scope, "m2", created_at=START + timedelta(seconds=1))))
    blobs.bodies.clear()
    first = store.memories.every(scope, after=None, limit=1)
    assert (first.memories, first.unread) == ((), ("m1",))
    assert [memory.id for memory in store.memories.every(scope, after=first.next_key, limit=1).memories] == [
        "m2"
    ]


def test_a_history_reads_each_body_once_and_none_that_a_line_has(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls if every line of a record that sweeps have changed often asks for the same body."""
    read: list[str] = []

    def get(key: str, **_: bool) -> bytes | None:
        read.append(key)
        return blobs.bodies.get(key)

    monkeypatch.setattr(blobs, "get", get)
    keep(store, created(a_memory(scope, content=WORDS, tier="warm")))
    for _ in range(3):
        (stub,) = lying(store, scope)
        keep(store, changed(stub, relevance_score=stub.relevance_score - 0.1))
    contents = [version.memory.content for version in store.history.of(scope, "m1")]
    assert (contents, len(read)) == ([WORDS] * 4, 1)
    in_tier(store, scope, "warm", id="m2")
    assert [version.memory.content for version in store.history.of(scope, "m2")] == [WORDS] * 2
    assert len(read) == 1


def test_what_is_frozen_is_asked_back_by_whoever_reads_it_alone(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope
) -> None:
    in_tier(store, scope, "warm", "cold", "frozen", status="archived")
    assert store.memories.every(scope, after=None, limit=9).frozen == ("m1",)
    assert blobs.asked_back == []
    with pytest.raises(BodyFrozen):
        store.memories.get(scope, "m1")
    assert len(blobs.asked_back) == 1


# ---- what is erased


def erase(store: DynamoRecordStore, memory: Memory) -> None:
    store.writer.commit(Commit(scope=memory.scope, erasures=(Erasure(memory.id, memory.version),)))


def test_an_erasure_takes_every_body_along(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope
) -> None:
    memory = in_tier(store, scope, "warm")
    other = replace(
        memory, content=f"{WORDS}!", content_hash=a_memory(scope, content=f"{WORDS}!").content_hash
    )
    keep(store, changed(other, vectors=UNIT))
    neighbour = in_tier(store, scope, "warm", id="m10", content=f"{WORDS}?")
    assert len(blobs.bodies) == 3
    erase(store, replace(other, version=3))
    assert list(blobs.bodies) == [body_key(scope, "m10", neighbour.content_hash)]
    assert store.erasures.settle()


def test_a_bucket_that_does_not_answer_is_asked_again(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The erasure stands all the same; what settles it says whether a body is left."""
    memory = in_tier(store, scope, "warm")
    with monkeypatch.context() as broken:
        broken.setattr(blobs, "keys", _unavailable)
        erase(store, memory)
        assert store.memories.get(scope, "m1") is None
        assert not store.erasures.settle()
    assert store.erasures.settle()
    assert not blobs.bodies


def _unavailable(*_: Any) -> Any:
    raise StoreUnavailable("the bucket is away")


def test_the_projector_deletes_bodies_that_a_crash_left(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope
) -> None:
    """Falls without `_erase_bodies` in `finish_erasure`: nothing else would ever look there again."""
    memory = in_tier(store, scope, "warm")
    left = dict(blobs.bodies)
    erase(store, memory)
    blobs.bodies.update(left)
    store.erased.finish_erasure(scope, "m1", memory.version + 1)
    assert not blobs.bodies


def test_an_id_that_is_used_again_keeps_its_own_body(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope
) -> None:
    """Falls without `is_erased`: the projector comes by after the id was created anew."""
    memory = in_tier(store, scope, "warm")
    erase(store, memory)
    anew = replace(memory, version=memory.version + 2)
    keep(store, Change(anew, 0, "created", "ada", START))
    store.erased.finish_erasure(scope, "m1", memory.version + 1)
    assert store.memories.get(scope, "m1") == anew
    assert len(blobs.bodies) == 1


def test_an_id_that_is_used_again_while_it_is_erased_has_its_body(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `_reuses_erased_id`: the erasure deletes what the new record has put away a moment before."""
    memory = in_tier(store, scope, "warm")
    erase(store, memory)
    transactions: Any = store.writer._transactions  # type: ignore[attr-defined]
    real = transactions.run

    def run(commit: Commit, announced: None) -> None:
        blobs.bodies.clear()  # the eraser, who found a tombstone still
        real(commit, announced)

    monkeypatch.setattr(transactions, "run", run)
    anew = replace(memory, version=memory.version + 2)
    keep(store, Change(anew, 0, "created", "ada", START))
    assert store.memories.get(scope, "m1") == anew


def test_who_comes_too_late_leaves_no_body_of_what_was_erased(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope
) -> None:
    """Falls without `_drop_orphans`: a sweep had read the record before it was erased."""
    memory = in_tier(store, scope)
    erase(store, memory)
    with pytest.raises(VersionConflict):
        keep(store, changed(memory, tier="warm"))
    assert not blobs.bodies


def test_who_is_overtaken_leaves_the_body_of_what_is_there(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope
) -> None:
    memory = in_tier(store, scope, "warm")
    with pytest.raises(VersionConflict):
        keep(store, changed(replace(memory, version=1), tier="cold"))
    assert store.memories.get(scope, "m1") == memory
    assert len(blobs.bodies) == 1


def test_a_projects_bodies_go_with_it(store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope) -> None:
    """Even those that no record came to use; not those of what is there still."""
    memory = in_tier(store, scope, "warm")
    neighbour = in_tier(store, scope._replace(project=f"{scope.project}-2"), "warm")
    blobs.bodies[body_key(scope, "never", "0" * 64)] = b""
    assert store.erasures.forget_project(scope)["bodies"] == 1
    erase(store, memory)
    blobs.bodies[body_key(scope, "never", "0" * 64)] = b""
    assert store.erasures.forget_project(scope)["bodies"] == 1
    assert list(blobs.bodies) == [body_key(neighbour.scope, "m1", neighbour.content_hash)]


# ---- what is damaged


def flaws(store: DynamoRecordStore, scope: Scope) -> list[tuple[int | None, str, str]]:
    kept = store.integrity.kept_under(scope, ["m1"])
    found = [flaw for one in kept for flaw in broken_parts(one, model="none", dimensions=384)]
    return [
        (flaw.version, flaw.part, flaw.what) for flaw in (*found, *store.integrity.body_flaws(scope, kept))
    ]


@pytest.mark.parametrize("tiers", [(), ("warm",), ("warm", "cold"), ("warm", "hot"), ("warm", "frozen")])
def test_a_sound_record_has_no_flaw(store: DynamoRecordStore, scope: Scope, tiers: tuple[Tier, ...]) -> None:
    in_tier(store, scope, *tiers)
    assert flaws(store, scope) == []


def test_verify_names_a_missing_body_once(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope
) -> None:
    in_tier(store, scope, "warm", "cold")
    blobs.bodies.clear()
    assert flaws(store, scope) == [(3, "body", "is missing")]


def test_verify_reads_the_body_of_an_earlier_version(
    store: DynamoRecordStore, blobs: BlobsInMemory, scope: Scope
) -> None:
    in_tier(store, scope, "warm", "hot")
    blobs.bodies.clear()
    assert flaws(store, scope) == [(2, "body", "is missing")]


@pytest.mark.parametrize(
    ("update", "parts"),
    [("SET body_bytes = :n", {"body"}), ("REMOVE body_bytes", {"record", "content"})],
)
def test_verify_names_a_wrong_length(
    store: DynamoRecordStore, table: tuple[Any, str], scope: Scope, update: str, parts: set[str]
) -> None:
    in_tier(store, scope, "warm")
    client, name = table
    values = {"ExpressionAttributeValues": {":n": {"N": "7"}}} if ":n" in update else {}
    client.update_item(TableName=name, Key=keys.record_key(scope, "m1"), UpdateExpression=update, **values)
    assert {part for _, part, _ in flaws(store, scope)} == parts


def test_a_length_of_words_that_are_there_is_odd(
    store: DynamoRecordStore, table: tuple[Any, str], scope: Scope
) -> None:
    in_tier(store, scope)
    client, name = table
    client.update_item(
        TableName=name,
        Key=keys.record_key(scope, "m1"),
        UpdateExpression="SET body_bytes = :n",
        ExpressionAttributeValues={":n": {"N": "7"}},
    )
    assert flaws(store, scope) == [(1, "record", "body_bytes is not as it was written")]


def test_versions_lie_as_stubs(store: DynamoRecordStore, scope: Scope) -> None:
    """A record that sweeps go on changing would have all its words in every line of its history."""
    in_tier(store, scope, "warm", "cold")
    (kept,) = store.integrity.kept_under(scope, ["m1"])
    assert [(stub.version, stub.body_bytes) for stub in kept.stubs] == [
        (3, len(WORDS.encode())),
        (2, None),
        (3, None),
    ]
    assert all(is_stub(memory) for memory in lying(store, scope))
