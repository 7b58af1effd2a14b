"""Memories that wait for their vectors: they are found by their words, beside others that are found by meaning too.

They came while there was no model, or have vectors of a model that is no longer in use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.retrieval.candidates import candidates_of_lists, mentioned_rows
from memory_layer.domain.retrieval.mentions import MentionedRecords
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.index import IndexAnswer, IndexQuery
from memory_layer.ports.process import Embedder
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.write.put import put_memory
from tests.given import PROJECT, NoEmbedder, recalled_ids, remembered

Open = Callable[..., EmbeddedBackend]

SNAKE_CASE = "Always use snake_case for Python functions"
ASKED = "how do we name our python functions and classes here"
FOREIGN = "What is the capital of France?"
OTHERS = (
    "Errors of the gateway are logged as JSON.",
    "The queue keeps its messages for four days.",
    "Restart the scheduler after every schema change.",
    "The cache reads its settings from the environment.",
)


class EarlierModel:
    """A model no longer in use: its vectors are all those of FOREIGN, which would be near, if anybody compared them."""

    model = "earlier-model"
    dimensions = 384

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedder.embed([FOREIGN] * len(texts))


@pytest.fixture(params=["stored without a model", "of another model"])
def before(request: pytest.FixtureRequest, embedder: Embedder) -> Embedder:
    return NoEmbedder() if request.param == "stored without a model" else EarlierModel(embedder)


def tell(backend: EmbeddedBackend, by: Principal, *contents: str) -> None:
    write(backend, by, *contents)
    backend.drain()


def write(backend: EmbeddedBackend, by: Principal, *contents: str) -> None:
    for content in contents:
        put_memory(backend.ports, by, PROJECT, "-".join(content.split()[:2]), {"content": content})


def asked(backend: EmbeddedBackend, by: Principal, query: str, **given: object) -> RecallResult:
    return recall(backend.ports, by, PROJECT, RecallRequest(query=query, **given))  # type: ignore[arg-type]


def found(backend: EmbeddedBackend, by: Principal, query: str) -> list[str]:
    return [item.memory.content for item in asked(backend, by, query).memories]


@pytest.mark.parametrize("beside", [(), OTHERS], ids=["alone", "beside others"])
def test_words_find_what_has_no_vector_yet(
    open_backend: Open, admin: Principal, before: Embedder, beside: Sequence[str]
) -> None:
    """Falls where `coverage_floor` asks of it as much as of a text that was compared by meaning."""
    tell(open_backend(embedder=before), admin, SNAKE_CASE)
    backend = open_backend()
    tell(backend, admin, *beside)
    answer = asked(backend, admin, ASKED)
    assert answer.memories[0].memory.content == SNAKE_CASE
    assert not answer.degraded
    assert asked(backend, admin, FOREIGN).abstained
    run_sweep(backend.ports, "backfill", holder="test", seconds=60)
    backend.drain()
    assert found(backend, admin, "naming conventions")[0] == SNAKE_CASE


def test_the_words_of_what_has_no_vector_stand_for_its_meaning_too(
    open_backend: Open, admin: Principal, before: Embedder
) -> None:
    """Falls where it competes with the words' share of the score alone, as if its meaning were the farthest."""
    tell(open_backend(embedder=before), admin, "The queue keeps its messages for four days, then drops them.")
    backend = open_backend()
    tell(backend, admin, "A queue of messages is drained by the worker.", *OTHERS[2:])
    first, *_ = found(backend, admin, "how many days does the queue keep its messages")
    assert first.startswith("The queue keeps")


class NoIndex:
    """An index that is down: the newest records are read and scored one by one."""

    def covered(self, scope: Scope) -> int | None:
        raise IndexUnavailable(f"nothing of {scope.project} can be searched")


class LaggingIndex:
    """An index that has seen nothing yet: what was written since is scored one by one."""

    def covered(self, scope: Scope) -> int | None:
        del scope
        return 0

    def search(self, query: IndexQuery) -> IndexAnswer:
        return IndexAnswer(candidates_of_lists(query.scopes[0].tenant, {}))

    def mentioning(self, scopes: tuple[Scope, ...], mentions: Sequence[str], *_: Any, **__: Any) -> Any:
        return mentioned_rows(scopes[0].tenant, [MentionedRecords(0)] * len(mentions))


@pytest.mark.parametrize("index", [NoIndex(), LaggingIndex()], ids=["down", "behind"])
def test_records_scored_one_by_one_are_not_compared_across_models(
    open_backend: Open, admin: Principal, before: Embedder, index: Any
) -> None:
    """The safeguard is the model asked for in `_scored`: the earlier one's vectors are all near to FOREIGN."""
    write(open_backend(embedder=before), admin, SNAKE_CASE)  # undrained: the log keeps what no index has seen
    ports = replace(open_backend().ports, index=index)
    assert recalled_ids(ports, admin, ASKED) == ["Always-use"]
    assert recalled_ids(ports, admin, FOREIGN) == []


def test_the_gate_does_not_compare_the_vectors_of_two_models(
    open_backend: Open, admin: Principal, embedder: Embedder
) -> None:
    """The earlier model's vector of what is known equals the new one's: another text all the same."""
    tell(open_backend(embedder=EarlierModel(embedder)), admin, SNAKE_CASE)
    assert isinstance(remembered(open_backend().ports, admin, FOREIGN), Memory)


def test_a_context_does_not_compare_the_vectors_of_two_models(
    open_backend: Open, admin: Principal, before: Embedder
) -> None:
    """The safeguard is the model asked for in `sources._vectors_of`: an earlier one's vectors are all the same here."""
    tell(open_backend(embedder=before), admin, SNAKE_CASE, "Python functions and classes have docstrings.")
    request = ContextRequest(intent=ASKED, request_id="r", tokens_max=4_000, time_ms=27_000)
    made = assemble_context(open_backend().ports, admin, PROJECT, request).assembled
    assert SNAKE_CASE in made.rendered
    assert "docstrings" in made.rendered
    assert made.coherence == 0.0


class CountedModel:
    """The model in use, which counts how often it is asked."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self.asked = embedder, 0
        self.model, self.dimensions = embedder.model, embedder.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += 1
        return self._embedder.embed(texts)


@pytest.mark.parametrize(("strategy", "asks"), [("lexical", 0), ("semantic", 1)])
def test_lexical_asks_no_model(
    open_backend: Open, admin: Principal, embedder: Embedder, strategy: str, asks: int
) -> None:
    tell(open_backend(), admin, SNAKE_CASE, *OTHERS)
    counted = CountedModel(embedder)
    backend = open_backend(embedder=counted)
    counted.asked = 0
    answer = asked(backend, admin, "snake_case of Python functions", strategy=strategy)
    assert answer.memories[0].memory.content == SNAKE_CASE
    assert (counted.asked, answer.degraded) == (asks, False)
