"""The end of a session on a page: whoever speaks last does not push out what a person said."""

from __future__ import annotations

from dataclasses import replace

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.context.sources import _last
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from tests.unit.domain.plain_memories import plain_memory


def say(backend: EmbeddedBackend, who: Principal, *said: str) -> None:
    turns = [RememberRequest(fields={"content": words}) for words in said]
    add_turns(backend.ports, who, "web", "s1", turns)


def test_the_turns_of_an_agent_leave_room_for_the_last_of_a_person(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without the trusted turns of `_last`."""
    say(backend, admin, "Use the blue theme.", "Ship on Monday.", "Keep the old icons.")
    say(backend, agent, *(f"Step {number} of the build is done." for number in range(14)))
    request = ContextRequest(intent="what now?", layers=("workshop",), session_id="s1", time_ms=60_000)
    page = assemble_context(backend.ports, agent, "web", request).assembled
    said = [part.content for part in page.fragments]
    assert {"Ship on Monday.", "Keep the old icons."} <= set(said)
    assert "Use the blue theme." not in said


def test_a_limit_of_one_shows_one_turn() -> None:
    """Falls where `_last` counts back from the end: it showed all turns but one, and two more."""
    spoken = [replace(plain_memory(f"t{number}", "It is done."), source="run") for number in range(40)]
    spoken[30:32] = [plain_memory("ship", "Ship on Monday."), plain_memory("icons", "Keep the icons.")]
    assert [turn.id for turn in _last(spoken, 1)] == ["ship"]
    assert [len(_last(spoken, limit)) for limit in (2, 5)] == [2, 5]
