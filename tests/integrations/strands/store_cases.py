"""`MemoryStore` behind Strands' `MemoryManager`, over a real server."""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from collections.abc import Coroutine
from typing import Any

import pytest
from strands.memory import MemoryEntry, MemoryManager
from strands.memory.types import AddMessagesContext

from memory_layer.client import Memory, MemoryProblem
from memory_layer.domain.portability.exact_json import NotJsonError
from memory_layer.integrations.strands import MemoryStore


def opened(**options: Any) -> MemoryStore:
    return MemoryStore(project=f"st-{uuid.uuid4().hex[:12]}", **options)


def done(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def message(role: str, *texts: str) -> dict[str, Any]:
    return {"role": role, "content": [{"text": text} for text in texts]}


def test_the_manager_stores_and_finds() -> None:
    store = opened()
    manager = MemoryManager(stores=[store], add_tool_config=True)
    done(manager.add("Refunds of more than 500 euros need two signatures"))
    (entry,) = done(manager.search("who signs large refunds"))
    assert isinstance(entry, MemoryEntry)
    assert entry.content == "Refunds of more than 500 euros need two signatures"
    assert entry.store_name == "memory-layer"
    assert entry.metadata["standing"] == "unreviewed"
    assert done(manager.search("office opening hours")) == []


def test_what_is_known_is_not_stored_again_and_what_contradicts_is_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    store = opened()
    first = done(store.add("The nightly backup starts at 02:00"))
    assert done(store.add("The nightly backup starts at 02:00")) == first
    other = done(store.add("The nightly backup starts at 03:30"))
    assert other not in (None, first)
    assert "both are kept, for a person to decide" in caplog.text
    assert len(done(store.search("when does the backup start"))) == 2
    assert done(store.add("The nightly backup starts at 03:30")) == other


def test_metadata_comes_back() -> None:
    store = opened()
    done(store.add("The build runs on Debian", {"page": 3, "tags": ["ci"]}))
    (entry,) = done(store.search("where does the build run"))
    assert {**entry.metadata, "page": 3, "tags": ["ci"]} == entry.metadata
    with pytest.raises(NotJsonError, match="at /page"):
        done(store.add("The build takes nine minutes", {"page": {1}}))


def test_owners_find_their_own_alone() -> None:
    project = f"st-{uuid.uuid4().hex[:12]}"
    ada, bob = (MemoryStore(project=project, owner=owner, name=owner) for owner in ("ada", "bob"))
    done(ada.add("Prefers answers in French"))
    assert done(bob.search("language of answers")) == []
    assert len(done(ada.search("language of answers"))) == 1


def test_messages_are_turns_and_a_batch_that_is_sent_again_is_stored_once() -> None:
    """Falls where a lost answer makes a second turn, or where equal words said twice make one."""
    store = opened(session_id="talk")
    batch = [message("user", "ok"), message("assistant", "Done", "and dusted"), message("user")]
    done(store.add_messages(batch, AddMessagesContext(sequence_numbers=[0, 1, 2])))
    done(store.add_messages(batch, AddMessagesContext(sequence_numbers=[0, 1, 2])))
    turns = ["user: ok", "assistant: Done\nand dusted"]
    assert [turn.content for turn in store._client.list_turns.each("talk")] == turns * 2
    lost = LosesAnswers(store._client)
    store._client = lost  # type: ignore[assignment]
    with pytest.raises(MemoryProblem, match="lost"):
        done(store.add_messages(batch, AddMessagesContext(sequence_numbers=[3, 4, 5])))
    done(store.add_messages(batch, AddMessagesContext(sequence_numbers=[3, 4, 5])))
    assert [turn.content for turn in lost.inner.list_turns.each("talk")] == turns * 3


class LosesAnswers:
    """A client whose first answer is lost on its way back, though the turns are stored."""

    def __init__(self, inner: Memory) -> None:
        self.inner, self._is_first = inner, True

    def add_turns(self, *args: Any, **kwargs: Any) -> Any:
        answer = self.inner.add_turns(*args, **kwargs)
        if self._is_first:
            self._is_first = False
            raise MemoryProblem("no_answer", "lost")
        return answer


def test_a_manager_hands_messages_over(caplog: pytest.LogCaptureFixture) -> None:
    """Falls where Strands does not see the store's way to take messages."""
    store = opened(extraction=True)
    MemoryManager(stores=[store])
    assert caplog.text == ""


def test_bad_input_is_told() -> None:
    store = opened()
    assert done(store.search("  ")) == []
    with pytest.raises(MemoryProblem, match=r"32,?768"):
        done(store.add("x" * 40_000))
    with pytest.raises(MemoryProblem, match=r"blank|at least 1"):
        done(store.add(" "))
    with pytest.raises(MemoryProblem, match="1 of 2 are not stored"):
        done(store.add_messages([message("user", "x" * 40_000), message("user", "short")]))
    down = MemoryStore(client=Memory("http://127.0.0.1:1", project="p", patience=0))
    with pytest.raises(MemoryProblem, match="cannot be reached"):
        done(down.search("anything"))
    guarded = MemoryStore(os.environ["GUARDED_URL"], project="p", token="wrong")
    with pytest.raises(MemoryProblem) as refused:
        done(guarded.add("anything"))
    assert refused.value.status == 401


def test_a_secret_is_removed_and_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    store = opened()
    done(store.add("The bucket's key is AKIAIOSFODNN7EXAMPLE"))
    (entry,) = done(store.search("key of the bucket"))
    assert entry.content == "The bucket's key is [REDACTED:aws_access_key]"
    assert "aws_access_key" in caplog.text
