"""Words that leave their record come back as they were, whatever lies in their place is told, and none stays behind."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.body_format import (
    BODIES_PREFIX,
    body_key,
    body_size_bytes,
    packed_body,
)
from memory_layer.domain.integrity.verification import StoredRecord, StoredStub
from memory_layer.domain.memory import BODY_MIN_BYTES, STUB_MAX_CHARS, Memory, Tier, is_stub
from memory_layer.errors import THAW_S, BodyFrozen, StoreUnavailable
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.records import RecordPage, RecordVersion
from tests.given import SCOPE, START, BlobsInMemory, a_memory
from tests.index_examples import unit_vectors

LONG = "Überall, wo der Bau hängt, hilft mehr Speicher. " * 40


@pytest.fixture
def blobs() -> BlobsInMemory:
    return BlobsInMemory()


@pytest.fixture(params=[None, 4])
def bodies(blobs: BlobsInMemory, request: pytest.FixtureRequest) -> Iterator[Bodies]:
    """One after the other, and side by side."""
    if request.param is None:
        yield Bodies(blobs)
        return
    with ThreadPoolExecutor(request.param) as executor:
        yield Bodies(blobs, executor)


def record(id: str = "m", content: str = LONG, tier: Tier = "warm") -> Memory:
    return replace(a_memory(SCOPE, id, content=content), tier=tier)


def put(bodies: Bodies, *memories: Memory) -> list[Change]:
    changes = tuple(Change(memory, 1, "moved", "sweep tiering", START) for memory in memories)
    return list(bodies.put_away(Commit(scope=SCOPE, changes=changes)).changes)


def key_of(memory: Memory) -> str:
    return body_key(memory.scope, memory.id, memory.content_hash)


@pytest.mark.parametrize("tier", ["warm", "cold", "frozen"])
def test_long_words_go_into_a_body_and_come_back(bodies: Bodies, blobs: BlobsInMemory, tier: Tier) -> None:
    memory = record(tier=tier)
    (change,) = put(bodies, memory)
    stub = change.memory
    assert stub == replace(memory, content=LONG[:STUB_MAX_CHARS])
    assert (change.words, change.body_bytes, is_stub(stub)) == (LONG, len(LONG.encode()), True)
    assert blobs.tiers == {key_of(memory): tier}
    assert len(blobs.bodies[key_of(memory)]) == body_size_bytes(LONG) < len(LONG.encode()) / 4
    blobs.tiers.clear()
    assert bodies.whole([stub]) == ([memory], [])
    assert bodies.one(stub) == memory


def test_short_words_and_hot_records_stay_as_they_are(bodies: Bodies, blobs: BlobsInMemory) -> None:
    short = record("short", "x" * (BODY_MIN_BYTES - 1))
    long = record("long", "x" * BODY_MIN_BYTES)
    hot = record("hot", tier="hot")
    changes = put(bodies, short, hot, long)
    assert [change.memory.content for change in changes] == [short.content, LONG, "x" * STUB_MAX_CHARS]
    assert [change.words for change in changes] == [None, None, long.content]
    assert list(blobs.bodies) == [key_of(long)]


def test_an_id_may_be_anything(bodies: Bodies, blobs: BlobsInMemory) -> None:
    ids = ["../../../etc/passwd", "a/b", "é\n", "x" * 128, ".", ""]
    stubs = [change.memory for change in put(bodies, *(record(id) for id in ids))]
    assert [memory.content for memory in bodies.whole(stubs)[0]] == [LONG] * len(ids)
    folders = {tuple(key.split("/")[:3]) for key in blobs.bodies}
    assert folders == {(BODIES_PREFIX.rstrip("/"), "acme", "web")}
    assert {len(key.split("/")) for key in blobs.bodies} == {5}


def test_a_stub_moves_on_with_its_body(bodies: Bodies, blobs: BlobsInMemory) -> None:
    (change,) = put(bodies, record())
    (moved,) = put(bodies, replace(change.memory, tier="cold"))
    assert moved.memory == replace(change.memory, tier="cold")
    assert (moved.words, blobs.tiers) == (None, {key_of(change.memory): "cold"})


def test_a_stub_that_gets_other_vectors_is_found_by_all_its_words(bodies: Bodies) -> None:
    """Falls without `_with_words`: the words that the index looks for would be those of the stub."""
    (change,) = put(bodies, record())
    vectors = Vectors(unit_vectors(1)[0])
    again = Change(change.memory, 1, "embedded", "sweep backfill", START, vectors=vectors)
    (written,) = bodies.put_away(Commit(scope=SCOPE, changes=(again,))).changes
    assert (written.words, written.memory) == (LONG, change.memory)


def test_a_stub_that_is_made_hot_gets_its_words_back(bodies: Bodies) -> None:
    """Falls without `_words_back`: the record would have lost them."""
    (change,) = put(bodies, record())
    (hot,) = put(bodies, replace(change.memory, tier="hot"))
    assert (hot.memory, hot.body_bytes) == (record(tier="hot"), None)


def test_a_stub_is_not_made_hot_without_the_words_that_are_there(
    bodies: Bodies, blobs: BlobsInMemory
) -> None:
    """Falls where `_words_back` goes on without them: the row would say that these are all."""
    (change,) = put(bodies, record())
    hot = replace(change.memory, tier="hot")
    blobs.put(key_of(hot), b"no zstd")
    with pytest.raises(StoreUnavailable, match="the body of m cannot be read"):
        put(bodies, hot)
    blobs.put(key_of(hot), b"", tier="frozen")
    with pytest.raises(BodyFrozen):
        put(bodies, hot)


def test_a_stub_is_cut_between_letters_and_counted_in_bytes(bodies: Bodies) -> None:
    (change,) = put(bodies, record(content="🪵ü" * 1_000))
    assert (change.memory.content, change.body_bytes) == ("🪵ü" * 100, 6_000)
    assert bodies.one(change.memory).content == "🪵ü" * 1_000


DAMAGE = {
    "is missing": None,
    "cannot be read": b"no zstd",
    "does not match its content_hash": packed_body(b"other words"),
}


@pytest.mark.parametrize("told", DAMAGE)
def test_a_body_that_is_lost_is_told_and_the_others_are_read(
    bodies: Bodies, blobs: BlobsInMemory, told: str
) -> None:
    stubs = [change.memory for change in put(bodies, *(record(id) for id in "abc"))]
    blobs.delete(key_of(stubs[1]))
    if (damage := DAMAGE[told]) is not None:
        blobs.put(key_of(stubs[1]), damage)
    whole, unread = bodies.whole([*stubs, record("d", "short")])
    assert [memory.id for memory in whole] == ["a", "c", "d"]
    assert [one.memory for one in unread] == [stubs[1]]
    with pytest.raises(StoreUnavailable, match=f"the body of b {told}.*mem verify"):
        bodies.one(stubs[1])
    assert bodies.whole_page(RecordPage(tuple(stubs), None)).unread == ("b",)
    assert bodies.whole_or_stubs(stubs)[1] == stubs[1]
    (flaw,) = bodies.flaws(SCOPE, [kept(stub) for stub in stubs])
    assert (flaw.id, flaw.part, flaw.what.startswith(told)) == ("b", "body", True)


def kept(stub: Memory, body_bytes: int | None = len(LONG.encode())) -> StoredRecord:
    told = (StoredStub(2, stub.content_hash, body_bytes), StoredStub(2, stub.content_hash))
    return StoredRecord(id=stub.id, is_there=True, memory=stub, body_bytes=body_bytes, stubs=told)


def test_a_body_of_another_length_than_the_record_says_is_told(bodies: Bodies) -> None:
    (change,) = put(bodies, record())
    assert bodies.flaws(SCOPE, [kept(change.memory)]) == []
    (flaw,) = bodies.flaws(SCOPE, [kept(change.memory, 7)])
    assert flaw.what == f"has {len(LONG.encode())} bytes, and the record says 7"


def test_one_in_deep_archive_is_asked_back_by_who_wants_that_one_alone(
    bodies: Bodies, blobs: BlobsInMemory
) -> None:
    """Falls where an export or a verification brings back all that lies there."""
    (change,) = put(bodies, record(tier="frozen"))
    page = bodies.whole_page(RecordPage((change.memory,), ("a", "b")))
    assert page == RecordPage((), ("a", "b"), (), ("m",))
    assert bodies.flaws(SCOPE, [kept(change.memory)]) == []
    assert bodies.whole_or_stubs([change.memory]) == [change.memory]
    assert blobs.asked_back == []
    with pytest.raises(BodyFrozen) as frozen:
        bodies.one(change.memory)
    assert (blobs.asked_back, frozen.value.retry_after_s) == ([key_of(change.memory)], THAW_S)


def test_a_damaged_body_swells_to_no_more_than_words_have(bodies: Bodies, blobs: BlobsInMemory) -> None:
    """Falls without `max_length`."""
    (change,) = put(bodies, record())
    blobs.put(key_of(change.memory), packed_body(b"a" * 100_000_000))
    tracemalloc.start()
    _, (unread,) = bodies.whole([change.memory])
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "does not match its content_hash" in unread.error.detail
    assert peak_bytes < 20_000_000


def test_erasure_leaves_no_body_of_the_record_and_all_of_the_others(
    bodies: Bodies, blobs: BlobsInMemory
) -> None:
    others = [record("b"), replace(record("a"), tenant="zeta")]
    put(bodies, record("a"), record("a", LONG * 2), *others, *(record(f"n{n}") for n in range(20)))
    bodies.erase(SCOPE, ["a", "never", *(f"n{n}" for n in range(20))])
    assert sorted(blobs.bodies) == sorted(map(key_of, others))


def test_a_project_goes_but_for_what_is_there_again(bodies: Bodies, blobs: BlobsInMemory) -> None:
    near = replace(record("a"), project="web2")
    put(bodies, record("a"), record("b"), record("c"), near)
    assert bodies.erase_project(SCOPE, but=["b"]) == 2
    assert sorted(blobs.bodies) == sorted([key_of(record("b")), key_of(near)])


def test_a_history_reads_a_body_only_for_words_that_no_version_has(
    bodies: Bodies, blobs: BlobsInMemory
) -> None:
    (change,) = put(bodies, record())
    versions = [
        RecordVersion(memory, "moved", "ada", START, None) for memory in (record(tier="hot"), change.memory)
    ]
    blobs.bodies.clear()
    assert [version.memory.content for version in bodies.whole_history(versions)] == [LONG, LONG]
    with pytest.raises(StoreUnavailable, match="is missing"):
        bodies.whole_history(versions[1:])
    assert bodies.whole_versions({"m": versions[1]}) == {}
