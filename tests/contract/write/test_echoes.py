"""What a turn no longer says, or says to fewer, its neighbours do not say for it.

Falls without `commit_change` in the use case that each test names; and, where it says so, without one thing more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory
from memory_layer.errors import Unavailable
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.queries import get_memory, memory_history
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory, reject_memory
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.remember import StoredMemory, remember, remember_many
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.turn_contexts import complete_contexts
from tests.given import PROJECT, with_parts

SECRET = "The salary of the captain is ninety thousand."
BETA = Principal(tenant="acme", subject="agent-9", persona="beta")
ALPHA = Principal(tenant="acme", subject="agent-8", persona="alpha")


class SilentBus:
    """Nothing is completed behind: what a test sees was done by the commit."""

    def publish(self, kind: str, detail: Mapping[str, Any]) -> None:
        assert (kind, set(detail)) == (
            "session.extended",
            {"tenant", "project", "session_id", "first", "last"},
        )


class NoBus:
    def publish(self, kind: str, detail: Mapping[str, Any]) -> None:
        raise Unavailable(f"{kind} is not taken ({len(detail)} fields)")


def talk(backend: EmbeddedBackend, principal: Principal) -> tuple[str, str, str]:
    """The ids of three turns that have heard each other."""
    turns = [RememberRequest(fields={"content": text}) for text in ("We begin.", SECRET, "We end.")]
    told = add_turns(backend.ports, principal, PROJECT, "talk", turns)
    backend.drain()
    before, turn, after = (result.memory.id for result in told if isinstance(result, StoredMemory))
    return before, turn, after


def quiet(backend: EmbeddedBackend) -> Ports:
    return replace(backend.ports, bus=SilentBus())


def read(backend: EmbeddedBackend, principal: Principal, id: str) -> Memory:
    return get_memory(backend.ports, principal, PROJECT, id)


def contexts(backend: EmbeddedBackend, principal: Principal, *ids: str) -> list[str | None]:
    return [read(backend, principal, id).context for id in ids]


Doing = Callable[[Ports, Principal, str], object]
CHANGES: dict[str, Doing] = {
    "persona": lambda ports, admin, id: revise(ports, admin, PROJECT, id, {"persona": "alpha"}),
    "content": lambda ports, admin, id: revise(ports, admin, PROJECT, id, {"content": "Never mind."}),
    "place": lambda ports, admin, id: revise(ports, admin, PROJECT, id, {"position": 90}),
    "session": lambda ports, admin, id: revise(ports, admin, PROJECT, id, {"session_id": "else"}),
    "use": lambda ports, admin, id: revise(ports, admin, PROJECT, id, {"active": False}),
    "put": lambda ports, admin, id: put_memory(ports, admin, PROJECT, id, {"content": "Never mind."}),
    "archive": lambda ports, admin, id: archive_memory(ports, admin, PROJECT, id),
    "reject": lambda ports, admin, id: reject_memory(ports, admin, PROJECT, id),
    "supersede": lambda ports, admin, id: supersede_memory(
        ports, admin, PROJECT, id, {"content": "It is less."}
    ),
    "merge": lambda ports, admin, _id: remember(
        ports, admin, PROJECT, RememberRequest(fields={"content": f"{SECRET[:-1]}!!"}, on_duplicate="merge")
    ),
    "outcome": lambda ports, admin, id: [
        report_outcome(ports, admin, PROJECT, id, OutcomeReport(result="failed")) for _ in range(2)
    ],
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_turn_says_no_more_is_nobodys_context(
    backend: EmbeddedBackend, admin: Principal, change: str
) -> None:
    before, turn, after = talk(backend, admin)
    assert contexts(backend, admin, before, after) == [f"{SECRET}\nWe end.", f"We begin.\n{SECRET}"]
    CHANGES[change](quiet(backend), admin, turn)
    assert contexts(backend, admin, before, after) == ["We end.", "We begin."]
    request = RecallRequest(query="salary of the captain", strategy="lexical")
    found = recall(backend.ports, admin, PROJECT, request).memories
    assert {before, after}.isdisjoint(item.memory.id for item in found)


def test_the_turns_around_hear_what_is_said_now(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `publish_extended_sessions` in `commit_change`: of the old place and of the new one."""
    before, turn, after = talk(backend, admin)
    revise(backend.ports, admin, PROJECT, turn, {"content": "Never mind.", "position": 3})
    backend.drain()
    assert contexts(backend, admin, before, after) == ["We end.", "We begin.\nNever mind."]
    archive_memory(backend.ports, admin, PROJECT, turn)
    put_memory(backend.ports, admin, PROJECT, turn, {"content": "Back again."})
    backend.drain()
    assert contexts(backend, admin, before, after) == ["We end.", "We begin.\nBack again."]


def test_a_turn_for_everybody_keeps_no_word_of_its_old_persona(backend: EmbeddedBackend) -> None:
    """Falls without `without_foreign_quotes` in `revise`."""
    before, _, _ = talk(backend, ALPHA)
    assert SECRET in (read(backend, ALPHA, before).context or "")
    revise(quiet(backend), ALPHA, PROJECT, before, {"persona": None})
    assert read(backend, BETA, before).context is None


def test_a_turn_elsewhere_takes_no_word_along(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `without_foreign_quotes` in `revise`."""
    before, _, _ = talk(backend, admin)
    revise(quiet(backend), admin, PROJECT, before, {"session_id": "else"})
    assert read(backend, admin, before).context is None


class Overtaken:
    """A writer of commits while somebody changes a turn just before the contexts around it are written."""

    def __init__(self, ports: Ports, meanwhile: Callable[[], object]) -> None:
        self._writer = ports.store.writer
        self._meanwhile: Callable[[], object] | None = meanwhile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    def commit_each(self, commits: list[Commit]) -> list[Any]:
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return self._writer.commit_each(commits)


@pytest.mark.parametrize("change", ["persona", "archive", "erase"])
def test_a_context_on_its_way_is_read_again(backend: EmbeddedBackend, admin: Principal, change: str) -> None:
    """Falls where `retract_quotes` leaves the version of a turn that has not heard it yet as it is."""
    turns = [RememberRequest(fields={"content": text}) for text in ("We begin.", SECRET)]
    told = add_turns(quiet(backend), admin, PROJECT, "talk", turns)
    before, turn = (result.memory.id for result in told if isinstance(result, StoredMemory))
    revise(quiet(backend), admin, PROJECT, before, {"context": None})
    change_it = CHANGES.get(change, lambda ports, admin, id: erase_memory(ports, admin, PROJECT, id))
    writer = Overtaken(backend.ports, lambda: change_it(quiet(backend), admin, turn))
    complete_contexts(with_parts(backend.ports, writer=writer), admin.scope(PROJECT), "talk", 0, 1)
    assert read(backend, admin, before).context is None


def test_a_turn_that_came_too_late_to_forget_forgets_later(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `_retracted`: a turn on its way into the store has no version yet that could move on."""
    before, turn, _ = talk(backend, admin)
    revise(quiet(backend), admin, PROJECT, turn, {"content": "Never mind."})
    heard = read(backend, admin, before)
    late = replace(heard, context=f"My own words.\n{SECRET}", version=heard.version + 1)
    change = Change(late, heard.version, "updated", admin.name, backend.ports.clock.now())
    backend.ports.store.writer.commit(Commit(scope=heard.scope, changes=(change,)))
    complete_contexts(backend.ports, heard.scope, "talk", 0, 0)
    assert read(backend, admin, before).context == "My own words."


def test_an_approved_record_keeps_the_context_that_was_approved(
    backend: EmbeddedBackend, agent: Principal, admin: Principal
) -> None:
    """Falls without the question for an approval in `complete_contexts`."""
    (told,) = add_turns(
        backend.ports, agent, PROJECT, "talk", [RememberRequest(fields={"content": "We begin."})]
    )
    assert isinstance(told, StoredMemory)
    approve_memory(backend.ports, admin, PROJECT, told.memory.id)
    add_turns(
        backend.ports,
        BETA,
        PROJECT,
        "talk",
        [RememberRequest(fields={"content": "And so do I.", "persona": None})],
    )
    backend.drain()
    assert read(backend, admin, told.memory.id).context is None


def test_many_in_one_place_forget_as_well(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without the limit of `retract_quotes` where a transaction is limited, and without what goes ahead of it."""
    said = [(SECRET, 0), *((f"Echo {number}.", 1) for number in range(20))]
    turns = [
        RememberRequest(fields={"content": content, "session_id": "talk", "position": at}, is_verbatim=True)
        for content, at in said
    ]
    told = remember_many(quiet(backend), admin, PROJECT, turns)
    ids = [result.memory.id for result in told if isinstance(result, StoredMemory)]
    assert set(contexts(backend, admin, *ids[1:])) == {SECRET}
    archive_memory(quiet(backend), admin, PROJECT, ids[0])
    assert set(contexts(backend, admin, *ids[1:])) == {None}


def test_history_shows_each_persona_its_own(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without the question of `memory_history` whose each version was."""
    id = talk(backend, ALPHA)[1]
    revise(backend.ports, ALPHA, PROJECT, id, {"content": "Salaries are reviewed.", "persona": None})
    assert SECRET not in repr(memory_history(backend.ports, BETA, PROJECT, id))
    for principal in (ALPHA, admin):
        assert SECRET in repr(memory_history(backend.ports, principal, PROJECT, id))


def test_a_turn_is_stored_without_a_bus(
    backend: EmbeddedBackend, admin: Principal, caplog: pytest.LogCaptureFixture
) -> None:
    """Falls where `publish_extended_sessions` lets the bus's error out: what is stored would be told as failed."""
    ports = replace(backend.ports, bus=NoBus())
    with caplog.at_level(logging.WARNING):
        (told,) = add_turns(ports, admin, PROJECT, "talk", [RememberRequest(fields={"content": SECRET})])
        assert isinstance(told, StoredMemory)
        archive_memory(ports, admin, PROJECT, told.memory.id)
    assert read(backend, admin, told.memory.id).status == "archived"
    messages = [record.getMessage() for record in caplog.records if "memory_layer" in record.name]
    assert len(messages) == 2
    assert all("talk" in message and SECRET not in message for message in messages)


def test_turns_far_apart_are_announced_apart(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `_stretches`: all that lies between would be read."""
    spans: list[tuple[int, int]] = []

    class Listening:
        def publish(self, _kind: str, detail: Mapping[str, Any]) -> None:
            spans.append((detail["first"], detail["last"]))

    turns = [
        RememberRequest(fields={"content": f"At {at}.", "position": at}) for at in (0, 1, 50_000, 50_001)
    ]
    add_turns(replace(backend.ports, bus=Listening()), admin, PROJECT, "talk", turns)
    assert spans == [(0, 1), (50_000, 50_001)]
