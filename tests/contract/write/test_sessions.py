"""Conversations: listed, read in pages both ways, taken back turn by turn and cleared, by those whose they are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, acting_for
from memory_layer.domain.memory import Memory
from memory_layer.errors import Forbidden
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.records import ConversationPage
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.ground.queries import get_memory, memory_history
from memory_layer.usecases.ground.sessions import list_sessions, session_turns
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.clear_session import TOGETHER, clear_session, pop_turn
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from tests.given import ADMIN, AGENT, PROJECT, StandingClock

OTHER = Principal("acme", "agent-8")
STRANGER = Principal("umbra", "agent-7")
SERVICE = Principal("acme", "front-desk", acts_for=True)
SPOKEN = ("The build is red.", "Which step?", "The linter, since Monday.", "I pin it.", "Green again.")


def say(
    backend: EmbeddedBackend, who: Principal, session_id: str, contents: Sequence[str], **fields: object
) -> list[str]:
    """Ids of stored turns."""
    turns = [RememberRequest(fields={"content": content, **fields}) for content in contents]
    results = add_turns(backend.ports, who, PROJECT, session_id, turns)
    assert all(isinstance(result, StoredMemory) for result in results), results
    return [result.memory.id for result in results if isinstance(result, StoredMemory)]


def read(
    backend: EmbeddedBackend, who: Principal, session_id: str, *, limit: int = 2, newest_first: bool = False
) -> list[str]:
    """Contents of all pages."""
    found: list[str] = []
    after: tuple[str, str] | None = None
    for _ in range(50):
        page = session_turns(
            *(backend.ports, who, PROJECT, session_id), after=after, limit=limit, newest_first=newest_first
        )
        found += [memory.content for memory in page.memories]
        after = page.next_key
        if after is None:
            return found
    raise AssertionError("the pages do not end")


def listed(backend: EmbeddedBackend, who: Principal, *, limit: int = 2) -> list[str]:
    """Ids of the conversations of all pages."""
    found: list[str] = []
    page = ConversationPage((), None)
    for _ in range(50):
        page = list_sessions(backend.ports, who, PROJECT, after=page.next_key, limit=limit)
        found += [one.session_id for one in page.sessions]
        if page.next_key is None:
            return found
    raise AssertionError("the pages do not end")


def test_turns_are_read_in_pages_both_ways(backend: EmbeddedBackend) -> None:
    say(backend, AGENT, "talk", SPOKEN)
    remember(
        backend.ports, AGENT, PROJECT, RememberRequest(fields={"content": "Pins hold.", "session_id": "talk"})
    )
    assert read(backend, AGENT, "talk") == list(SPOKEN)
    assert read(backend, AGENT, "talk", newest_first=True) == list(reversed(SPOKEN))
    assert read(backend, AGENT, "else") == []


def test_turns_lie_by_their_number_and_not_by_its_digits(backend: EmbeddedBackend) -> None:
    for position in (10, 9, 2):
        say(backend, AGENT, "talk", [f"Number {position}."], position=position)
    assert read(backend, AGENT, "talk", limit=1) == ["Number 2.", "Number 9.", "Number 10."]


def test_conversations_are_listed_with_their_last_turn(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls where a memory that merely names a conversation makes one."""
    for name in ("b", "a", "Ä/1", "c"):
        say(backend, AGENT, name, SPOKEN[:2])
    clock.advance(minutes=5)
    say(backend, AGENT, "b", SPOKEN[2:3])
    remember(
        backend.ports, AGENT, PROJECT, RememberRequest(fields={"content": "Pins hold.", "session_id": "d"})
    )
    assert listed(backend, AGENT) == ["a", "b", "c", "Ä/1"]
    page = list_sessions(backend.ports, AGENT, PROJECT, after="a", limit=1)
    assert [(one.last_position, one.last_at) for one in page.sessions] == [(2, clock.now())]


def test_a_conversation_whose_turns_have_places_of_their_own_is_listed(backend: EmbeddedBackend) -> None:
    """Falls in the cloud where giving out positions alone lists a conversation."""
    placed = {"content": SPOKEN[0], "session_id": "placed", "position": 3}
    assert isinstance(remember(backend.ports, AGENT, PROJECT, RememberRequest(fields=placed)), StoredMemory)
    assert listed(backend, AGENT) == ["placed"]


def test_nobody_reads_the_turns_of_another_persona_or_tenant(backend: EmbeddedBackend) -> None:
    """A safeguard: falls without the view of the caller on pages, lists, clearing and pop."""
    ann, bob = (acting_for(SERVICE, user) for user in ("ann", "bob"))
    say(backend, ann, "desk", SPOKEN[:3])
    assert read(backend, ann, "desk") == list(SPOKEN[:3])
    for other in (bob, AGENT, STRANGER):
        assert read(backend, other, "desk") == []
        assert listed(backend, other) == []
        assert pop_turn(backend.ports, other, PROJECT, "desk") is None
        assert clear_session(backend.ports, other, PROJECT, "desk").cleared == 0
    assert listed(backend, ann) == ["desk"]
    assert read(backend, ADMIN, "desk") == list(SPOKEN[:3])


def test_pop_takes_back_the_last_turn_and_the_next_follows_it(backend: EmbeddedBackend) -> None:
    ids = say(backend, AGENT, "talk", SPOKEN[:3])
    popped = pop_turn(backend.ports, AGENT, PROJECT, "talk")
    assert isinstance(popped, Memory)
    assert (popped.id, popped.content, popped.status) == (ids[2], SPOKEN[2], "archived")
    say(backend, AGENT, "talk", ["It was the formatter."])
    assert read(backend, AGENT, "talk") == [*SPOKEN[:2], "It was the formatter."]
    for id in ids[:2]:  # what was taken back is no context of those that stay
        backend.drain()
        assert SPOKEN[2] not in (get_memory(backend.ports, AGENT, PROJECT, id).context or "")


def test_a_repeated_pop_takes_back_one_turn(backend: EmbeddedBackend) -> None:
    """Falls where the key is not kept with the change."""
    say(backend, AGENT, "talk", SPOKEN[:3])
    once = IdempotentRequest(
        "k", "k", "same", lambda turn: (200, turn.content if isinstance(turn, Memory) else "-")
    )
    first = pop_turn(backend.ports, AGENT, PROJECT, "talk", once=once)
    again = pop_turn(backend.ports, AGENT, PROJECT, "talk", once=once)
    assert isinstance(first, Memory)
    assert isinstance(again, IdempotencyRecord)
    assert again.body == SPOKEN[2]
    assert read(backend, AGENT, "talk") == list(SPOKEN[:2])


def test_a_repeated_pop_of_nothing_stays_a_pop_of_nothing(backend: EmbeddedBackend) -> None:
    once = IdempotentRequest("k", "k", "same", lambda turn: (200, "-" if turn is None else turn.content))
    assert pop_turn(backend.ports, AGENT, PROJECT, "talk", once=once) is None
    say(backend, AGENT, "talk", SPOKEN[:1])
    assert isinstance(pop_turn(backend.ports, AGENT, PROJECT, "talk", once=once), IdempotencyRecord)
    assert read(backend, AGENT, "talk") == list(SPOKEN[:1])


def test_the_last_turn_of_another_is_not_taken_back(backend: EmbeddedBackend) -> None:
    say(backend, AGENT, "talk", SPOKEN[:1])
    say(backend, OTHER, "talk", SPOKEN[1:2])
    with pytest.raises(Forbidden):
        pop_turn(backend.ports, AGENT, PROJECT, "talk")
    assert read(backend, AGENT, "talk") == list(SPOKEN[:2])


def test_an_agent_clears_its_own_turns_and_leaves_the_others(backend: EmbeddedBackend) -> None:
    """Falls where rights are not asked for each turn."""
    own = say(backend, AGENT, "talk", SPOKEN[:2])
    say(backend, OTHER, "talk", SPOKEN[2:3])
    say(backend, ADMIN, "talk", SPOKEN[3:4], source="human")
    said = {"content": "Pins hold.", "session_id": "talk"}
    remember(backend.ports, AGENT, PROJECT, RememberRequest(fields=said))
    cleared = clear_session(backend.ports, AGENT, PROJECT, "talk")
    assert (cleared.cleared, cleared.kept, cleared.is_complete) == (2, 2, True)
    assert read(backend, AGENT, "talk") == list(SPOKEN[2:4])
    archived = [get_memory(backend.ports, AGENT, PROJECT, id) for id in own]
    assert [turn.status for turn in archived] == ["archived", "archived"]
    assert clear_session(backend.ports, AGENT, PROJECT, "talk").cleared == 0


def test_a_long_conversation_is_cleared_and_listed_no_more(backend: EmbeddedBackend) -> None:
    """More than one transaction holds; the words of none are left beside the others."""
    contents = [f"Step {number} of the migration is done." for number in range(TOGETHER + 3)]
    ids = say(backend, AGENT, "long", contents)
    backend.drain()
    assert clear_session(backend.ports, AGENT, PROJECT, "long").cleared == len(contents)
    assert read(backend, AGENT, "long") == []
    assert listed(backend, AGENT) == []
    say(backend, AGENT, "long", ["A new start."])
    page = list_sessions(backend.ports, AGENT, PROJECT, after=None, limit=5)
    assert [one.last_position for one in page.sessions] == [len(ids)]


def test_a_hard_clearing_leaves_no_word(backend: EmbeddedBackend) -> None:
    """Falls where archived turns are passed over, or turns are archived only."""
    ids = say(backend, AGENT, "talk", SPOKEN[:3])
    said = {"content": "Pins hold.", "session_id": "talk"}
    kept = remember(backend.ports, AGENT, PROJECT, RememberRequest(fields=said))
    assert isinstance(kept, StoredMemory)
    pop_turn(backend.ports, AGENT, PROJECT, "talk")
    cleared = clear_session(backend.ports, AGENT, PROJECT, "talk", is_hard=True)
    assert (cleared.cleared, cleared.is_complete) == (3, True)
    refs = [kept.memory.ref.__class__(PROJECT, id) for id in ids]
    assert backend.ports.store.memories.get_many("acme", refs) == {}
    assert memory_history(backend.ports, AGENT, PROJECT, kept.memory.id)
