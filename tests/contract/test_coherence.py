"""Fields that are well each and wrong together are refused, also where one of them was said before.

Falls without `check_coherence` in `usecases/drafting.py`, and without its call in `usecases/revise.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.bootstrap import Embedded
from memory_layer.domain.access import Principal
from memory_layer.errors import Invalid
from memory_layer.usecases.add_turns import add_turns
from memory_layer.usecases.positions import LEAP_MAX
from memory_layer.usecases.put import put_memory
from memory_layer.usecases.read import get_memory
from memory_layer.usecases.remember import Asked, Stored, remember
from memory_layer.usecases.revise import revise
from memory_layer.usecases.supersede import supersede_memory
from tests.conftest import START

PROJECT = "web"
FACT = {"content": "The importer opens the file with mode=ro."}
DAY = timedelta(days=1)
WRONG: list[tuple[str, Mapping[str, Any]]] = [
    ("/valid_to", {"valid_from": START, "valid_to": START - DAY}),
    ("/position", {"position": 3}),
    ("/position", {"session_id": "s1", "position": 2**31 - 1}),
    ("/position", {"session_id": "s1", "position": LEAP_MAX + 1}),
]
FITTING: list[Mapping[str, Any]] = [
    {"valid_from": START, "valid_to": START},
    {"valid_to": START - DAY},
    {"session_id": "s1", "position": LEAP_MAX},
    {"session_id": "s1"},
]


@pytest.mark.parametrize(("pointer", "fields"), WRONG)
def test_what_does_not_fit_is_not_stored(
    backend: Embedded, admin: Principal, pointer: str, fields: Mapping[str, Any]
) -> None:
    with pytest.raises(Invalid) as refused:
        remember(backend.ports, admin, PROJECT, Asked(fields={**FACT, **fields}))
    assert refused.value.violations[0].pointer == pointer
    with pytest.raises(Invalid):
        put_memory(backend.ports, admin, PROJECT, "m1", {**FACT, **fields})


@pytest.mark.parametrize("fields", FITTING)
def test_what_fits_is_stored(backend: Embedded, admin: Principal, fields: Mapping[str, Any]) -> None:
    stored = remember(backend.ports, admin, PROJECT, Asked(fields={**FACT, **fields}))
    assert isinstance(stored, Stored)
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
    backend: Embedded, admin: Principal, before: Mapping[str, Any], change: Mapping[str, Any]
) -> None:
    stored = put_memory(backend.ports, admin, PROJECT, "m1", {**FACT, **before}).memory
    with pytest.raises(Invalid):
        revise(backend.ports, admin, PROJECT, "m1", change)
    assert get_memory(backend.ports, admin, PROJECT, "m1") == stored


def test_a_conversation_has_an_end(backend: Embedded, admin: Principal) -> None:
    scope = admin.scope(PROJECT)
    assert backend.ports.store.take_positions(scope, "s1", 1, at_least=2**31 - 2) == 2**31 - 2
    turns = [Asked(fields={"content": "Last.", "position": 2**31 - 2}), Asked(fields={"content": "Later."})]
    last, later = add_turns(backend.ports, admin, PROJECT, "s1", turns)
    assert isinstance(last, Stored)
    assert isinstance(later, Invalid)


def test_no_turn_leaps_over_all_that_a_conversation_has_left(backend: Embedded, admin: Principal) -> None:
    """Falls without `Reach` in `remember`, `revise`, `supersede`, and in `add_turns` before positions are taken."""
    far = LEAP_MAX + 2
    turns = [Asked(fields={"content": "Hello."}), Asked(fields={"content": "Far.", "position": far})]
    hello, leap = add_turns(backend.ports, admin, PROJECT, "s1", turns)
    assert isinstance(hello, Stored)
    assert hello.memory.position == 0
    assert isinstance(leap, Invalid)
    with pytest.raises(Invalid):
        revise(backend.ports, admin, PROJECT, hello.memory.id, {"position": far})
    correction = {"content": "Hello!", "session_id": "s1", "position": far}
    with pytest.raises(Invalid):
        supersede_memory(backend.ports, admin, PROJECT, hello.memory.id, correction)
    near = Asked(fields={"content": "Near.", "position": far - 1})
    (stored,) = add_turns(backend.ports, admin, PROJECT, "s1", [near])
    assert isinstance(stored, Stored)
    (reached,) = add_turns(backend.ports, admin, PROJECT, "s1", [turns[1]])
    assert isinstance(reached, Stored)
