"""Snapshots that cannot be read, or are another project's: named, and nothing is done with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.integrity.snapshot import KEPT_DAYS
from memory_layer.errors import Conflict, NotFound
from memory_layer.ports.blobs import BlobStore
from memory_layer.ports.process import Ports
from memory_layer.usecases.transfer.restore_snapshot import LATEST, restore_snapshot
from memory_layer.usecases.transfer.take_snapshot import list_snapshots, take_snapshot
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from tests.given import PROJECT, StandingClock
from tests.project_examples import fill

OTHER = "shop"


class Locked:
    """Blobs of which some may not be read. Args: part_of_key: of theirs."""

    def __init__(self, blobs: BlobStore, part_of_key: str) -> None:
        self._blobs = blobs
        self._part_of_key = part_of_key

    def get(self, key: str) -> bytes | None:
        if self._part_of_key in key:
            raise PermissionError(13, "Permission denied")
        return self._blobs.get(key)

    def put(self, key: str, body: bytes) -> None:
        self._blobs.put(key, body)

    def delete(self, key: str) -> None:
        self._blobs.delete(key)

    def keys(self, prefix: str) -> list[str]:
        return self._blobs.keys(prefix)


def locked(backend: EmbeddedBackend, part_of_key: str) -> Ports:
    return replace(backend.ports, blobs=Locked(backend.ports.blobs, part_of_key))


def copied(backend: EmbeddedBackend, snapshot_id: str) -> None:
    """As with cp -r, to another project."""
    blobs = backend.ports.blobs
    for key in blobs.keys(f"snapshots/acme/{PROJECT}/{snapshot_id}/"):
        blobs.put(key.replace(f"/{PROJECT}/", f"/{OTHER}/"), blobs.get(key) or b"")


@pytest.mark.parametrize("name", ["manifest.json", "part-00001.gz"])
def test_one_that_cannot_be_read_is_named_by_all(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock, name: str
) -> None:
    fill(backend, admin)
    good = take_snapshot(backend.ports, admin, PROJECT)
    clock.advance(seconds=1)
    bad = take_snapshot(backend.ports, admin, PROJECT)
    ports = locked(backend, f"{bad.id}/{name}")
    assert [one.id for one in list_snapshots(ports, admin, PROJECT)] == [bad.id, good.id]
    with pytest.raises(Conflict, match=f"{bad.id} is damaged: .*{name} cannot be read.*{good.id}"):
        restore_snapshot(ports, admin, PROJECT, bad.id)
    verified = verify(ports, admin, PROJECT)
    assert [one.what.split(":")[0] for one in verified.broken] == [f"snapshot {bad.id} is damaged"]
    assert verified.compared_with == good.id
    assert restore_snapshot(ports, admin, PROJECT, LATEST).snapshot == good.id


def test_one_that_cannot_be_read_now_is_not_too_old_to_be_kept(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls without `is_unreadable` in `remove_outdated_snapshots`: it may be the last whole one."""
    fill(backend, admin)
    old = take_snapshot(backend.ports, admin, PROJECT)
    clock.advance(days=timedelta(days=KEPT_DAYS + 1).days)
    take_snapshot(locked(backend, f"{old.id}/manifest"), admin, PROJECT)
    assert old.id in [one.id for one in list_snapshots(backend.ports, admin, PROJECT)]
    take_snapshot(backend.ports, admin, PROJECT)
    assert old.id not in [one.id for one in list_snapshots(backend.ports, admin, PROJECT)]


def test_another_projects_is_not_restored(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without the check of scopes: the records would be written over those of the project they came from."""
    ids = fill(backend, admin)
    snapshot = take_snapshot(backend.ports, admin, PROJECT)
    remember(backend.ports, admin, OTHER, RememberRequest(fields={"id": ids[0], "content": "Of the shop."}))
    copied(backend, snapshot.id)
    for is_dry_run in (True, False):
        with pytest.raises(
            Conflict, match=f"is a record of project {PROJECT} of tenant acme; nothing was changed"
        ):
            restore_snapshot(backend.ports, admin, OTHER, snapshot.id, is_dry_run=is_dry_run)
    with pytest.raises(NotFound):
        restore_snapshot(backend.ports, admin, OTHER, LATEST)
    found = backend.ports.store.memories.every(admin.scope(OTHER), after=None, limit=99).memories
    assert [memory.content for memory in found] == ["Of the shop."]
    (broken,) = verify(backend.ports, admin, OTHER).broken
    assert f"is a record of project {PROJECT}" in broken.what
