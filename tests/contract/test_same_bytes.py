"""The same request over the same memories gives the same bytes: on both backends, and whatever became of a process."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.context.fragments import LAYERS, Format, LodPreference
from memory_layer.domain.integrity.digests import ACCESS_COUNTERS
from memory_layer.edge.shapes.context_answers import context_json
from memory_layer.edge.shapes.graph_bodies import graph_json
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.explore_graph import explore_graph
from memory_layer.usecases.recall.recall import RecallRequest, Strategy, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember, remember_many
from tests.aws.conftest import endpoint_of
from tests.aws.deployment import deployed
from tests.contract.varied_memories import SESSION, told, write_all
from tests.engines.dynamodb import DYNAMODB
from tests.engines.opensearch import OPENSEARCH_NODE
from tests.fuzzing import examples
from tests.given import ADMIN, Counter, StandingClock

PATIENT_MS = 27_000
MEMORIES = 300
QUESTIONS = (
    *("how long does the queue keep messages?", "Café index", "max_connections timeouts", "登录服务 hours"),
    *("what did Grace Hopper say about the cache?", "docs/runbook.md", "incident of 3 May 2025"),
    *(
        "the Node.js worker retries",
        "deploy job 7 minutes",
        "who prefers short answers",
        "urn:service:gateway",
    ),
    *("nothing of the kind: penguins", "The The The", "queue"),
    *("what was drained on 2 May 2025?", "was lief letzte Woche in der queue?", "the cache in June 2025"),
)


def _random_requests(count: int, seed: int) -> list[ContextRequest]:
    chance = random.Random(seed)
    return [
        ContextRequest(
            intent=chance.choice(QUESTIONS),
            request_id=f"r{number}",
            tokens_max=chance.choice((0, 60, 300, 1_000, 4_000, 16_000)),
            time_ms=PATIENT_MS,
            format=chance.choice(get_args(Format)),
            lod_preference=chance.choice(get_args(LodPreference)),
            layers=tuple(layer for layer in LAYERS if chance.random() < 0.8) or LAYERS,
            session_id=SESSION,
            tokenizer="chars4",
            entities=chance.choice(((), ("urn:table:orders",), ("urn:table:users", "urn:nobody"))),
            kv_policy=chance.choice(({}, {"pin": {"patterns": ("*.md",), "ttl_hours": 24}})),
        )
        for number in range(count)
    ]


def _contexts(backend: EmbeddedBackend, requests: Sequence[ContextRequest]) -> list[Any]:
    """What `POST /context` answers, but for the time that it took and the name of its receipt."""
    backend.ports.contexts.kept.forget_all()
    found = (assemble_context(backend.ports, ADMIN, "web", request) for request in requests)
    return [context_json(replace(context, assembly_time_ms=0.0, recall_id="")) for context in found]


def _recalled(backend: EmbeddedBackend, project: str, request: RecallRequest) -> Any:
    """Without the receipt's name, and without the counters of accesses, which are written a moment later."""
    backend.drain()
    found = recall(backend.ports, ADMIN, project, request)
    uncounted = dict.fromkeys(ACCESS_COUNTERS)
    shown = [replace(item, memory=replace(item.memory, **uncounted)) for item in found.memories]
    return replace(found, recall_id="", memories=tuple(shown))


def _open(folder: Path, embedder: Embedder, clock: StandingClock) -> EmbeddedBackend:
    given = read_settings({}, data_dir=folder, model_dir=folder / "no-model")
    return open_embedded(given, embedder=embedder, clock=clock, make_id=Counter())


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Iterator[EmbeddedBackend]:
    clock = StandingClock()
    backend = _open(tmp_path_factory.mktemp("local"), embedder, clock)
    write_all(backend, ADMIN, clock, told(MEMORIES, seed=1))
    yield backend
    backend.close()


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Iterator[EmbeddedBackend]:
    clock, folder = StandingClock(), tmp_path_factory.mktemp("cloud")
    with deployed(endpoint_of(DYNAMODB), endpoint_of(OPENSEARCH_NODE), folder, embedder) as deployment:
        backend = deployment.open(clock=clock, make_id=Counter())
        write_all(backend, ADMIN, clock, told(MEMORIES, seed=1))
        yield backend
        backend.close()


@pytest.mark.engines
def test_contexts_are_the_same_to_the_letter_on_both_backends(
    local: EmbeddedBackend, cloud: EmbeddedBackend
) -> None:
    """Safeguard: `domain.retrieval.exact_scores`; engines' scores differ in the last digits, and so in the order."""
    asked = _random_requests(30, seed=5)
    for request, here, there in zip(asked, _contexts(local, asked), _contexts(cloud, asked), strict=True):
        assert here == there, request


@pytest.mark.engines
def test_graphs_are_the_same_on_both_backends(local: EmbeddedBackend, cloud: EmbeddedBackend) -> None:
    for entity in ("urn:table:orders", "Grace Hopper", "turn-3", "docs/runbook.md"):
        here, there = (_graph(backend, entity) for backend in (local, cloud))
        assert here == there
        assert here["nodes"]


@pytest.mark.engines
@pytest.mark.parametrize("strategy", get_args(Strategy))
def test_rankings_are_the_same_on_both_backends(
    local: EmbeddedBackend, cloud: EmbeddedBackend, strategy: Strategy
) -> None:
    for question, project in product(QUESTIONS[::2], ("web", "billing")):
        request = RecallRequest(query=question, strategy=strategy, limit=40, entities=("urn:table:orders",))
        assert _recalled(local, project, request) == _recalled(cloud, project, request)


def test_a_restart_changes_no_byte(tmp_path: Path, embedder: Embedder) -> None:
    """Safeguard: the typical cosine is of the memories, not of how many there were when it was first asked for."""
    clock, asked = StandingClock(), _random_requests(20, seed=7)
    backend = _open(tmp_path / "data", embedder, clock)
    for one in told(80, seed=2):
        for fields in one.said:
            remember(backend.ports, ADMIN, one.project, RememberRequest(fields=fields, on_duplicate="create"))
        _contexts(backend, asked[:3])
    before = _contexts(backend, asked)
    backend.close()
    again = _open(tmp_path / "data", embedder, clock)
    assert _contexts(again, asked) == before
    again.close()


@given(order=st.randoms(use_true_random=False), seed=st.integers(0, 1_000))
@settings(max_examples=examples(6))
def test_the_order_of_writing_changes_no_byte(embedder: Embedder, order: random.Random, seed: int) -> None:
    """Safeguard: equal scores go by id, and the sample of a project is drawn by id."""
    asked = _random_requests(12, seed)
    answers = []
    for is_shuffled in (False, True):
        memories = told(60, seed)
        if is_shuffled:
            order.shuffle(memories)
            for one in memories:
                order.shuffle(one.said)
        backend = open_embedded(None, embedder=embedder, clock=StandingClock(), make_id=Counter())
        for one in memories:
            remember_many(
                backend.ports,
                ADMIN,
                one.project,
                [RememberRequest(fields=f, on_duplicate="create") for f in one.said],
            )
        answers.append(_contexts(backend, asked))
        backend.close()
    assert answers[0] == answers[1]


def _graph(backend: EmbeddedBackend, entity: str) -> Any:
    explored = explore_graph(backend.ports, ADMIN, "web", entity, hops=2, limit=100)
    return graph_json(explored, "web", entity, 2)
