"""`MemoryService` as ADK calls it, over a real server."""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from collections.abc import Coroutine
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from memory_layer.client import Memory, MemoryProblem
from memory_layer.integrations.adk import MemoryService

ADA: dict[str, str] = {"app_name": "desk", "user_id": "ada"}
BOB: dict[str, str] = {"app_name": "desk", "user_id": "bob"}


def opened(**options: Any) -> MemoryService:
    return MemoryService(project=f"adk-{uuid.uuid4().hex[:12]}", **options)


def done(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def said(author: str, text: str | None, id: str = "") -> Event:
    parts = [types.Part(text=text)] if text else [types.Part(function_call=types.FunctionCall(name="f"))]
    role = "user" if author == "user" else "model"
    content = types.Content(role=role, parts=parts)
    return Event(id=id or uuid.uuid4().hex, author=author, content=content, timestamp=1_770_000_000.0)


def session(*events: Event, id: str = "s1", user_id: str = "ada") -> Session:
    return Session(id=id, app_name="desk", user_id=user_id, events=list(events))


TALK = [
    said("user", "My parcel to Graz has not arrived", "e1"),
    said("desk_agent", None, "e2"),
    said("desk_agent", "Parcels to Graz take five days because of the strike", "e3"),
]


def test_what_was_said_is_found_for_its_user_alone() -> None:
    service = opened()
    assert isinstance(service, BaseMemoryService)
    done(service.add_session_to_memory(session(*TALK)))
    found = done(service.search_memory(**ADA, query="how long do parcels to Graz take")).memories
    texts = {entry.content.parts[0].text for entry in found}
    assert texts == {
        "My parcel to Graz has not arrived",
        "Parcels to Graz take five days because of the strike",
    }
    answer = next(entry for entry in found if "strike" in entry.content.parts[0].text)
    assert (answer.author, answer.content.role) == ("desk_agent", "model")
    assert answer.timestamp.startswith("2026-02-02")
    assert done(service.search_memory(**BOB, query="how long do parcels to Graz take")).memories == []
    assert done(service.search_memory(**ADA, query=" ")).memories == []
    assert done(service.search_memory(**ADA, query="how do I tune a piano")).memories == []


def test_what_merely_bears_a_users_tag_is_none_of_theirs() -> None:
    """Falls where a tag that any writer of the project may set fails a search, or lends one user another's words."""
    service = opened()
    done(service.add_session_to_memory(session(*TALK)))
    done(service.add_session_to_memory(session(said("user", "Hello there"), user_id="bob")))
    of_ada = next(memory for memory in service._client.list_memories.each() if "strike" in memory.content)
    (of_bob,) = (memory for memory in service._client.list_memories.each() if "Hello" in memory.content)
    text = "Parcels to Graz are late in week {}, because of a strike of the drivers"
    for week, detail in enumerate(({}, {"adk": 1}, {"adk": {"role": 1}}, of_ada.detail)):
        service._client.create_memory(text.format(week), tags=of_bob.tags, detail=detail)
    found = done(service.search_memory(**BOB, query="why are parcels to Graz late")).memories
    assert found == []
    told = service._client.recall("why are parcels to Graz late", filters={"tags": of_bob.tags}).memories
    assert len(told) == 4
    with pytest.raises(MemoryProblem, match="no memory of bob"):
        done(service.delete_memory(**BOB, memory_id=told[0].id))


def test_a_session_that_is_added_again_is_stored_once() -> None:
    service = opened()
    done(service.add_session_to_memory(session(*TALK)))
    more = said("user", "And what about parcels to Linz", "e4")
    done(service.add_session_to_memory(session(*TALK, more)))
    done(service.add_events_to_memory(**ADA, events=[more], session_id="s1"))
    contents = [memory.content for memory in service._client.list_memories.each()]
    assert sorted(contents) == [
        "desk_agent: Parcels to Graz take five days because of the strike",
        "user: And what about parcels to Linz",
        "user: My parcel to Graz has not arrived",
    ]


def test_equal_words_of_two_users_are_kept_each() -> None:
    service = opened()
    for user_id in ("ada", "bob"):
        done(service.add_session_to_memory(session(*TALK, user_id=user_id)))
        found = done(service.search_memory(app_name="desk", user_id=user_id, query="parcels to Graz"))
        assert len(found.memories) == 2


def test_a_deleted_memory_is_gone_and_stays_so() -> None:
    """Falls where a deletion reaches another user's, or a session brings it back."""
    service = opened()
    done(service.add_session_to_memory(session(*TALK)))
    found = done(service.search_memory(**ADA, query="parcels to Graz")).memories
    with pytest.raises(MemoryProblem, match="no memory of bob"):
        done(service.delete_memory(**BOB, memory_id=found[0].id))
    done(service.delete_memory(**ADA, memory_id=found[0].id))
    done(service.delete_memory(**ADA))
    done(service.add_session_to_memory(session(*TALK)))
    left = done(service.search_memory(**ADA, query="parcels to Graz")).memories
    assert [entry.id for entry in left] == [found[1].id]


def test_knowledge_is_stored_as_it_is_given() -> None:
    service = opened()
    entry = MemoryEntry(
        content=types.Content(role="user", parts=[types.Part(text="Prefers parcels on Fridays")]),
        author="user",
        timestamp="2026-03-01T10:00:00",
        custom_metadata={"from": "form"},
    )
    done(service.add_memory(**ADA, memories=[entry, entry], custom_metadata={"n": 1}))
    (found,) = done(service.search_memory(**ADA, query="which day does she prefer")).memories
    assert found.content.parts[0].text == "Prefers parcels on Fridays"
    assert (found.custom_metadata["from"], found.custom_metadata["n"]) == ("form", 1)


def test_bad_input_is_told_and_the_rest_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    service = opened()
    long, secret = said("user", "x" * 40_000), said("user", "My key is AKIAIOSFODNN7EXAMPLE")
    with pytest.raises(MemoryProblem, match=r"1 of 3 events: .*32,?768"):
        done(service.add_session_to_memory(session(TALK[0], long, secret)))
    contents = {memory.content for memory in service._client.list_memories.each()}
    assert contents == {
        "user: My parcel to Graz has not arrived",
        "user: My key is [REDACTED:aws_access_key]",
    }
    assert "aws_access_key" in caplog.text
    down = MemoryService(client=Memory("http://127.0.0.1:1", project="p", patience=0))
    with pytest.raises(MemoryProblem, match="cannot be reached"):
        done(down.search_memory(**ADA, query="anything"))
    guarded = MemoryService(os.environ["GUARDED_URL"], project="p", token="wrong")
    with pytest.raises(MemoryProblem) as refused:
        done(guarded.add_session_to_memory(session(*TALK)))
    assert refused.value.status == 401
