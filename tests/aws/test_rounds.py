"""Rounds of a call: requests to engines that wait for one another, counted without a clock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from opensearchpy.connection.http_urllib3 import Urllib3HttpConnection

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.ports.process import Embedder, Ports
from memory_layer.ports.together import Together
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from tests.aws.conftest import endpoint_of
from tests.aws.deployment import deployed
from tests.engines.dynamodb import DYNAMODB
from tests.engines.opensearch import OPENSEARCH_NODE

pytestmark = pytest.mark.engines

T = TypeVar("T")
U = TypeVar("U")

PROJECT = "web"


@dataclass
class Rounds(Together):
    """Counter of rounds: work side by side takes as many as the longest of it, one after the other as it is done here.

    What the store asks for in threads of its own goes beside what its caller asks for, but for transactions: those
    it waits for.
    """

    rounds: int = 0

    def both(self, one: Callable[[], T], other: Callable[[], U]) -> tuple[T, U]:
        first, second = self.each([one, other])  # type: ignore[list-item]
        return first, second  # type: ignore[return-value]

    def each(self, works: Sequence[Callable[[], T]]) -> list[T]:
        begun, longest, done = self.rounds, self.rounds, []
        for work in works:
            self.rounds = begun
            done.append(work())
            longest = max(longest, self.rounds)
        self.rounds = longest
        return done

    def note(self, operation: str = "") -> None:
        is_waited_for = threading.current_thread() is threading.main_thread()
        self.rounds += is_waited_for or operation == "TransactWriteItems"


@pytest.fixture
def counted(
    tmp_path: Path, embedder: Embedder, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Ports, Rounds]]:
    """Ports of a deployment with a dozen memories, all in the index, and what its process knows already."""
    with deployed(endpoint_of(DYNAMODB), endpoint_of(OPENSEARCH_NODE), tmp_path, embedder) as deployment:
        backend: EmbeddedBackend = deployment.open()
        rounds = Rounds()
        ports = replace(backend.ports, together=rounds)
        for number in range(12):
            remember(ports, admin, PROJECT, RememberRequest(fields={"content": _text(number)}))
        backend.drain()
        recall(ports, admin, PROJECT, RecallRequest(query=_text(3)))
        deployment_client(ports).register("before-call.dynamodb", lambda model, **_: rounds.note(model.name))
        real = Urllib3HttpConnection.perform_request

        def noted(self: Any, *arguments: Any, **named: Any) -> Any:
            rounds.note()
            return real(self, *arguments, **named)

        monkeypatch.setattr(Urllib3HttpConnection, "perform_request", noted)
        rounds.rounds = 0
        yield ports, rounds
        backend.close()


def deployment_client(ports: Ports) -> Any:
    """Events of the client through which a store asks DynamoDB."""
    return ports.store.receipts._table._client.meta.events  # type: ignore[attr-defined]


def _text(number: int) -> str:
    return f"Worker {number} of the billing queue retries {number + 2} times before it gives up."


def test_a_creation_takes_seven_rounds(counted: tuple[Ports, Rounds], admin: Principal) -> None:
    """Ten where settings, log, search and equal contents wait for one another. The gate's order cannot be shared."""
    ports, rounds = counted
    stored = remember(ports, admin, PROJECT, RememberRequest(fields={"content": "The lion sleeps at noon."}))
    assert isinstance(stored, StoredMemory)
    assert rounds.rounds <= 7


def test_a_recall_takes_five_rounds(counted: tuple[Ports, Rounds], admin: Principal) -> None:
    ports, rounds = counted
    assert recall(ports, admin, PROJECT, RecallRequest(query=_text(5))).memories
    assert rounds.rounds <= 5


def test_an_outcome_takes_five_rounds(counted: tuple[Ports, Rounds], admin: Principal) -> None:
    ports, rounds = counted
    (known, *_) = recall(ports, admin, PROJECT, RecallRequest(query=_text(5))).memories
    rounds.rounds = 0
    report_outcome(ports, admin, PROJECT, known.memory.id, OutcomeReport(result="worked"))
    assert rounds.rounds <= 5
