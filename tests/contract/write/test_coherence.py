"""Fields that are well each and wrong together are refused, also where one of them was said before.

Falls without `check_coherence` in `usecases/write/draft.py`, and without its call in `usecases/write/revise.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import Conflict, Invalid
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.remember import Result, StoredMemory, remember
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.turn_positions import POSITION_GAP_MAX
from tests.given import PROJECT, START, StandingClock, with_parts

FACT = {"content": "The importer opens the file with mode=ro."}
DAY = timedelta(days=1)
WRONG: list[tuple[str, Mapping[str, Any]]] = [
    ("/valid_to", {"valid_from": START, "valid_to": START - DAY}),
    ("/position", {"position": 3}),
    ("/position", {"session_id": "s1", "position": 2**31 - 1}),
    ("/position", {"session_id": "s1", "position": POSITION_GAP_MAX + 1}),
]
FITTING: list[Mapping[str, Any]] = [
    {"valid_from": START, "valid_to": START},
    {"valid_to": START - DAY},
    {"session_id": "s1", "position": POSITION_GAP_MAX},
    {"session_id": "s1"},
]


@pytest.mark.parametrize(("pointer", "fields"), WRONG)
def test_what_does_not_fit_is_not_stored(
    backend: EmbeddedBackend, admin: Principal, pointer: str, fields: Mapping[str, Any]
) -> None:
    with pytest.raises(Invalid) as refused:
        remember(backend.ports, admin, PROJECT, RememberRequest(fields={**FACT, **fields}))
    assert refused.value.violations[0].pointer == pointer
    with pytest.raises(Invalid):
        put_memory(backend.ports, admin, PROJECT, "m1", {**FACT, **fields})


@pytest.mark.parametrize("fields", FITTING)
def test_what_fits_is_stored(backend: EmbeddedBackend, admin: Principal, fields: Mapping[str, Any]) -> None:
    stored = remember(backend.ports, admin, PROJECT, RememberRequest(fields={**FACT, **fields}))
    assert isinstance(stored, StoredMemory)
    assert {name: getattr(stored.memory, name) for name in fields} == dict(fields)


@pytest.mark.parametrize(
    ("before", "change"),
    [
        ({"valid_from": START}, {"valid_to": START - DAY}),
        ({"valid_to": START}, {"valid_from": START + DAY}),
        ({}, {"position": 3}),
        ({"session_id": "s1", "position": 3}, {"session_id": None}),
    ],
)
def test_a_change_has_to_fit_what_was_said_before(
    backend: EmbeddedBackend, admin: Principal, before: Mapping[str, Any], change: Mapping[str, Any]
) -> None:
    stored = put_memory(backend.ports, admin, PROJECT, "m1", {**FACT, **before}).memory
    with pytest.raises(Invalid):
        revise(backend.ports, admin, PROJECT, "m1", change)
    assert get_memory(backend.ports, admin, PROJECT, "m1") == stored


def test_a_conversation_has_an_end(backend: EmbeddedBackend, admin: Principal) -> None:
    scope = admin.scope(PROJECT)
    assert backend.ports.store.sessions.take_positions(scope, "s1", 1, at_least=2**31 - 2) == 2**31 - 2
    turns = [
        RememberRequest(fields={"content": "Last.", "position": 2**31 - 2}),
        RememberRequest(fields={"content": "Later."}),
    ]
    last, later = add_turns(backend.ports, admin, PROJECT, "s1", turns)
    assert isinstance(last, StoredMemory)
    assert isinstance(later, Invalid)


def test_a_place_in_a_conversation_is_one_turns(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without `_placed`: whoever sends a turn twice has two in one place, and the turns around hear one."""

    def say(content: str, at: int | None, who: Principal = admin, **fields: Any) -> Result:
        asked = RememberRequest(fields={"content": content, "position": at, **fields})
        return add_turns(backend.ports, who, PROJECT, "s1", [asked])[0]

    first, again, other = say("Hello.", 5), say("Hello.", 5), say("Goodbye.", 5)
    assert isinstance(first, StoredMemory)
    for refused in (again, other):
        assert isinstance(refused, Conflict)
        assert f"position 5 of this session is taken by {first.memory.id};" in refused.detail
        assert "leave the position out" in refused.detail
    follows = say("Goodbye.", None)
    assert isinstance(follows, StoredMemory)
    assert follows.memory.position == 6
    together = [RememberRequest(fields={"content": text, "position": 9}) for text in ("One.", "Two.")]
    one, two = add_turns(backend.ports, admin, PROJECT, "s1", together)
    assert (isinstance(one, StoredMemory), isinstance(two, Conflict)) == (True, True)
    hidden = say("In confidence.", 12, persona="analyst")
    assert isinstance(hidden, StoredMemory)
    refused = say("Hello.", 12, who=agent)
    assert isinstance(refused, Conflict)
    assert hidden.memory.id not in refused.detail
    archive_memory(backend.ports, admin, PROJECT, first.memory.id)
    assert isinstance(say("Hello again.", 5), StoredMemory)


def test_a_turn_that_is_sent_twice_at_once_is_answered_twice(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where answers are read before the places that are taken: the first may be stored in between."""
    once = IdempotentRequest("k" * 64, "k", "same", lambda stored: (201, stored.memory.id))
    asked = RememberRequest(fields={"content": "Hello.", "position": 5}, once=once)
    first: list[Result] = []

    class StoredInBetween:
        def turns(self, *where: Any) -> Any:
            first.extend(() if first else add_turns(backend.ports, admin, PROJECT, "s1", [asked]))
            return backend.ports.store.sessions.turns(*where)

        def __getattr__(self, name: str) -> Any:
            return getattr(backend.ports.store.sessions, name)

    ports = with_parts(backend.ports, sessions=StoredInBetween())
    (second,) = add_turns(ports, admin, PROJECT, "s1", [asked])
    assert isinstance(first[0], StoredMemory)
    assert isinstance(second, IdempotencyRecord)
    assert second.body == first[0].memory.id


class NothingThere:
    """Conversations as whoever comes at the same moment as another sees it."""

    def __init__(self, sessions: Any) -> None:
        self._sessions = sessions

    def turns(self, *_: Any) -> list[Any]:
        return []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sessions, name)


def test_turns_in_one_place_are_told_in_one_order(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Older first, whatever their ids: two that come at the same moment may both be kept."""
    for id in ("b", "a"):
        ports = with_parts(backend.ports, sessions=NothingThere(backend.ports.store.sessions))
        fields = {"id": id, "content": f"Turn {id}.", "session_id": "s1", "position": 5}
        asked = RememberRequest(fields=fields, is_verbatim=True)
        remember(ports, admin, PROJECT, asked)
        clock.advance(hours=1)
    found = backend.ports.store.sessions.turns(admin.scope(PROJECT), "s1", 0, 9)
    assert [turn.id for turn in found] == ["b", "a"]
    last = backend.ports.store.sessions.last_turns(admin.scope(PROJECT), "s1", 2)
    assert [turn.id for turn in last] == ["a", "b"]


def test_no_turn_leaps_over_all_that_a_conversation_has_left(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `Reach` in `remember`, `revise`, `supersede`, and in `add_turns` before positions are taken."""
    far = POSITION_GAP_MAX + 2
    turns = [
        RememberRequest(fields={"content": "Hello."}),
        RememberRequest(fields={"content": "Far.", "position": far}),
    ]
    hello, leap = add_turns(backend.ports, admin, PROJECT, "s1", turns)
    assert isinstance(hello, StoredMemory)
    assert hello.memory.position == 0
    assert isinstance(leap, Invalid)
    with pytest.raises(Invalid):
        revise(backend.ports, admin, PROJECT, hello.memory.id, {"position": far})
    correction = {"content": "Hello!", "session_id": "s1", "position": far}
    with pytest.raises(Invalid):
        supersede_memory(backend.ports, admin, PROJECT, hello.memory.id, correction)
    near = RememberRequest(fields={"content": "Near.", "position": far - 1})
    (stored,) = add_turns(backend.ports, admin, PROJECT, "s1", [near])
    assert isinstance(stored, StoredMemory)
    (reached,) = add_turns(backend.ports, admin, PROJECT, "s1", [turns[1]])
    assert isinstance(reached, StoredMemory)
