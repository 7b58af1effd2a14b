"""The store looks back: each record as its last change until then left it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.memory import Memory, Scope, Status, content_hash
from memory_layer.ports.commit import Change, Commit, Erasure
from tests.given import SCOPE, START


def memory(id: str, version: int, status: Status = "active") -> Memory:
    content = f"{id} in version {version}"
    return Memory(
        id=id,
        tenant=SCOPE.tenant,
        project=SCOPE.project,
        content=content,
        content_hash=content_hash(content),
        created_by="ada",
        created_at=START,
        updated_at=START,
        version=version,
        status=status,
    )


def at(days: float) -> datetime:
    return START + timedelta(days=days)


def write(
    backend: EmbeddedBackend, changed: Memory, moment: datetime, *, first: int = 1, by: str = "ada"
) -> None:
    before = 0 if changed.version == first else changed.version - 1
    change = Change(changed, before, f"v{changed.version}", by, moment)
    backend.ports.store.writer.commit(Commit(scope=SCOPE, changes=(change,)))


def versions(backend: EmbeddedBackend, moment: datetime, *ids: str) -> dict[str, int]:
    found = backend.ports.store.history.at(SCOPE, ids, moment)
    assert all(one.content == f"{id} in version {one.version}" for id, one in found.items())
    return {id: one.version for id, one in found.items()}


def test_each_record_as_it_was(backend: EmbeddedBackend) -> None:
    """To the microsecond; what was not written yet, and what nobody knows, is left out."""
    for version in (1, 2, 3):
        write(backend, memory("a", version), at(version))
    write(backend, memory("b", 1), at(2))
    tick = timedelta(microseconds=1)
    assert versions(backend, at(1) - tick, "a", "b", "c") == {}
    assert versions(backend, at(1), "a", "b", "c") == {"a": 1}
    assert versions(backend, at(2) - tick, "a", "b") == {"a": 1}
    assert versions(backend, at(2), "a", "b") == {"a": 2, "b": 1}
    assert versions(backend, at(9), "a", "b", "a") == {"a": 3, "b": 1}
    assert versions(backend, at(9)) == {}
    assert backend.ports.store.history.at(Scope("acme", "none"), ["a"], at(9)) == {}


def test_the_last_of_many_changes_is_found(backend: EmbeddedBackend) -> None:
    """More versions than one query of the cloud's store looks at; many of them at one moment."""
    for version in range(1, 31):
        write(backend, memory("a", version), at(version // 3))
    assert versions(backend, at(1), "a") == {"a": 5}
    assert versions(backend, at(0), "a") == {"a": 2}
    assert versions(backend, at(10), "a") == {"a": 30}


def test_many_records_at_once(backend: EmbeddedBackend) -> None:
    ids = [f"m{number:03d}" for number in range(230)]
    changes = [Change(memory(id, 1), 0, "created", "ada", at(1)) for id in ids]
    backend.ports.store.writer.commit_each([Commit(scope=SCOPE, changes=(change,)) for change in changes])
    assert versions(backend, at(1), *ids) == dict.fromkeys(ids, 1)


def test_what_was_erased_never_was(backend: EmbeddedBackend) -> None:
    """A record that was created again begins where it was created, whatever its id once held."""
    write(backend, memory("a", 1), at(1))
    backend.ports.store.writer.commit(Commit(scope=SCOPE, erasures=(Erasure("a", 1),)))
    assert versions(backend, at(9), "a") == {}
    write(backend, memory("a", 3), at(5), first=3)
    assert versions(backend, at(4), "a") == {}
    assert versions(backend, at(5), "a") == {"a": 3}


@pytest.mark.parametrize(
    ("statuses", "since"),
    [
        (["stale"], 1),
        (["active", "stale"], 2),
        (["stale", "active", "stale", "stale"], 3),
        (["active", *["stale"] * 12], 2),
        (["stale", "active"], None),
    ],
)
def test_since_when_a_record_has_its_status(
    backend: EmbeddedBackend, statuses: list[Status], since: int | None
) -> None:
    for version, status in enumerate(statuses, 1):
        write(backend, memory("a", version, status), at(version))
    write(backend, memory("b", 1), at(1))
    found = backend.ports.store.history.in_status_since(SCOPE, ["a", "b", "c"], "stale")
    expected = {} if since is None else {"a": (f"v{since}", at(since), since)}
    assert {id: (one.verb, one.at, one.memory.version) for id, one in found.items()} == expected


def test_who_wrote_a_record_first(backend: EmbeddedBackend) -> None:
    """Of one that was created again this is who created it again."""
    for id, by in (("a", "ada"), ("b", "bot")):
        write(backend, memory(id, 1), at(1), by=by)
        write(backend, memory(id, 2), at(2), by="rae")
    backend.ports.store.writer.commit(Commit(scope=SCOPE, erasures=(Erasure("a", 2),)))
    write(backend, memory("a", 4), at(5), first=4, by="eve")
    write(backend, memory("a", 5), at(6), by="rae")
    wanted = ["a", "b", "none", "a"]
    assert backend.ports.store.history.writers(SCOPE, wanted) == {"a": "eve", "b": "bot"}


def test_another_process_sees_the_same(open_backend: Callable[..., EmbeddedBackend]) -> None:
    write(open_backend(), memory("a", 1), at(1))
    other = open_backend()
    assert versions(other, at(1), "a") == {"a": 1}
    write(other, replace(memory("a", 2)), at(2))
    assert versions(other, at(1), "a") == {"a": 1}
