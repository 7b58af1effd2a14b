"""A correction is a new memory too: what another one says already takes the place by its id."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import Conflict, Duplicate, Invalid
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import StandingClock, with_parts

WRONG = "A DynamoDB transaction holds at most 25 actions."
RIGHT = "A DynamoDB transaction holds at most 100 actions."


def test_a_correction_may_be_like_what_it_corrects(backend: EmbeddedBackend, admin: Principal) -> None:
    remember(backend.ports, admin, "web", RememberRequest(fields={"content": WRONG, "id": "old"}))
    stored = supersede_memory(backend.ports, admin, "web", "old", {"content": RIGHT})
    assert isinstance(stored, StoredMemory)
    assert stored.memory.supersedes == "old"


def test_a_correction_that_is_known_already_is_no_second_memory(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without the twin gate in supersede."""
    remember(backend.ports, admin, "web", RememberRequest(fields={"content": WRONG, "id": "old"}))
    asked = RememberRequest(fields={"content": RIGHT, "id": "known"}, on_duplicate="create")
    remember(backend.ports, admin, "web", asked)
    with pytest.raises(Duplicate) as refused:
        supersede_memory(backend.ports, admin, "web", "old", {"content": RIGHT})
    assert refused.value.twin.id == "known"
    supersede_memory(backend.ports, admin, "web", "old", {"id": "known"})
    assert get_memory(backend.ports, admin, "web", "old").superseded_by == "known"


def test_what_is_superseded_already_is_told_before_what_says_the_same(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `supersession_obstacle` in supersede: the successor was told to say the same, not where to go."""
    remember(backend.ports, admin, "web", RememberRequest(fields={"content": WRONG, "id": "old"}))
    supersede_memory(backend.ports, admin, "web", "old", {"content": RIGHT, "id": "new"})
    with pytest.raises(Conflict, match="old is superseded by new; supersede that one") as refused:
        supersede_memory(backend.ports, admin, "web", "old", {"content": RIGHT})
    assert not isinstance(refused.value, Duplicate)


def test_a_correction_that_is_over_corrects_nothing(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls without the refusal in supersede: a memory was named that had never been stored."""
    remember(backend.ports, admin, "web", RememberRequest(fields={"content": WRONG, "id": "old"}))
    with pytest.raises(Invalid, match="over already, so nothing was changed; name a later time"):
        supersede_memory(backend.ports, admin, "web", "old", {"content": RIGHT, "expires_at": clock.now()})
    assert get_memory(backend.ports, admin, "web", "old").is_active


def test_a_request_that_overtakes_itself_is_no_duplicate_of_itself(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `_answer_or` in remember: the answer is read before the twin has been stored."""
    once = IdempotentRequest("k", "k", "same", lambda stored: (201, stored.memory.id))
    asked = RememberRequest(fields={"content": RIGHT, "id": "one"}, once=once)
    ports = backend.ports

    class Overtaken:
        """Requests among which the same one lands just after its answer was not found yet."""

        def __init__(self) -> None:
            self.is_overtaken = False

        def __getattr__(self, name: str) -> Any:
            return getattr(ports.store.requests, name)

        def answers(self, *where: Any) -> dict[str, IdempotencyRecord]:
            found = ports.store.requests.answers(*where)
            if not self.is_overtaken:
                self.is_overtaken = True
                remember(ports, admin, "web", asked)
            return found

    again = replace(asked, fields={"content": RIGHT})
    answer = remember(with_parts(ports, requests=Overtaken()), admin, "web", again)
    assert isinstance(answer, IdempotencyRecord)
    assert answer.body == "one"
