"""Records whose words lie in a body are read whole everywhere, and leave nothing behind; the same on both backends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.body_format import BODIES_PREFIX, body_key
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.domain.memory import STUB_MAX_CHARS, Memory, Ref, Scope, Tier, content_hash, is_stub
from memory_layer.errors import Conflict, StoreUnavailable, VersionConflict
from memory_layer.ports.commit import Change, Commit, Erasure, Vectors
from memory_layer.ports.index import IndexQuery
from memory_layer.ports.process import Ports
from memory_layer.ports.record_store import RecordStore
from memory_layer.ports.records import RecordPage
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.transfer.export_project import export_lines
from memory_layer.usecases.transfer.import_project import import_lines
from memory_layer.usecases.transfer.restore_snapshot import LATEST, restore_snapshot
from memory_layer.usecases.transfer.take_snapshot import take_snapshot
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.write.forget import erase_memory
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import START, a_memory, created, new_scope
from tests.single_rows import listed

LONG = "When the build hangs on the third worker, raise its memory to 4 GB first. " * 20
WORDS = LONG.encode()
EVERYONE = Viewer(sees_all_personas=True)
DAY = timedelta(days=1)


def put(ports: Ports, memory: Memory, **fields: Any) -> Memory:
    ports.store.writer.commit(Commit(scope=memory.scope, changes=(created(memory, **fields),)))
    return memory


def moved(ports: Ports, memory: Memory, tier: Tier, **fields: Any) -> Memory:
    """As it is read; the commit is given what `memory` has, whole or not."""
    after = replace(memory, tier=tier, version=memory.version + 1, **fields)
    change = Change(after, memory.version, "moved", "sweep tiering", START, "as told")
    ports.store.writer.commit(Commit(scope=memory.scope, changes=(change,)))
    return after


def stub_of(store: RecordStore, memory: Memory) -> Memory:
    return store.memories.get_many(memory.tenant, [memory.ref], with_bodies=False)[memory.ref]


def long_record(scope: Scope, id: str = "m", **fields: Any) -> Memory:
    return a_memory(scope, id, content=f"{LONG}{id}", **fields)


def bodies_of(ports: Ports, scope: Scope) -> list[str]:
    return ports.blobs.keys(f"{BODIES_PREFIX}{scope.tenant}/{scope.project}/")


def test_every_read_gives_all_the_words(backend: EmbeddedBackend, scope: Scope) -> None:
    """Falls where one of the reads gives the stub."""
    ports, store = backend.ports, backend.ports.store
    first = put(ports, long_record(scope, session_id="talk", position=3))
    warm = moved(ports, first, "warm")
    assert stub_of(store, warm) == replace(warm, content=LONG[:STUB_MAX_CHARS])
    assert store.memories.get(scope, "m") == warm
    assert store.memories.get_many(scope.tenant, [warm.ref]) == {warm.ref: warm}
    assert store.memories.whole([stub_of(store, warm)]) == [warm]
    assert store.memories.stored_contents(scope, ["m"]) == {"m": LONG[:STUB_MAX_CHARS]}
    page = store.memories.page(scope, Filters(), EVERYONE, now=START, after=None, limit=9)
    assert page == store.memories.every(scope, after=None, limit=9) == RecordPage((warm,), None)
    assert (
        store.memories.same_content(scope, warm.content_hash)
        == store.sessions.turns(scope, "talk", 0, 9)
        == [warm]
    )
    assert [version.memory for version in store.history.of(scope, "m")] == [first, warm]
    assert store.history.at(scope, ["m"], START + DAY) == {"m": warm}
    assert store.history.in_status_since(scope, ["m"], "active")["m"].memory == first


def test_a_record_goes_all_the_way_down_and_comes_back(backend: EmbeddedBackend, scope: Scope) -> None:
    ports, store = backend.ports, backend.ports.store
    memory = put(ports, long_record(scope))
    for tier in ("warm", "cold", "frozen"):
        memory = moved(ports, stub_of(store, memory), tier)
        assert store.memories.get(scope, "m") == replace(memory, content=f"{LONG}m")
        assert len(bodies_of(ports, scope)) == 1
    hot = moved(ports, stub_of(store, memory), "hot")
    assert stub_of(store, hot) == store.memories.get(scope, "m") == replace(hot, content=f"{LONG}m")
    assert {version.memory.content for version in store.history.of(scope, "m")} == {f"{LONG}m"}


def test_a_move_leaves_the_vectors_as_they_are(backend: EmbeddedBackend, scope: Scope) -> None:
    ports = backend.ports
    vectors = Vectors((np.eye(ports.embedder.dimensions)[1]).astype(np.float32))
    memory = put(ports, long_record(scope, embedding_model=ports.embedder.model), vectors=vectors)
    moved(ports, memory, "warm")
    assert (ports.store.memories.vectors(scope, ["m"])["m"].content == vectors.content).all()


def test_what_a_move_was_too_late_for_stays(backend: EmbeddedBackend, scope: Scope) -> None:
    ports = backend.ports
    memory = put(ports, long_record(scope))
    moved(ports, memory, "hot", confidence=0.5)
    with pytest.raises(VersionConflict):
        moved(ports, memory, "warm")
    found = ports.store.memories.get(scope, "m")
    assert found is not None
    assert (found.tier, found.content, is_stub(found)) == ("hot", f"{LONG}m", False)


def test_a_record_without_a_readable_body_is_left_out_and_named(
    backend: EmbeddedBackend, scope: Scope
) -> None:
    ports, store = backend.ports, backend.ports.store
    good = moved(ports, put(ports, long_record(scope, "good", session_id="talk", position=1)), "warm")
    bad = put(ports, long_record(scope, "bad", session_id="talk", position=2, tier="warm"))
    ports.blobs.delete(body_key(scope, "bad", bad.content_hash))
    with pytest.raises(StoreUnavailable, match="the body of bad is missing"):
        store.memories.get(scope, "bad")
    assert store.memories.get_many(scope.tenant, [good.ref, bad.ref]) == {good.ref: good}
    assert store.memories.every(scope, after=None, limit=9) == RecordPage((good,), None, ("bad",))
    assert store.sessions.turns(scope, "talk", 0, 9) == [good, stub_of(store, bad)]
    with pytest.raises(StoreUnavailable, match="the body of bad is missing"):
        store.history.of(scope, "bad")


@pytest.mark.parametrize("damage", [None, b"", b"no zstd at all"])
def test_a_body_that_is_lost_is_read_from_the_history_if_that_has_the_words(
    backend: EmbeddedBackend, admin: Principal, scope: Scope, damage: bytes | None
) -> None:
    """Falls without `Bodies.beside`: what the same table holds would be lost to every reader and every change."""
    ports, store = backend.ports, backend.ports.store
    warm = moved(ports, put(ports, long_record(scope, session_id="talk", position=1)), "warm")
    key = body_key(scope, "m", warm.content_hash)
    ports.blobs.delete(key)
    if damage is not None:
        ports.blobs.put(key, damage)
    assert store.memories.get(scope, "m") == warm
    assert store.memories.every(scope, after=None, limit=9) == RecordPage((warm,), None)
    assert store.sessions.turns(scope, "talk", 0, 9) == [warm]
    (broken,) = verify(ports, admin, scope.project).broken
    assert (broken.id, broken.part) == ("m", "body")
    moved(ports, moved(ports, warm, "hot"), "warm")
    assert verify(ports, admin, scope.project).broken == ()


def test_a_history_that_says_something_else_is_no_body(backend: EmbeddedBackend, scope: Scope) -> None:
    """Falls without the comparison with content_hash."""
    ports = backend.ports
    first = put(ports, long_record(scope))
    said = f"{LONG}again"
    warm = moved(ports, first, "warm", content=said, content_hash=content_hash(said))
    ports.blobs.delete(body_key(scope, "m", warm.content_hash))
    with pytest.raises(StoreUnavailable, match="the body of m is missing"):
        ports.store.memories.get(scope, "m")


# --- out of recall -----------------------------------------------------------------------------------------------


def asked(ports: Ports, scope: Scope, text: str) -> set[str]:
    query = IndexQuery(
        scopes=(scope,), text=text, vector=None, filters=Filters(), viewer=EVERYONE, now=START, k=20
    )
    arms = listed(ports.index.search(query)).arms
    return {ref.id for ref in (*arms.content_lexical, *arms.context_lexical)}


def test_what_is_cold_is_found_by_no_question_and_warm_by_all_its_words(
    backend: EmbeddedBackend, scope: Scope
) -> None:
    """Falls without the tier in the feed of the RAM index, or in the documents and filters of OpenSearch."""
    ports = backend.ports
    tail = f"{'filler words to begin with ' * 60} zebra"
    ids: tuple[Tier, ...] = ("hot", "warm", "cold", "frozen")
    for id in ids:
        put(ports, a_memory(scope, id, content=f"{tail} {id}", tags=(id,)))
    backend.drain()
    assert asked(ports, scope, "zebra") == set(ids)
    for id in ids:
        moved(ports, a_memory(scope, id, content=f"{tail} {id}", tags=(id,)), id)
    backend.drain()
    assert asked(ports, scope, "zebra") == {"hot", "warm"}
    standing = ports.index.standing((scope,), Filters(), EVERYONE, now=START, k=9).refs()
    assert {ref.id for ref in standing} == {"hot", "warm"}
    found = ports.index.reconcile(scope, after=None, is_dry_run=False)
    assert not any(found.counts.values()), found
    put(ports, a_memory(scope, "brought", content=f"{tail} brought", tier="warm"))
    backend.drain()
    assert asked(ports, scope, "zebra") == {"hot", "warm", "brought"}
    back = ports.store.memories.get(scope, "cold")
    assert back is not None
    moved(ports, back, "hot")
    backend.drain()
    assert asked(ports, scope, "zebra") == {"hot", "warm", "brought", "cold"}


def test_stats_count_all_the_words_wherever_they_lie(backend: EmbeddedBackend, scope: Scope) -> None:
    ports = backend.ports
    size = len(f"{LONG}x".encode()) + len(b"{}")
    for id in "abc":
        put(ports, long_record(scope, id))
    backend.drain()
    before = ports.index.stats(scope, EVERYONE, now=START)
    assert before.tiers == {"hot": (3, 3 * size), "warm": (0, 0), "cold": (0, 0), "frozen": (0, 0)}
    moved(ports, long_record(scope, "a"), "warm")
    moved(ports, long_record(scope, "b"), "cold")
    backend.drain()
    after = ports.index.stats(scope, EVERYONE, now=START)
    assert after.tiers == {"hot": (1, size), "warm": (1, size), "cold": (1, size), "frozen": (0, 0)}
    assert set(before.body_bytes.values()) == {0}
    assert after.body_bytes == {"hot": 0, "warm": size - 2, "cold": size - 2, "frozen": 0}
    assert (after.bytes, after.total) == (before.bytes, 3) == (3 * size, 3)


def test_settled_names_the_unpinned_of_a_tier_by_when_they_changed(
    backend: EmbeddedBackend, scope: Scope
) -> None:
    """Falls without any one of the conditions."""
    ports = backend.ports
    at = {f"m{day}": START + day * DAY for day in range(5)}
    for id, when in at.items():
        put(ports, a_memory(scope, id, updated_at=when))
    put(ports, a_memory(scope, "m1-pinned", updated_at=at["m1"], pinned=True))
    put(ports, a_memory(scope, "m1-warm", updated_at=at["m1"], tier="warm"))
    put(ports, a_memory(replace_project(scope), "m1-elsewhere", updated_at=at["m1"]))
    backend.drain()

    def settled(tier: Tier = "hot", since: int | None = None, until: int = 9, **where: Any) -> list[str]:
        begin = None if since is None else START + since * DAY
        return ports.index.settled(
            scope, tier, since=begin, until=START + until * DAY, **{"after": None, "k": 9, **where}
        )

    assert settled() == [*at]
    assert settled(since=1, until=3) == ["m1", "m2"]
    assert settled("warm") == ["m1-warm"]
    assert settled("cold") == []
    assert settled(k=2) == ["m0", "m1"]
    assert settled(k=2, after="m1") == ["m2", "m3"]
    assert ports.index.settled(new_scope(), "hot", since=None, until=START + DAY, after=None, k=9) == []


def replace_project(scope: Scope) -> Scope:
    return scope._replace(project=f"{scope.project}x")


# --- what goes with a record -------------------------------------------------------------------------------------


def three_bodies(backend: EmbeddedBackend, scope: Scope) -> None:
    """One of them has no version that has the words itself."""
    for id in ("ada", "bob", "eve"):
        tier: Tier = "warm" if id == "eve" else "hot"
        memory = long_record(scope, id, created_by=id, entities=(f"urn:{id}",), tier=tier)
        moved(backend.ports, put(backend.ports, memory), "warm")
    assert len(bodies_of(backend.ports, scope)) == 3


def ids_with_bodies(ports: Ports, scope: Scope) -> set[str]:
    found = bodies_of(ports, scope)
    ids = ("ada", "bob", "eve")
    return {id for id in ids if body_key(scope, id, long_record(scope, id).content_hash) in found}


def test_a_hard_delete_takes_the_body(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a commit's erasures leave the bodies."""
    scope = admin.scope("web")
    three_bodies(backend, scope)
    erase_memory(backend.ports, admin, "web", "bob")
    assert ids_with_bodies(backend.ports, scope) == {"ada", "eve"}
    assert backend.ports.store.history.of(scope, "bob") == []


def test_a_record_whose_body_is_lost_can_be_erased(backend: EmbeddedBackend, admin: Principal) -> None:
    scope = admin.scope("web")
    three_bodies(backend, scope)
    backend.ports.blobs.delete(body_key(scope, "bob", long_record(scope, "bob").content_hash))
    erase_memory(backend.ports, admin, "web", "bob")
    assert stub_ids(backend.ports, scope) == {"ada", "eve"}


def stub_ids(ports: Ports, scope: Scope) -> set[str]:
    refs = [Ref(scope.project, id) for id in ("ada", "bob", "eve")]
    return {ref.id for ref in ports.store.memories.get_many(scope.tenant, refs, with_bodies=False)}


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        (ErasureRule(created_by="bob"), {"ada", "eve"}),
        (ErasureRule(entity="urn:eve"), {"ada", "bob"}),
        (ErasureRule(), set()),
    ],
)
def test_an_erasure_takes_the_bodies(
    backend: EmbeddedBackend, admin: Principal, rule: ErasureRule, left: set[str]
) -> None:
    scope = admin.scope("web")
    three_bodies(backend, scope)
    now = backend.ports.clock.now()
    receipt = erase(backend.ports, admin, "web", rule, id="ers_1", began_at=now)
    assert receipt.stores["records"] == 3 - len(left)
    assert ids_with_bodies(backend.ports, scope) == left
    assert len(bodies_of(backend.ports, scope)) == len(left)


def test_a_body_that_no_record_came_to_use_goes_with_the_record(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """A move that died before its commit, or lost a race. Falls where only the bodies of versions are deleted."""
    scope = admin.scope("web")
    memory = put(backend.ports, long_record(scope, "ada"))
    unused = replace(memory, tier="warm")
    change = Change(unused, 1, "moved", "sweep tiering", START)
    Bodies(backend.ports.blobs).put_away(Commit(scope=scope, changes=(change,)))
    assert len(bodies_of(backend.ports, scope)) == 1
    erase_memory(backend.ports, admin, "web", "ada")
    assert bodies_of(backend.ports, scope) == []


def test_an_id_that_is_used_again_keeps_its_new_body(backend: EmbeddedBackend, scope: Scope) -> None:
    """Falls where an erasure of another record deletes what the first one's id has by now."""
    ports = backend.ports
    warm = moved(ports, put(ports, long_record(scope)), "warm")
    ports.store.writer.commit(Commit(scope=scope, erasures=(Erasure("m", warm.version),)))
    again = long_record(scope, version=4, tier="warm")
    put(ports, again, brings_accesses=True)
    put(ports, long_record(scope, "other"))
    ports.store.writer.commit(Commit(scope=scope, erasures=(Erasure("other", 1),)))
    ports.store.erasures.settle()
    assert ports.store.memories.get(scope, "m") == again


# --- copies ------------------------------------------------------------------------------------------------------


def test_a_snapshot_has_all_words_and_brings_them_back(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a snapshot holds stubs: the words would be gone with the body."""
    ports, scope = backend.ports, admin.scope("web")
    three_bodies(backend, scope)
    before = verify(ports, admin, "web")
    snapshot = take_snapshot(ports, admin, "web")
    assert (snapshot.records, snapshot.left_out_count, snapshot.manifest) == (3, 0, before.manifest)
    unchanged = restore_snapshot(ports, admin, "web", LATEST)
    assert (unchanged.unchanged, unchanged.restored, unchanged.recreated) == (3, 0, 0)
    for key in bodies_of(ports, scope):
        ports.blobs.delete(key)
    assert len(verify(ports, admin, "web").broken) == 3
    restored = restore_snapshot(ports, admin, "web", LATEST)
    assert (restored.restored, restored.unchanged) == (3, 0)
    memory = ports.store.memories.get(scope, "bob")
    assert memory is not None
    assert (memory.content, memory.tier) == (f"{LONG}bob", "warm")
    assert len(bodies_of(ports, scope)) == 3
    assert verify(ports, admin, "web").broken == ()


def test_a_snapshot_leaves_out_what_has_lost_its_body_and_says_so(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    ports, scope = backend.ports, admin.scope("web")
    three_bodies(backend, scope)
    ports.blobs.delete(body_key(scope, "eve", long_record(scope, "eve").content_hash))
    snapshot = take_snapshot(ports, admin, "web")
    assert (snapshot.records, set(snapshot.left_out)) == (2, {"eve"})


def test_an_export_has_all_words_and_another_project_keeps_the_tier(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    ports, scope = backend.ports, admin.scope("web")
    three_bodies(backend, scope)
    lines = list(export_lines(ports, admin, "web"))
    assert f"{LONG}bob" in "".join(lines)
    assert import_lines(ports, admin, "copy", lines).imported == 3
    other = admin.scope("copy")
    found = ports.store.memories.get(other, "bob")
    assert found is not None
    assert (found.content, found.tier, is_stub(stub_of(ports.store, found))) == (f"{LONG}bob", "warm", True)
    assert len(bodies_of(ports, other)) == 3
    ports.blobs.delete(body_key(scope, "eve", long_record(scope, "eve").content_hash))
    with pytest.raises(Conflict, match="eve is damaged"):
        list(export_lines(ports, admin, "web"))
    again = import_lines(ports, admin, "web", lines, on_existing="replace")
    assert (again.replaced, again.unchanged) == (1, 2)
    assert list(export_lines(ports, admin, "web"))[:2] == lines[:2]
    assert verify(ports, admin, "web").broken == ()


# --- the embedded backend alone ----------------------------------------------------------------------------------


@EMBEDDED_ONLY
def test_bodies_that_a_crash_left_behind_an_erasure_go_when_the_file_is_next_opened(
    open_backend: Callable[..., EmbeddedBackend], scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without the table erased_bodies, or if its rows go before the bodies have."""
    backend = open_backend()
    memory = moved(backend.ports, put(backend.ports, long_record(scope)), "warm")
    with monkeypatch.context() as broken:
        broken.setattr(Bodies, "erase", lambda *_: (_ for _ in ()).throw(OSError("I/O error")))
        backend.ports.store.writer.commit(Commit(scope=scope, erasures=(Erasure("m", memory.version),)))
        assert not backend.ports.store.erasures.settle()
    assert len(bodies_of(backend.ports, scope)) == 1
    again = open_backend()
    assert bodies_of(again.ports, scope) == []
    assert again.ports.store.erasures.settle()


@EMBEDDED_ONLY
def test_a_body_written_while_its_record_was_erased_goes_with_the_next_erasure(
    backend: EmbeddedBackend, scope: Scope
) -> None:
    """Falls where the names of erased records are forgotten at once."""
    ports = backend.ports
    memory = put(ports, long_record(scope))
    ports.store.writer.commit(Commit(scope=scope, erasures=(Erasure("m", 1),)))
    late = Change(replace(memory, tier="warm", version=2), 1, "moved", "sweep tiering", START)
    with pytest.raises(VersionConflict):
        ports.store.writer.commit(Commit(scope=scope, changes=(late,)))
    ports.store.erasures.settle()
    assert bodies_of(ports, scope) == []


@EMBEDDED_ONLY
def test_the_words_of_a_warm_record_are_gone_from_its_row(backend: EmbeddedBackend, scope: Scope) -> None:
    ports = backend.ports
    moved(ports, put(ports, long_record(scope)), "warm")
    reader = backend.ports.store.memories._database.reader()  # type: ignore[attr-defined]
    (row,) = reader.execute("SELECT content, body_bytes FROM memories WHERE id = 'm'").fetchall()
    assert row == (LONG[:STUB_MAX_CHARS], len(WORDS) + 1)
