"""Behind a write, the index of a project that is in use follows by itself; a search reads the log all the same."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_layer.adapters.embedded.ram_index.follower import Follower
from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.memory import Scope
from memory_layer.errors import MemoryLayerError
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.settings import read_settings
from tests.given import NoEmbedder, recalled_ids, remembered

USED, UNUSED = Scope("local", "used"), Scope("local", "unused")


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[EmbeddedBackend]:
    opened = open_embedded(read_settings(data_dir=tmp_path), embedder=NoEmbedder())
    yield opened
    opened.close()


def write(backend: EmbeddedBackend, scope: Scope, content: str) -> str:
    return remembered(backend.ports, LOCAL_PRINCIPAL, content, project=scope.project).id


def found(backend: EmbeddedBackend, query: str) -> list[str]:
    return recalled_ids(backend.ports, LOCAL_PRINCIPAL, query, project=USED.project)


def seen(backend: EmbeddedBackend, scope: Scope) -> int:
    """Position of the log up to which the index in RAM has come, without bringing it there."""
    projects = backend.ports.index._projects._projects  # type: ignore[attr-defined]
    return int(projects[scope].seen) if scope in projects else 0


def test_the_index_of_a_project_in_use_follows_a_write_by_itself(backend: EmbeddedBackend) -> None:
    """Safeguard: `Follower.note` after each commit; the next recall would pay for the write."""
    write(backend, USED, "alpha first")
    backend.drain()
    assert seen(backend, USED) == 0, "nobody has searched it: it is not loaded for a write"
    found(backend, "alpha")
    before = seen(backend, USED)
    write(backend, USED, "beta second")
    write(backend, UNUSED, "gamma elsewhere")
    backend.drain()
    assert seen(backend, USED) == before + 1
    assert seen(backend, UNUSED) == 0


def test_a_search_sees_a_write_that_nobody_followed(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note is a hint: lost, or of a write by another process, it changes no answer."""
    first = write(backend, USED, "alpha first")
    assert found(backend, "alpha") == [first]
    monkeypatch.setattr(Follower, "note", lambda *_: None)
    second = write(backend, USED, "beta second")
    assert found(backend, "beta") == [second]


def test_a_write_that_is_rolled_back_leaves_nothing(backend: EmbeddedBackend) -> None:
    first = write(backend, USED, "alpha first")
    assert found(backend, "alpha") == [first]
    assert backend.ports.transactions is not None
    with pytest.raises(MemoryLayerError):
        _write_in_vain(backend)
    backend.drain()
    assert found(backend, "beta") == []
    with backend.ports.transactions.begin():
        second = write(backend, USED, "beta third")
        backend.drain()
    assert found(backend, "beta") == [second]


def _write_in_vain(backend: EmbeddedBackend) -> None:
    assert backend.ports.transactions is not None
    with backend.ports.transactions.begin():
        write(backend, USED, "beta second")
        backend.drain()
        raise MemoryLayerError("the transaction fails")


def test_writes_one_after_the_other_are_followed_together() -> None:
    """Safeguard: the notes kept while it works; each of many writes would take as long as all together."""
    followed: list[Scope] = []
    has_begun, may_go_on = threading.Event(), threading.Event()

    def follow(scope: Scope) -> None:
        followed.append(scope)
        has_begun.set()
        may_go_on.wait(30)

    follower = Follower(follow)
    follower.note(UNUSED)
    assert has_begun.wait(30)
    for _ in range(100):
        follower.note(USED)
    may_go_on.set()
    follower.drain()
    assert followed == [UNUSED, USED]
    follower.close()


def test_what_fails_is_left_to_the_next_search_and_the_others_go_on() -> None:
    followed: list[Scope] = []

    def follow(scope: Scope) -> None:
        followed.append(scope)
        if scope == UNUSED:
            raise MemoryLayerError("damaged")

    follower = Follower(follow)
    for scope in (UNUSED, USED):
        follower.note(scope)
        follower.drain()
    assert followed == [UNUSED, USED]
    follower.close()
    follower.note(USED)
    follower.drain()
    assert followed == [UNUSED, USED], "a closed one does no more"
    assert follower._thread is not None
    assert not follower._thread.is_alive()
