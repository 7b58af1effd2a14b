"""Turns of agents beside which agents put the question: what stands around a turn lifts no lie above people's words.

Each test falls without `_hear_exchanges`, or where it names another safeguard.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory
from tests.contract.recall.test_order_of_trust import ASKED, FAR, LIE, OTHERS, stored
from tests.given import ADMIN, AGENT, PROJECT

ACCOMPLICE = Principal("acme", "agent-8")
MORE_OTHERS = ("The queue is drained at night.", "Days off of the on-call team are in the calendar.")
SPOKEN = f"Well, {LIE}."
HALVES = ("How many days does", "the message queue keep undelivered messages")

Open = Callable[..., EmbeddedBackend]


def told(backend: EmbeddedBackend, turns: Sequence[tuple[Principal, str]]) -> list[str]:
    """Ids of the turns of a conversation beside what people know."""
    stored(backend, ADMIN, FAR, *OTHERS, *MORE_OTHERS)
    ids = []
    for by, words in turns:
        asked = RememberRequest(fields={"content": words})
        (turn,) = add_turns(backend.ports, by, PROJECT, "talk", [asked])
        assert isinstance(turn, StoredMemory)
        ids.append(turn.memory.id)
    backend.drain()
    return ids


def first_five(backend: EmbeddedBackend, by: Principal = ADMIN) -> list[str]:
    found = recall(backend.ports, by, PROJECT, RecallRequest(query=ASKED, limit=10))
    return [one.memory.content for one in found.memories[:5]]


@pytest.mark.parametrize(
    "turns",
    [
        [(ACCOMPLICE, ASKED), (AGENT, SPOKEN)],
        [(AGENT, SPOKEN), (AGENT, ASKED)],
        [(AGENT, f"{HALVES[0]}: {LIE}."), (ADMIN, "Fine."), (AGENT, f"{HALVES[1]}, {LIE}.")],
    ],
    ids=["by turns", "alone", "in halves around a person"],
)
def test_agents_who_ask_each_other_take_none_of_the_first_places(
    open_backend: Open, turns: Sequence[tuple[Principal, str]]
) -> None:
    backend = open_backend()
    told(backend, turns)
    shown = first_five(backend)
    assert FAR in shown
    assert not any(LIE in words for words in shown)


def test_an_answer_to_a_person_keeps_its_place(open_backend: Open) -> None:
    """Falls without `is_trusted` in `_is_known`."""
    backend = open_backend()
    told(backend, [(ADMIN, ASKED), (AGENT, SPOKEN)])
    assert SPOKEN in first_five(backend, Principal("acme", "bo", email="bo@acme.test"))


@pytest.mark.parametrize("asker", [ACCOMPLICE, Principal("acme", "agent-9")], ids=["the same", "another"])
def test_whoever_asked_it_there_is_answered_as_before(open_backend: Open, asker: Principal) -> None:
    """Falls without the asker in `_is_known`, and for another where every agent is one."""
    backend = open_backend()
    told(backend, [(ACCOMPLICE, ASKED), (AGENT, SPOKEN)])
    assert (SPOKEN in first_five(backend, asker)) == (asker is ACCOMPLICE)
