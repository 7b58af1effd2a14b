"""A function over the embedded backend: the same edge as in the cloud, with the laptop's store behind it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.edge.api_gateway import HttpApi
from memory_layer.edge.operations.jobs import OPERATION_ACCEPTED
from memory_layer.edge.operations.runner import run_operation
from memory_layer.ports.process import Ports
from tests.functions.http_api import ADMIN, client_of


@dataclass
class Shelf:
    """Where answers too large for Lambda go, and the backend's ports."""

    ports: Ports
    kept: dict[str, bytes] = field(default_factory=dict)
    has_sweep_queue: bool = False

    def offload(self, request_id: str, body: bytes) -> str:
        self.kept[request_id] = body
        return f"https://blobs.example/{request_id}?signature=1"


@pytest.fixture(autouse=True)
def _own_logging(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A function takes the process's logging over; a test gives it back."""
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "true")
    root, ours = logging.getLogger(), logging.getLogger("memory_layer")
    before = root.handlers[:], root.level, ours.level
    yield
    root.handlers[:], root.level, ours.level = before


@pytest.fixture
def shelf(backend: EmbeddedBackend) -> Shelf:
    backend.subscribe(OPERATION_ACCEPTED, partial(run_operation, backend.ports))
    return Shelf(backend.ports)


@pytest.fixture
def function(shelf: Shelf) -> HttpApi:
    return HttpApi("memories", lambda: shelf)


@pytest.fixture
def cloud(function: HttpApi) -> Iterator[Callable[..., httpx2.Client]]:
    """A client of the function; `claims` are those of its token."""
    clients: list[httpx2.Client] = []

    def open_(claims: object = ADMIN) -> httpx2.Client:
        clients.append(client_of(function, claims))  # type: ignore[arg-type]
        return clients[-1]

    yield open_
    for client in clients:
        client.close()


@pytest.fixture
def http(cloud: Callable[..., httpx2.Client]) -> httpx2.Client:
    return cloud()
