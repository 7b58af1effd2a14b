"""A damaged item is healed, or left out and named, by whatever way a record is read; nothing seals it anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import keys, lifecycle_keys, record_seals
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Scope
from memory_layer.errors import DamagedRecord, StoreUnavailable
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Embedder, Ports
from memory_layer.usecases.ground.known_damage import known_damage
from memory_layer.usecases.ground.queries import list_memories
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.revise import revise
from tests.aws.conftest import endpoint_of
from tests.aws.deployment import deployed
from tests.aws.receipts_told import shown
from tests.aws.store.test_commits import stored
from tests.engines.dynamodb import DYNAMODB
from tests.engines.opensearch import OPENSEARCH_NODE
from tests.given import PROJECT, START, StandingClock, a_memory, changed, put_as, put_records
from tests.project_examples import fill

pytestmark = pytest.mark.engines

EVERYONE = Viewer(sees_all_personas=True)
DAY = timedelta(days=1)


def set_attribute(table: tuple[Any, str], key: keys.Key, name: str, value: dict[str, Any]) -> None:
    client, table_name = table
    client.update_item(
        TableName=table_name,
        Key=key,
        UpdateExpression="SET #name = :value",
        ExpressionAttributeNames={"#name": name},
        ExpressionAttributeValues={":value": value},
    )


def damage(table: tuple[Any, str], scope: Scope, id: str, *, and_version: int | None = 1) -> None:
    """Changes an attribute of a record and, if asked to, of the copy in its history."""
    set_attribute(table, keys.record_key(scope, id), "summary", {"S": "Nothing of this was said."})
    if and_version is not None:
        set_attribute(table, keys.version_key(scope, id, and_version), "before", {"N": "77"})


# ---- the store


def test_what_is_written_is_sealed_and_stays_so(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    """DynamoDB gives back every attribute as it was sealed: numbers, lists, maps and documents."""
    memory = a_memory(
        scope, detail={"share": 0.1, "b": [1, None]}, tags=("api", "src/**"), outcome_score=-0.5
    )
    put_records(store, memory)
    item = stored(table, keys.record_key(scope, "m1"))
    assert item is not None
    assert record_seals.holds_seal(item)
    store.writer.commit(Commit(scope=scope, changes=(changed(memory, tags=("seen",), pinned=True),)))
    store.accesses.count({(scope, "m1"): shown(3, START + DAY)})
    item = stored(table, keys.record_key(scope, "m1"))
    assert item is not None
    assert record_seals.holds_seal(item)
    after = replace(memory, version=2, tags=("seen",), pinned=True)
    assert store.memories.get(scope, "m1") == replace(after, access_count=3, last_accessed_at=START + DAY)


def test_an_item_is_healed_as_it_was(store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]) -> None:
    put_records(store, a_memory(scope, expires_at=START + DAY, session_id="talk", position=1))
    store.accesses.count({(scope, "m1"): shown(3, START)})
    before, item = store.memories.get(scope, "m1"), stored(table, keys.record_key(scope, "m1"))
    for name, value in (("content", {"S": "No."}), ("version", {"N": "9"}), ("kind", {"S": "tombstone"})):
        set_attribute(table, keys.record_key(scope, "m1"), name, value)
        assert store.memories.get(scope, "m1") == before
        assert stored(table, keys.record_key(scope, "m1")) == item
    assert store.integrity.known_damage() == []


def test_every_read_leaves_it_out_and_names_it(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a way of reading goes past `SoundItems`."""
    monkeypatch.setattr(lifecycle_keys, "DUE_EPOCH", START - 2 * DAY)
    told = {"session_id": "talk", "expires_at": START + DAY}
    one, other = a_memory(scope, "m1", position=1, **told), a_memory(scope, "m2", position=2, **told)
    put_records(store, one, other)
    damage(table, scope, "m1")
    with pytest.raises(DamagedRecord, match=r"m1 is damaged.*mem verify.*mem restore latest"):
        store.memories.get(scope, "m1")
    refs = [one.ref, other.ref]
    assert store.memories.get_many(scope.tenant, refs) == {other.ref: other}
    assert set(store.memories.with_vectors(scope.tenant, refs)) == {other.ref}
    assert store.sessions.turns(scope, "talk", 0, 9) == [other]
    assert store.sessions.last_turns(scope, "talk", 9) == [other]
    assert store.memories.same_content(scope, one.content_hash) == []
    page = store.memories.page(scope, Filters(), EVERYONE, now=START, after=None, limit=9)
    assert (page.memories, page.unread) == ((other,), ("m1",))
    every = store.memories.every(scope, after=None, limit=9)
    assert (every.memories, every.unread) == ((other,), ("m1",))
    due = store.sweeps.due(START + 2 * DAY, since=None, after=None, limit=500)
    mine = [memory for memory in due.memories if memory.scope == scope]
    assert (mine, [one for one in due.damaged if scope.project in one]) == (
        [other],
        [f"{scope.project}: m1 is damaged; run: mem verify -p {scope.project}"],
    )
    assert store.memories.damaged_among(scope.tenant, refs) == [one.ref]
    assert (scope, "m1") in store.integrity.known_damage()


def test_a_page_goes_on_behind_damaged_records(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    """Falls where the next page begins behind the last sound record of this one, and this one has none."""
    ids = [f"m{number}" for number in range(6)]
    put_records(
        store, *(a_memory(scope, id, created_at=START + timedelta(hours=n)) for n, id in enumerate(ids))
    )
    for id in ids[1:]:
        damage(table, scope, id)
    found, named, after = list[str](), list[str](), None
    for _ in range(2 * len(ids)):
        page = store.memories.page(scope, Filters(), EVERYONE, now=START, after=after, limit=1)
        found, named, after = [*found, *(m.id for m in page.memories)], [*named, *page.unread], page.next_key
        if after is None:
            break
    assert (found, sorted(named)) == (ids[:1], ids[1:])


def test_nobody_reads_the_id_of_what_is_not_theirs(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    """Falls where a page names all that is damaged, and not only what the viewer may see."""
    put_records(store, a_memory(scope, persona="reviewer"))
    damage(table, scope, "m1")
    for viewer, named in ((Viewer.of("builder"), ()), (Viewer.of("reviewer"), ("m1",))):
        assert store.memories.page(scope, Filters(), viewer, now=START, after=None, limit=9).unread == named


def test_a_damaged_version_is_not_shown(
    store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]
) -> None:
    put_records(store, a_memory(scope))
    set_attribute(table, keys.version_key(scope, "m1", 1), "by", {"S": "nobody"})
    with pytest.raises(StoreUnavailable, match="version 1 of m1 is damaged"):
        store.history.of(scope, "m1")
    assert store.history.at(scope, ["m1"], START + DAY) == {}


# ---- the use cases


@pytest.fixture
def cloud(
    tmp_path: Path, embedder: Embedder, clock: StandingClock
) -> Iterator[tuple[EmbeddedBackend, tuple[Any, str]]]:
    with deployed(endpoint_of(DYNAMODB), endpoint_of(OPENSEARCH_NODE), tmp_path, embedder) as deployment:
        backend = deployment.open(clock=clock)
        yield backend, (deployment._client, deployment.settings.records_table)
        backend.close()


CHANGES: dict[str, Callable[[Ports, Principal], object]] = {
    "revise": lambda ports, by: revise(ports, by, PROJECT, "pnpm", {"tags": ("seen",)}),
    "outcome": lambda ports, by: report_outcome(ports, by, PROJECT, "pnpm", OutcomeReport(result="worked")),
    "archive": lambda ports, by: archive_memory(ports, by, PROJECT, "pnpm"),
    "approve": lambda ports, by: approve_memory(ports, by, PROJECT, "pnpm"),
    "put": lambda ports, by: put_as(ports, by, "pnpm", "Something quite different is said here."),
}


def test_it_is_told_not_served_and_never_written_as_if_sound(
    cloud: tuple[EmbeddedBackend, tuple[Any, str]], admin: Principal
) -> None:
    (backend, table), scope = cloud, admin.scope(PROJECT)
    ports = backend.ports
    fill(backend, admin)
    found = ports.store.memories.get(scope, "pnpm")
    assert found is not None
    damage(table, scope, "pnpm", and_version=found.version)
    item = stored(table, keys.record_key(scope, "pnpm"))
    answer = recall(ports, admin, PROJECT, RecallRequest(query="which package manager, pnpm or npm?"))
    assert "pnpm" not in {hit.memory.id for hit in answer.memories}
    assert answer.note == "pnpm: damaged and left out: mem verify names what is broken"
    page = list_memories(ports, admin, PROJECT, Filters(), after=None, limit=50)
    assert page.unread == ("pnpm",)
    assert known_damage(ports).records == 1
    for change in CHANGES.values():
        with pytest.raises(DamagedRecord):
            change(ports, admin)
    assert stored(table, keys.record_key(scope, "pnpm")) == item
    assert {one.part for one in verify(ports, admin, PROJECT).broken if one.id == "pnpm"} >= {
        "record",
        "version",
    }


def test_a_change_and_the_sweep_heal_first(
    cloud: tuple[EmbeddedBackend, tuple[Any, str]], admin: Principal
) -> None:
    """Falls without `mend`."""
    (backend, table), scope = cloud, admin.scope(PROJECT)
    fill(backend, admin)
    damage(table, scope, "pnpm", and_version=None)
    revised = revise(backend.ports, admin, PROJECT, "pnpm", {"tags": ("seen",)}).memory
    assert (revised.tags, revised.summary == "Nothing of this was said.") == (("seen",), False)
    damage(table, scope, "wal", and_version=None)
    report = run_sweep(backend.ports, "verify", holder="test", seconds=60)
    assert (report.did, report.failed) == ({"healed": 1}, ())
    assert verify(backend.ports, admin, PROJECT).broken == ()
