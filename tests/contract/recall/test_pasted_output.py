"""Logs and stack traces that are pasted into a question, a task or an intent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.ranking import TaskProfile
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, recall
from tests.given import PROJECT, remembered

RIGHT = "A PoolTimeout means that the pool is too small: raise DB_POOL."
NOTES = (
    RIGHT,
    "Batches of orders are taken from the queue every minute.",
    "The orders service writes to the ledger.",
    "Workers are named after planets.",
)
LOG = "\n".join(
    (
        *(
            f"2026-11-30 21:12:3{n},123 INFO [worker-{n}] orders.queue: took batch 831{n} of orders"
            for n in range(9)
        ),
        "2026-11-30 21:12:39,901 ERROR [worker-3] db: PoolTimeout: no connection within 30 s",
    )
)


def _recalled(backend: EmbeddedBackend, admin: Principal) -> Iterable[str]:
    found = recall(backend.ports, admin, PROJECT, RecallRequest(query=LOG, limit=1))
    return [hit.memory.content for hit in found.memories]


def _prompted(backend: EmbeddedBackend, admin: Principal) -> Iterable[str]:
    prompt = compose_prompt(backend.ports, admin, PROJECT, LOG, TaskProfile(), limit=1)
    return [memory.content for memory in prompt.memories]


def _assembled(backend: EmbeddedBackend, admin: Principal) -> Iterable[str]:
    page = assemble_context(
        backend.ports, admin, PROJECT, ContextRequest(intent=LOG, tokens_max=60, time_ms=20_000)
    )
    return page.assembled.rendered.splitlines()


FACES: Mapping[str, Callable[[EmbeddedBackend, Principal], Iterable[str]]] = {
    "recall": _recalled,
    "prompt": _prompted,
    "context": _assembled,
}


@pytest.mark.parametrize("face", FACES)
def test_the_error_of_a_log_is_what_is_asked_for(
    backend: EmbeddedBackend, admin: Principal, face: str
) -> None:
    """Falls where the lines that go well, times and ids are words of the question."""
    for note in NOTES:
        remembered(backend.ports, admin, note, on_duplicate="create")
    backend.drain()
    (first, *_) = [line for line in FACES[face](backend, admin) if any(note in line for note in NOTES)]
    assert RIGHT in first


TASK = (
    "The nightly job fails since this morning: batches of orders are taken from the queue every minute, and the log "
    "says that a PoolTimeout was raised. Find out what is the matter with the batches, mend it, add a test that would "
    "have caught it, and write a note for the team about the cause, the orders and the queue."
)


def test_a_long_task_is_asked_by_what_it_names(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a recall takes all of a task for its question."""
    for note in NOTES:
        remembered(backend.ports, admin, note, on_duplicate="create")
    backend.drain()
    found = recall(backend.ports, admin, PROJECT, RecallRequest(query=TASK, limit=1, strategy="lexical"))
    assert found.memories[0].memory.content == RIGHT
