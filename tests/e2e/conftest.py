"""The real thing: uvicorn on a free port of loopback, over a fresh data folder."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest
import uvicorn

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.local.server import application
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from tests.answer_schemas import checked
from tests.given import StandingClock

Serve = Callable[..., httpx2.Client]


@contextmanager
def running(backend: EmbeddedBackend, folder: Path, *, with_auth: bool) -> Iterator[str]:
    """The base URL of a server that runs in a thread of this process."""
    listening = socket.socket(
        socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # so that asyncio sets NODELAY
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(application(backend, folder, with_auth=with_auth), log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture
def serve(tmp_path: Path, embedder: Embedder, clock: StandingClock) -> Iterator[Serve]:
    """Starts a server; `with_auth=True` asks for tokens."""
    with ExitStack() as stack:

        def start(*, with_auth: bool = False, **changed: object) -> httpx2.Client:
            settings = read_settings({}, data_dir=tmp_path / "data", model_dir=tmp_path / "no-model")
            backend = open_embedded(settings, **{"embedder": embedder, "clock": clock, **changed})  # type: ignore[arg-type]
            stack.callback(backend.close)
            url = stack.enter_context(running(backend, settings.data_dir, with_auth=with_auth))
            return checked(stack.enter_context(httpx2.Client(base_url=url, timeout=120.0)))

        yield start


@pytest.fixture
def http(serve: Serve) -> httpx2.Client:
    """A client of a server on loopback without authentication."""
    return serve()
