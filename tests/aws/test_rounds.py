"""Rounds of a call: requests to engines that wait for one another, counted without a clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.ports.process import Embedder, Ports
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from tests.aws.conftest import endpoint_of
from tests.aws.deployment import deployed
from tests.bench.cloud.engine_calls import EngineCalls, recorded
from tests.engines.dynamodb import DYNAMODB
from tests.engines.opensearch import OPENSEARCH_NODE

pytestmark = pytest.mark.engines

PROJECT = "web"


@pytest.fixture
def backend(tmp_path: Path, embedder: Embedder) -> Iterator[EmbeddedBackend]:
    """A deployment on the engines, as one process has it open."""
    with deployed(endpoint_of(DYNAMODB), endpoint_of(OPENSEARCH_NODE), tmp_path, embedder) as deployment:
        opened = deployment.open()
        yield opened
        opened.close()


@pytest.fixture
def counted(backend: EmbeddedBackend, admin: Principal) -> Iterator[tuple[Ports, EngineCalls]]:
    """Ports of a deployment with a dozen memories, all in the index, and what its process knows already."""
    ports = backend.ports
    for number in range(12):
        remember(ports, admin, PROJECT, RememberRequest(fields={"content": _text(number)}))
    backend.drain()
    recall(ports, admin, PROJECT, RecallRequest(query=_text(3)))
    with recorded(client_of(ports)) as seen:
        yield ports, seen


def client_of(ports: Ports) -> Any:
    """Client through which a store asks DynamoDB."""
    return ports.store.receipts._table._client  # type: ignore[attr-defined]


def _text(number: int) -> str:
    return f"Worker {number} of the billing queue retries {number + 2} times before it gives up."


def test_a_creation_takes_seven_rounds(counted: tuple[Ports, EngineCalls], admin: Principal) -> None:
    """Ten where settings, log, search and equal contents wait for one another. The gate's order cannot be shared."""
    ports, seen = counted
    stored = remember(ports, admin, PROJECT, RememberRequest(fields={"content": "The lion sleeps at noon."}))
    assert isinstance(stored, StoredMemory)
    assert seen.rounds_taken() <= 7


def test_a_recall_takes_five_rounds(counted: tuple[Ports, EngineCalls], admin: Principal) -> None:
    ports, seen = counted
    assert recall(ports, admin, PROJECT, RecallRequest(query=_text(5))).memories
    assert seen.rounds_taken() <= 5


def test_a_recall_with_a_trial_takes_two_more(
    backend: EmbeddedBackend, counted: tuple[Ports, EngineCalls], admin: Principal
) -> None:
    """The one reads the new memories that may be tried, the other how often these were shown."""
    ports, seen = counted
    request = RecallRequest(query=_text(5), limit=5)
    for one in recall(ports, admin, PROJECT, request).memories:
        for run in "abcde":
            report_outcome(
                ports, admin, PROJECT, one.memory.id, OutcomeReport(result="worked", session_id=run)
            )
    backend.drain()
    seen.rounds_taken()
    found = recall(ports, admin, PROJECT, request).memories
    assert [one.placed_by for one in found][-1] == "exploration", "none was tried"
    assert seen.rounds_taken() <= 7


def test_an_outcome_takes_five_rounds(counted: tuple[Ports, EngineCalls], admin: Principal) -> None:
    ports, seen = counted
    (known, *_) = recall(ports, admin, PROJECT, RecallRequest(query=_text(5))).memories
    seen.rounds_taken()
    report_outcome(ports, admin, PROJECT, known.memory.id, OutcomeReport(result="worked"))
    assert seen.rounds_taken() <= 5
