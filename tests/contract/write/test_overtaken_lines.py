"""A batch of which another writer overtakes a line: those that were refused for that line name the one that stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import Duplicate, MemoryLayerError
from memory_layer.ports.commit import Commit
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember, remember_many
from tests.given import PROJECT

RELOAD = "Reload the web server after each change of its sites."


class _Overtaken:
    """Writer before whose first commit somebody else stores the same words."""

    def __init__(self, backend: EmbeddedBackend, who: Principal) -> None:
        self._writer, self._backend, self._who = backend.ports.store.writer, backend, who
        self.first: StoredMemory | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        if self.first is None:
            stored = remember(
                self._backend.ports, self._who, PROJECT, RememberRequest(fields={"content": RELOAD})
            )
            assert isinstance(stored, StoredMemory)
            self.first = stored
        return self._writer.commit_each(commits)


def test_a_line_refused_for_one_that_was_overtaken_names_the_memory_that_stands(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `resting_on_nothing`: the second line named the first one, which nobody stored."""
    writer = _Overtaken(backend, admin)
    ports = replace(backend.ports, store=replace(backend.ports.store, writer=writer))
    batch = [RememberRequest(fields={"id": id, "content": RELOAD}) for id in ("one", "two")]
    results = remember_many(ports, admin, PROJECT, batch)
    assert writer.first is not None
    assert [isinstance(one, Duplicate) and one.twin.id for one in results] == [writer.first.memory.id] * 2
