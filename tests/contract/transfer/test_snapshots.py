"""A snapshot brings a project back as it was; one that is damaged brings back nothing."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.integrity.snapshot import Snapshot, time_of
from memory_layer.domain.memory import Memory
from memory_layer.errors import Conflict, Forbidden, NotFound, StoreUnavailable
from memory_layer.ports.blobs import BlobStore
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.queries import get_memory, memory_history
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.configure import get_policy, set_policy
from memory_layer.usecases.transfer.restore_snapshot import LATEST, restore_snapshot
from memory_layer.usecases.transfer.take_snapshot import list_snapshots, take_snapshot
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.revise import revise
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import PROJECT, NoEmbedder, StandingClock, with_parts
from tests.project_examples import fill

_COUNTS = {"access_count": 0, "last_accessed_at": None, "version": 1}


def every(ports: Ports, principal: Principal) -> dict[str, Memory]:
    """Records by id, but for what a restoration counts on."""
    page = ports.store.memories.every(principal.scope(PROJECT), after=None, limit=99)
    return {memory.id: replace(memory, **_COUNTS) for memory in page.memories}  # type: ignore[arg-type]


def take(backend: EmbeddedBackend, admin: Principal) -> Snapshot:
    return take_snapshot(backend.ports, admin, PROJECT)


def keys_of(backend: EmbeddedBackend, snapshot: Snapshot) -> list[str]:
    return backend.ports.blobs.keys(f"snapshots/acme/{PROJECT}/{snapshot.id}/")


def test_what_was_taken_is_listed_and_is_the_verified_project(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    ids = fill(backend, admin)
    snapshot = take(backend, admin)
    assert list_snapshots(backend.ports, admin, PROJECT) == [snapshot]
    assert snapshot.manifest == verify(backend.ports, admin, PROJECT).manifest
    assert (snapshot.records, snapshot.left_out_count, snapshot.is_whole) == (len(ids), 0, True)
    assert snapshot.bytes == sum(
        len(backend.ports.blobs.get(key) or b"") for key in keys_of(backend, snapshot) if key.endswith(".gz")
    )


def test_all_that_was_changed_or_archived_comes_back_and_what_was_erased_does_not(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    ports = backend.ports
    fill(backend, admin)
    before = every(ports, admin)
    snapshot = take(backend, admin)
    revise(ports, admin, PROJECT, "wal", {"content": "SQLite runs in rollback mode."})
    archive_memory(ports, admin, PROJECT, "deploy")
    erase_memory(ports, admin, PROJECT, "pnpm")
    remember(
        ports, admin, PROJECT, RememberRequest(fields={"id": "later", "content": "Linters run before tests."})
    )
    later = every(ports, admin)["later"]

    planned = restore_snapshot(ports, admin, PROJECT, snapshot.id, is_dry_run=True)
    assert every(ports, admin)["wal"].content == "SQLite runs in rollback mode."
    done = restore_snapshot(ports, admin, PROJECT, snapshot.id)

    assert replace(planned, is_dry_run=False) == done
    del before["pnpm"]
    assert every(ports, admin) == {**before, "later": later}
    assert (done.restored, done.recreated, done.unchanged, done.erased) == (2, 0, len(before) - 2, 1)
    assert (done.created_after.ids, sorted(done.changed_after.ids)) == (["later"], ["deploy", "wal"])
    last = memory_history(ports, admin, PROJECT, "wal")[-1]
    assert (last.verb, last.by, last.reason) == ("restored", admin.name, f"as in snapshot {snapshot.id}")
    assert ports.store.memories.last_versions(admin.scope(PROJECT), ["pnpm"]) == {"pnpm": 2}
    assert verify(ports, admin, PROJECT).broken == ()
    backend.drain()
    found = recall(ports, admin, PROJECT, RecallRequest(query="which package manager"))
    assert "pnpm" not in [ranked.memory.id for ranked in found.memories]


def test_a_second_time_nothing_is_written(backend: EmbeddedBackend, admin: Principal) -> None:
    fill(backend, admin)
    snapshot = take(backend, admin)
    revise(backend.ports, admin, PROJECT, "wal", {"content": "SQLite runs in rollback mode."})
    restore_snapshot(backend.ports, admin, PROJECT, LATEST)
    versions = backend.ports.store.memories.last_versions(admin.scope(PROJECT), ["wal", "pnpm"])
    again = restore_snapshot(backend.ports, admin, PROJECT, snapshot.id)
    assert (again.restored, again.recreated, again.unchanged) == (0, 0, snapshot.records)
    assert backend.ports.store.memories.last_versions(admin.scope(PROJECT), ["wal", "pnpm"]) == versions


class BreaksDown:
    """A writer of commits that fails in the middle of the writing. Args: after: so many records are written."""

    def __init__(self, writer: Any, after: int) -> None:
        self._writer = writer
        self._left = after

    def commit_each(self, commits: Any) -> Any:
        self._writer.commit_each(commits[: self._left])
        raise StoreUnavailable("the light went out")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


def test_a_restoration_that_broke_down_is_completed(backend: EmbeddedBackend, admin: Principal) -> None:
    ports = backend.ports
    ids = fill(backend, admin)
    before = every(ports, admin)
    take(backend, admin)
    for id in ids:
        archive_memory(ports, admin, PROJECT, id)
    with pytest.raises(StoreUnavailable):
        restore_snapshot(with_parts(ports, writer=BreaksDown(ports.store.writer, 3)), admin, PROJECT, LATEST)
    written = 3 if ports.transactions is None else 0
    done = restore_snapshot(ports, admin, PROJECT, LATEST)
    assert (done.restored, done.unchanged) == (len(ids) - written, written)
    assert every(ports, admin) == before


@EMBEDDED_ONLY
def test_an_empty_store_gets_everything_back(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, tmp_path: Any
) -> None:
    backend = open_backend()
    ids = fill(backend, admin)
    set_policy(backend.ports, admin, PROJECT, lambda policy: replace(policy, privacy_mode="personal"))
    before = every(backend.ports, admin)
    snapshot = take(backend, admin)
    backend.close()
    for file in (tmp_path / "data").glob("memory.sqlite3*"):
        file.unlink()
    backend = open_backend()
    missed = {one.id for one in verify(backend.ports, admin, PROJECT).broken}
    done = restore_snapshot(backend.ports, admin, PROJECT, LATEST)
    assert missed == set(ids)
    assert (done.snapshot, done.recreated, done.settings) == (snapshot.id, len(ids), "restored")
    assert every(backend.ports, admin) == before
    assert get_policy(backend.ports, admin, PROJECT).privacy_mode == "personal"
    assert verify(backend.ports, admin, PROJECT).broken == ()
    found = recall(backend.ports, admin, PROJECT, RecallRequest(query="which package manager"))
    assert "pnpm" in [ranked.memory.id for ranked in found.memories]


def test_settings_that_a_project_has_stay(backend: EmbeddedBackend, admin: Principal) -> None:
    fill(backend, admin)
    set_policy(backend.ports, admin, PROJECT, lambda policy: replace(policy, privacy_mode="personal"))
    take(backend, admin)
    set_policy(backend.ports, admin, PROJECT, lambda policy: replace(policy, privacy_mode="off"))
    assert restore_snapshot(backend.ports, admin, PROJECT, LATEST).settings == "kept"
    assert get_policy(backend.ports, admin, PROJECT).privacy_mode == "off"


def damage(blobs: BlobStore, key: str) -> None:
    body = bytearray(blobs.get(key) or b"")
    body[len(body) // 2] ^= 4
    blobs.put(key, bytes(body))


@pytest.mark.parametrize("which", ["part-00001.gz", "list-00001.gz", "manifest.json"])
def test_a_damaged_snapshot_changes_nothing_and_names_the_last_good_one(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock, which: str
) -> None:
    """Falls without the digest of a part, and without that of the manifest."""
    ports = backend.ports
    fill(backend, admin)
    good = take(backend, admin)
    clock.advance(hours=1)
    bad = take(backend, admin)
    (key,) = [key for key in keys_of(backend, bad) if key.endswith(which)]
    damage(ports.blobs, key)
    revise(ports, admin, PROJECT, "wal", {"content": "SQLite runs in rollback mode."})
    before = every(ports, admin)
    with pytest.raises(Conflict, match=f"{bad.id} is damaged.*nothing was changed.*{good.id}"):
        restore_snapshot(ports, admin, PROJECT, bad.id)
    assert every(ports, admin) == before
    found = verify(ports, admin, PROJECT)
    assert [one.part for one in found.broken] == ["file"]
    assert (bad.id in found.broken[0].what, found.compared_with) == (True, good.id)
    assert restore_snapshot(ports, admin, PROJECT, LATEST).snapshot == good.id


def test_a_missing_part_is_damage_too(backend: EmbeddedBackend, admin: Principal) -> None:
    fill(backend, admin)
    snapshot = take(backend, admin)
    backend.ports.blobs.delete(f"snapshots/acme/{PROJECT}/{snapshot.id}/part-00001.gz")
    with pytest.raises(Conflict, match=r"part-00001\.gz is missing; nothing was changed; there is no other"):
        restore_snapshot(backend.ports, admin, PROJECT, snapshot.id)
    with pytest.raises(NotFound, match="no sound snapshot"):
        restore_snapshot(backend.ports, admin, PROJECT, LATEST)


def test_without_its_manifest_a_snapshot_does_not_exist(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    fill(backend, admin)
    snapshot = take(backend, admin)
    backend.ports.blobs.delete(f"snapshots/acme/{PROJECT}/{snapshot.id}/manifest.json")
    assert list_snapshots(backend.ports, admin, PROJECT) == []
    with pytest.raises(NotFound, match=snapshot.id):
        restore_snapshot(backend.ports, admin, PROJECT, snapshot.id)
    clock.advance(days=2)
    take(backend, admin)
    assert keys_of(backend, snapshot) == []


@pytest.mark.parametrize("id", ["snp_1", "../../other/web/snp_20260301T120000Z_00000001", "", "latest "])
def test_an_id_that_is_none_reaches_no_blob(backend: EmbeddedBackend, admin: Principal, id: str) -> None:
    with pytest.raises(NotFound):
        restore_snapshot(backend.ports, admin, PROJECT, id)


def test_snapshots_are_an_admins_and_a_projects(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    fill(backend, admin)
    snapshot = take(backend, admin)
    for use in (
        lambda: take_snapshot(backend.ports, agent, PROJECT),
        lambda: list_snapshots(backend.ports, agent, PROJECT),
        lambda: restore_snapshot(backend.ports, agent, PROJECT, snapshot.id),
    ):
        with pytest.raises(Forbidden, match="admin"):
            use()
    other = replace(admin, tenant="rival")
    assert list_snapshots(backend.ports, other, PROJECT) == []
    with pytest.raises(NotFound):
        restore_snapshot(backend.ports, other, PROJECT, snapshot.id)
    with pytest.raises(NotFound):
        restore_snapshot(backend.ports, admin, "webshop", snapshot.id)


def test_after_35_days_a_snapshot_goes_but_never_the_last_good_one(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls without `remove_outdated_snapshots`, and without the exception it makes."""
    fill(backend, admin)
    taken = []
    for _ in range(4):
        taken.append(take(backend, admin))
        clock.advance(days=20)
    assert [one.id for one in list_snapshots(backend.ports, admin, PROJECT)] == [taken[3].id, taken[2].id]
    assert keys_of(backend, taken[0]) == []
    clock.advance(days=200)
    damage(backend.ports.blobs, f"snapshots/acme/{PROJECT}/{taken[3].id}/manifest.json")
    newest = take(backend, admin)
    assert [one.id for one in list_snapshots(backend.ports, admin, PROJECT)] == [newest.id]


def test_an_id_tells_its_time(backend: EmbeddedBackend, admin: Principal, clock: StandingClock) -> None:
    assert time_of(take(backend, admin).id) == clock.now()
    with pytest.raises(ValueError, match="no snapshot"):
        time_of("snp_yesterday")


def test_parts_are_lines_that_other_tools_can_read(backend: EmbeddedBackend, admin: Principal) -> None:
    ids = fill(backend, admin)
    snapshot = take(backend, admin)
    (part,) = snapshot.parts
    body = backend.ports.blobs.get(f"snapshots/acme/{PROJECT}/{snapshot.id}/{part.name}")
    lines = [json.loads(line) for line in gzip.decompress(body or b"").decode().split("\n")[:-1]]
    assert sorted(line["record"]["id"] for line in lines) == ids


@EMBEDDED_ONLY
def test_a_record_lost_with_its_history_left_behind_goes_on_counting(
    backend: EmbeddedBackend, admin: Principal, tmp_path: Any
) -> None:
    """Falls where the new version is counted from the snapshot's alone: that number is taken."""
    fill(backend, admin)
    before = every(backend.ports, admin)
    take(backend, admin)
    for number in range(3):
        revise(backend.ports, admin, PROJECT, "pnpm", {"content": f"This project uses npm {number}."})
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM memories WHERE id = 'pnpm'")
    done = restore_snapshot(backend.ports, admin, PROJECT, LATEST)
    assert done.recreated == 1
    assert every(backend.ports, admin) == before
    assert backend.ports.store.memories.last_versions(admin.scope(PROJECT), ["pnpm"]) == {"pnpm": 5}


@EMBEDDED_ONLY
def test_a_damaged_record_is_left_out_and_restored_from_the_snapshot_before(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock, tmp_path: Any
) -> None:
    """Falls where a snapshot takes a record without its seal: the damage would be vouched for."""
    fill(backend, admin)
    before = every(backend.ports, admin)
    whole = take(backend, admin)
    with sqlite3.connect(tmp_path / "data" / "memory.sqlite3") as connection:
        connection.execute("UPDATE memories SET content = 'This project uses yarn.' WHERE id = 'pnpm'")
        connection.execute("UPDATE memories SET created_at = 'yesterday' WHERE id = 'wal'")
    connection.close()
    clock.advance(days=40)
    damaged = take(backend, admin)
    assert (damaged.left_out, damaged.left_out_count, damaged.is_whole) == (("pnpm", "wal"), 2, False)
    assert [one.id for one in list_snapshots(backend.ports, admin, PROJECT)] == [damaged.id, whole.id]
    done = restore_snapshot(backend.ports, admin, PROJECT, whole.id)
    assert (done.restored, sorted(done.changed_after.ids)) == (2, ["pnpm", "wal"])
    assert every(backend.ports, admin) == before
    assert {one.part for one in verify(backend.ports, admin, PROJECT).broken} <= {"version"}


def test_vectors_of_another_model_are_made_anew(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal
) -> None:
    """Falls where a snapshot's vectors come back whichever model they are of: nothing searches those."""
    without, backend = open_backend(embedder=NoEmbedder()), open_backend()
    stored = remember(
        without.ports, admin, PROJECT, RememberRequest(fields={"id": "m1", "content": "SQLite has a WAL."})
    )
    assert isinstance(stored, StoredMemory)
    assert stored.memory.embedding_model is None
    snapshot = take_snapshot(without.ports, admin, PROJECT)
    archive_memory(backend.ports, admin, PROJECT, "m1")
    restore_snapshot(backend.ports, admin, PROJECT, snapshot.id)
    assert get_memory(backend.ports, admin, PROJECT, "m1").embedding_model == backend.ports.embedder.model
    assert restore_snapshot(backend.ports, admin, PROJECT, snapshot.id).unchanged == 1
