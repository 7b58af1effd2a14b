"""An engine that answers nobody costs a context what it would have brought, and a bounded number of threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.process.worker_threads import LANE_THREADS
from memory_layer.bootstrap.aws import CALLS_TOGETHER
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.ports.process import Embedder
from memory_layer.usecases.context.assemble import AssembledPage, assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember_many
from tests.aws.conftest import endpoint_of
from tests.aws.deployment import deployed
from tests.engines.dynamodb import DYNAMODB
from tests.engines.opensearch import OPENSEARCH_NODE

pytestmark = pytest.mark.engines

PATIENT_MS = 20_000
LANES = 7
"""The settings, four sources, the page and the receipt."""
THREADS_MAX = LANES * LANE_THREADS + CALLS_TOGETHER + 1
"""Threads of the lanes, of calls side by side, and of the probe of an open circuit."""
STALLED_S = 60.0
"""Longer than any of these tests: what waits for an engine to return has failed."""


@pytest.fixture
def cloud(tmp_path: Path, embedder: Embedder, admin: Principal) -> Iterator[EmbeddedBackend]:
    endpoints = endpoint_of(DYNAMODB), endpoint_of(OPENSEARCH_NODE)
    with deployed(*endpoints, tmp_path, embedder) as deployment:
        backend = deployment.open()
        said = [
            RememberRequest(fields={"content": f"The queue {n} keeps messages."}, on_duplicate="create")
            for n in range(9)
        ]
        remember_many(backend.ports, admin, "web", said)
        backend.drain()
        yield backend
        backend.close()


@contextmanager
def stalled(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> Iterator[list[str]]:
    """Every call of this waits until it is over; and the names of the threads that do."""
    real, released, waiting = getattr(owner, name), threading.Event(), list[str]()

    def wait(*args: Any, **given: Any) -> Any:
        waiting.append(threading.current_thread().name)
        released.wait(STALLED_S)
        return real(*args, **given)

    monkeypatch.setattr(owner, name, wait)
    try:
        yield waiting
    finally:
        released.set()
        monkeypatch.setattr(owner, name, real)


def ask(backend: EmbeddedBackend, who: Principal, number: int, time_ms: int) -> AssembledPage:
    request = ContextRequest(intent=f"how long does queue {number} keep messages?", time_ms=time_ms)
    return assemble_context(backend.ports, who, "web", request)


def told(found: AssembledPage) -> set[str]:
    return {warned.code for warned in found.assembled.warnings}


@pytest.mark.parametrize("engine", ["index", "store"])
def test_hundred_contexts_in_a_row_hold_a_bounded_number_of_threads(
    cloud: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """Safeguards: `Deadline`, without which the first context waits; `WorkerLane`, else each leaves threads."""
    assert ask(cloud, admin, 0, PATIENT_MS).assembled.fragments
    owner, name = _call_of(cloud, engine)
    before = threading.active_count()
    with stalled(monkeypatch, owner, name) as waiting:
        for number in range(1, 101):  # none of them the first question, whose page is kept
            found = ask(cloud, admin, number, number)
            assert "SOURCE_TIMEOUT" in told(found)
            assert found.assembled.fragments == []
        assert waiting
        assert len(waiting) <= THREADS_MAX
        assert threading.active_count() - before <= THREADS_MAX
    while "SOURCE_TIMEOUT" in told(found):  # the threads that hung are on their way back
        found = ask(cloud, admin, 8, PATIENT_MS)
    assert found.assembled.fragments


def _call_of(cloud: EmbeddedBackend, engine: str) -> tuple[Any, str]:
    if engine == "index":
        return cloud.ports.index._client.transport, "perform_request"  # type: ignore[attr-defined]
    return cloud.ports.store.memories._table._client, "_make_api_call"  # type: ignore[attr-defined]
