"""A correction is a new memory too: what another one says already takes the place by its id."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap import Embedded
from memory_layer.domain.access import Principal
from memory_layer.errors import Duplicate
from memory_layer.ports import Answer
from memory_layer.usecases.idempotency import Once
from memory_layer.usecases.read import get_memory
from memory_layer.usecases.remember import Asked, Stored, remember
from memory_layer.usecases.supersede import supersede_memory

WRONG = "A DynamoDB transaction holds at most 25 actions."
RIGHT = "A DynamoDB transaction holds at most 100 actions."


def test_a_correction_may_be_like_what_it_corrects(backend: Embedded, admin: Principal) -> None:
    remember(backend.ports, admin, "web", Asked(fields={"content": WRONG, "id": "old"}))
    stored = supersede_memory(backend.ports, admin, "web", "old", {"content": RIGHT})
    assert isinstance(stored, Stored)
    assert stored.memory.supersedes == "old"


def test_a_correction_that_is_known_already_is_no_second_memory(backend: Embedded, admin: Principal) -> None:
    """Falls without the twin gate in supersede."""
    remember(backend.ports, admin, "web", Asked(fields={"content": WRONG, "id": "old"}))
    asked = Asked(fields={"content": RIGHT, "id": "known"}, on_duplicate="create")
    remember(backend.ports, admin, "web", asked)
    with pytest.raises(Duplicate) as refused:
        supersede_memory(backend.ports, admin, "web", "old", {"content": RIGHT})
    assert refused.value.twin.id == "known"
    supersede_memory(backend.ports, admin, "web", "old", {"id": "known"})
    assert get_memory(backend.ports, admin, "web", "old").superseded_by == "known"


def test_a_request_that_overtakes_itself_is_no_duplicate_of_itself(
    backend: Embedded, admin: Principal
) -> None:
    """Falls without `_answer_or` in remember: the answer is read before the twin has been stored."""
    once = Once("k", "k", "same", lambda stored: (201, stored.memory.id))
    asked = Asked(fields={"content": RIGHT, "id": "one"}, once=once)
    ports = backend.ports

    class Overtaken:
        """A store in which the same request lands just after its answer was not found yet."""

        def __init__(self) -> None:
            self.is_overtaken = False

        def __getattr__(self, name: str) -> Any:
            return getattr(ports.store, name)

        def answers(self, *where: Any) -> dict[str, Answer]:
            found = ports.store.answers(*where)
            if not self.is_overtaken:
                self.is_overtaken = True
                remember(ports, admin, "web", asked)
            return found

    again = replace(asked, fields={"content": RIGHT})
    answer = remember(replace(ports, store=Overtaken()), admin, "web", again)  # type: ignore[arg-type]
    assert isinstance(answer, Answer)
    assert answer.body == "one"
