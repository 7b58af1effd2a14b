"""Recalls, prompts and look-ups compute one at a time; questions are embedded beside, and contexts let them pass."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.ranking import TaskProfile
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Turns
from memory_layer.usecases.context import courtesy
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.compose_knowledge import compose_knowledge
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.enrich import enrich
from memory_layer.usecases.recall.explore_graph import explore_graph
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember

WAIT_S = 30.0


class WatchedEmbedder:
    """An embedder that tells when it is asked."""

    model, dimensions = "watched", 8

    def __init__(self) -> None:
        self.was_asked = threading.Event()

    def embed(self, texts: Sequence[str]) -> Any:
        self.was_asked.set()
        return np.full((len(texts), self.dimensions), 8**-0.5, np.float32)


class CountedTurns(Turns):
    """Turns that count who lets others pass."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    def let_pass(self, seconds: float) -> None:
        self.asked.append(seconds)


@pytest.fixture
def embedder() -> WatchedEmbedder:
    return WatchedEmbedder()


@pytest.fixture
def backend(embedder: WatchedEmbedder) -> Iterator[EmbeddedBackend]:
    opened = open_embedded(None, embedder=embedder)
    remember(opened.ports, LOCAL_PRINCIPAL, "p", RememberRequest(fields={"content": "tests run in WAL mode"}))
    embedder.was_asked.clear()
    yield opened
    opened.close()


@contextmanager
def turn_taken(backend: EmbeddedBackend) -> Iterator[None]:
    """Another thread computes inside."""
    has_begun, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        has_begun.set()
        may_end.wait(WAIT_S)

    with ThreadPoolExecutor(1) as pool:
        holder = pool.submit(backend.ports.turns.run, hold)
        assert has_begun.wait(WAIT_S)
        try:
            yield
        finally:
            may_end.set()
            holder.result(WAIT_S)


def recalled(backend: EmbeddedBackend) -> int:
    asked = RecallRequest(query="which mode do tests run in?")
    return len(recall(backend.ports, LOCAL_PRINCIPAL, "p", asked).memories)


def prompted(backend: EmbeddedBackend) -> int:
    found = compose_prompt(backend.ports, LOCAL_PRINCIPAL, "p", "run the tests", TaskProfile(), limit=5)
    return len(found.memories)


def informed(backend: EmbeddedBackend) -> int:
    found = compose_knowledge(backend.ports, LOCAL_PRINCIPAL, "p", "run the tests", TaskProfile(), limit=5)
    return len(found.memories)


def enriched(backend: EmbeddedBackend) -> int:
    payload = {"table": "urn:li:dataset:orders"}
    return len(enrich(backend.ports, LOCAL_PRINCIPAL, "p", payload, limit=5, tokens_max=500).memories)


def explored(backend: EmbeddedBackend) -> int:
    return len(explore_graph(backend.ports, LOCAL_PRINCIPAL, "p", "WAL", hops=1, limit=5).nodes)


@pytest.mark.parametrize("ask", [recalled, prompted, informed])
def test_an_answer_waits_for_its_turn_and_embeds_before_it(
    backend: EmbeddedBackend, embedder: WatchedEmbedder, ask: Callable[[EmbeddedBackend], int]
) -> None:
    """Safeguards: `turns.run` around the computing, `embedded` before it."""
    with ThreadPoolExecutor(1) as pool:
        with turn_taken(backend):
            asked: Future[int] = pool.submit(ask, backend)
            assert embedder.was_asked.wait(WAIT_S)
            with pytest.raises(TimeoutError):
                asked.result(0.2)
        assert asked.result(WAIT_S) >= 0
    assert recalled(backend) == 1


@pytest.mark.parametrize("look_up", [enriched, explored])
def test_a_look_up_waits_for_its_turn(
    backend: EmbeddedBackend, look_up: Callable[[EmbeddedBackend], int]
) -> None:
    """Safeguard: `turns.run` around the look-up."""
    with ThreadPoolExecutor(1) as pool:
        with turn_taken(backend):
            asked: Future[int] = pool.submit(look_up, backend)
            with pytest.raises(TimeoutError):
                asked.result(0.5)
        assert asked.result(WAIT_S) >= 0


def test_a_query_is_embedded_once_also_where_the_index_is_searched_twice(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[Sequence[str]] = []
    inner = backend.ports.embedder.embed
    monkeypatch.setattr(backend.ports.embedder, "embed", lambda texts: counted.append(texts) or inner(texts))
    asked = RecallRequest(query="which mode?", as_of=backend.ports.clock.now())
    recall(backend.ports, LOCAL_PRINCIPAL, "p", asked)
    assert len(counted) == 1


def test_a_context_lets_recalls_pass_before_its_steps(backend: EmbeddedBackend) -> None:
    """Safeguard: `Deadline.give_way`; a recall would wait for the steps of contexts as well."""
    turns = CountedTurns()
    ports = replace(backend.ports, turns=turns)
    request = ContextRequest(intent="which mode do tests run in?", tokens_max=400, time_ms=20_000)
    page = assemble_context(ports, LOCAL_PRINCIPAL, "p", request)
    assert page.assembled.fragments
    assert len(turns.asked) >= 4
    assert max(turns.asked) <= courtesy.SHARE * 20.0


def test_a_context_waits_a_tenth_of_its_time_in_all() -> None:
    """Safeguard: the time left; under recalls without an end a context would be empty."""
    moments = iter([0.0, 0.3, 0.3, 0.6, 0.6, 1.0, 1.0, 1.0])
    turns = CountedTurns()
    give_way = courtesy.Courtesy(turns, 5.0, lambda: next(moments))
    for _ in range(4):
        give_way()
    assert turns.asked == pytest.approx([0.5, 0.2])
