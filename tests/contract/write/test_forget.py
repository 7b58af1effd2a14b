"""A hard delete takes every word with it: versions, neighbours' contexts, answers, and what recall finds."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import Forbidden, NotFound
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.ground.queries import memory_history
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.revise import revise
from tests.contract.conftest import EMBEDDED_ONLY

MARKER = "zanzibar-marker"


def test_no_neighbour_remembers_an_erased_turn(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `retract_quotes`, and without the echoes of the erasure."""
    said = ["We ship on Friday.", f"The code is {MARKER}.", "Understood, on Friday."]
    told = add_turns(
        backend.ports, admin, "web", "talk", [RememberRequest(fields={"content": text}) for text in said]
    )
    backend.drain()
    ids = [result.memory.id for result in told if isinstance(result, StoredMemory)]
    revise(backend.ports, admin, "web", ids[1], {"content": f"The new code is {MARKER} too."})
    erase_memory(backend.ports, admin, "web", ids[1])
    backend.drain()
    for id in (ids[0], ids[2]):
        assert MARKER not in repr(memory_history(backend.ports, admin, "web", id))
    found = recall(backend.ports, admin, "web", RecallRequest(query=MARKER, strategy="lexical"))
    assert found.memories == ()


def test_no_neighbour_remembers_a_turn_that_has_moved_on(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where an erasure looks at the last place alone, or at the last words."""
    said = ["We ship on Friday.", f"The code is {MARKER}.", "Understood, on Friday."]
    told = add_turns(
        backend.ports, admin, "web", "talk", [RememberRequest(fields={"content": text}) for text in said]
    )
    backend.drain()
    ids = [result.memory.id for result in told if isinstance(result, StoredMemory)]
    revise(
        backend.ports, admin, "web", ids[1], {"session_id": "else", "position": 7, "content": "Never mind."}
    )
    revise(backend.ports, admin, "web", ids[1], {"session_id": None, "position": None})
    erase_memory(backend.ports, admin, "web", ids[1])
    for id in (ids[0], ids[2]):
        assert MARKER not in repr(memory_history(backend.ports, admin, "web", id))


def test_a_repeated_request_does_not_bring_an_erased_memory_back(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    once = IdempotentRequest(
        "k", "k", "same", lambda stored: (201, f'{{"content": "{stored.memory.content}"}}')
    )
    asked = RememberRequest(fields={"content": MARKER, "id": "m"}, once=once)
    remember(backend.ports, admin, "web", asked)
    erase_memory(backend.ports, admin, "web", "m")
    with pytest.raises(NotFound, match="erased"):
        remember(backend.ports, admin, "web", asked)


@EMBEDDED_ONLY
def test_no_byte_of_it_is_left_in_the_folder(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without secure_delete, and wherever a table is forgotten; the log is emptied first, as at every stop."""
    once = IdempotentRequest("k", "k", "same", lambda stored: (201, stored.memory.content))
    remember(
        backend.ports,
        admin,
        "web",
        RememberRequest(fields={"content": f"{MARKER} is the code", "id": "m"}, once=once),
    )
    told = add_turns(
        backend.ports,
        admin,
        "web",
        "talk",
        [RememberRequest(fields={"content": text}) for text in ("Hm.", MARKER, "Yes.")],
    )
    backend.drain()
    erase_memory(backend.ports, admin, "web", "m")
    for result in told:
        assert isinstance(result, StoredMemory)
        if MARKER in result.memory.content:
            erase_memory(backend.ports, admin, "web", result.memory.id)
    database = backend.ports.store.memories._database  # type: ignore[attr-defined]
    database.reader().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert [
        path for path in database.path.parent.rglob("*") if path.is_file() and MARKER in _text(path)
    ] == []


def _text(path) -> str:  # type: ignore[no-untyped-def]
    return path.read_bytes().decode("latin-1")


def test_what_others_created_is_erased_by_an_admin_only(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    reviewer = Principal(tenant="acme", subject="rob", roles=frozenset({"reviewer"}))
    remember(backend.ports, agent, "web", RememberRequest(fields={"content": "mine", "id": "m"}))
    with pytest.raises(Forbidden, match="only they or an admin"):
        erase_memory(backend.ports, reviewer, "web", "m")
    erase_memory(backend.ports, admin, "web", "m")
