"""PUT without If-Match: whoever else stores under the id meanwhile, the last one stands and nobody is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.memory import Memory, Scope
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.write.put import put_memory
from tests.given import ADMIN, PROJECT, put_as, with_parts

ID = "m1"


class OvertakenMemories:
    """The records of a caller whom another one overtakes right after the first look for the record."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._is_overtaken = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ports.store.memories, name)

    def get(self, scope: Scope, id: str, *, with_body: bool = True) -> Memory | None:
        found = self._ports.store.memories.get(scope, id, with_body=with_body)
        if not self._is_overtaken:
            self._is_overtaken = True
            put_as(self._ports, ADMIN, id, "The other one's words.")
        return found


def test_a_record_that_appears_between_two_looks_is_replaced(backend: EmbeddedBackend) -> None:
    """Falls where `_create` refuses every id that is taken when it looks again."""
    stored = put_memory(
        with_parts(backend.ports, memories=OvertakenMemories(backend.ports)),
        ADMIN,
        PROJECT,
        ID,
        {"content": "Our own words."},
    )
    assert (stored.is_new, stored.memory.version) == (False, 2)
    assert get_memory(backend.ports, ADMIN, PROJECT, ID).content == "Our own words."


def test_many_at_once_are_all_stored(backend: EmbeddedBackend) -> None:
    def put(number: int) -> bool:
        return put_memory(backend.ports, ADMIN, PROJECT, ID, {"content": f"Words of {number}."}).is_new

    with ThreadPoolExecutor(16) as callers:
        told = list(callers.map(put, range(16)))
    assert told.count(True) == 1
    assert get_memory(backend.ports, ADMIN, PROJECT, ID).version == 16
