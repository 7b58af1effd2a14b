"""A run that reaches us as an event: delivered again and again, in any order, while the index is behind.

In the cloud nothing reaches the index in these tests before `drain`: the projector fails all the while.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Scope
from memory_layer.edge.events.completed_runs import read_sources, take_run_event
from memory_layer.errors import Forbidden, Invalid
from memory_layer.usecases.ground.queries import list_memories
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.put import put_memory
from tests.given import PROJECT
from tests.run_examples import event_of, loop

SOURCES = read_sources('{"orchestrator": {"tenant": "acme", "sub": "ci", "persona": null}}')
CI = Principal("acme", "ci")


def known(backend: EmbeddedBackend) -> dict[str, Memory]:
    page = list_memories(backend.ports, CI, PROJECT, Filters(status=()), after=None, limit=100)
    return {memory.id: memory for memory in page.memories}


def test_five_deliveries_out_of_order_are_one_run(
    open_backend: Callable[..., EmbeddedBackend], agent: Principal
) -> None:
    """Falls where a run is not known again, and where its credit is counted per delivery."""
    backend = open_backend()
    put_memory(backend.ports, agent, PROJECT, "tip", {"content": "Mock the clock in login tests."})
    events = [event_of(loop(f"run-{number}", memories_used=["tip"]), PROJECT) for number in range(3)]
    deliveries = events * 5
    random.Random(7).shuffle(deliveries)
    for number, event in enumerate(deliveries):
        take_run_event(backend.ports, SOURCES, event)
        if number == len(deliveries) // 2:
            backend.drain()
    found = known(backend)
    (strategy,) = [memory for memory in found.values() if memory.type == "strategy"]
    assert strategy.source_runs == ("run-0", "run-1", "run-2")
    assert (strategy.detail["iterations"], found["tip"].worked, found["tip"].use_count) == (9, 3, 3)
    asked = RecallRequest(query="which development approach suits tests?")
    assert strategy.id in [item.memory.id for item in recall(backend.ports, CI, PROJECT, asked).memories]
    backend.drain()
    assert strategy.id in [item.memory.id for item in recall(backend.ports, CI, PROJECT, asked).memories]


def test_deliveries_at_the_same_time_are_one_run(
    open_backend: Callable[..., EmbeddedBackend], agent: Principal
) -> None:
    backend = open_backend()
    put_memory(backend.ports, agent, PROJECT, "tip", {"content": "Mock the clock in login tests."})
    event = event_of(loop("run-1", memories_used=["tip"]), PROJECT)
    with ThreadPoolExecutor(5) as pool:
        told = list(pool.map(lambda _: take_run_event(backend.ports, SOURCES, event), range(5)))
    results = [json.dumps(dict(learned.record.result or {}), sort_keys=True) for learned in told]
    assert len(set(results)) == 1
    assert known(backend)["tip"].worked == 1
    assert len(known(backend)) == 6
    assert backend.ports.store.learnings.run(Scope("acme", PROJECT), "run-1") is not None


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"source": "stranger"}, Forbidden),
        ({"detail": loop("r1")}, Invalid),
        ({"detail": {**loop("r1"), "project": "no slug!"}}, Invalid),
        ({"detail": {**loop("r1"), "project": PROJECT, "status": "exploded"}}, Invalid),
    ],
)
def test_what_nobody_speaks_for_is_refused(
    backend: EmbeddedBackend, changed: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        take_run_event(backend.ports, SOURCES, {**event_of(loop("r1"), PROJECT), **changed})
    assert known(backend) == {}


@pytest.mark.parametrize("text", ["[]", "{", '{"ci": {"sub": "x"}}', '{"ci": 1}'])
def test_a_setting_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="MEMORY_LAYER_EVENT_SOURCES"):
        read_sources(text)
