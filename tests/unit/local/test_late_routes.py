"""Routes that are loaded behind the socket: who asks meanwhile waits, and hears at once that the process is up."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.local.asgi import OPERATION_KEY
from memory_layer.local.late_routes import HEALTH_OPERATION, LateRoutes
from memory_layer.local.server import late_application
from memory_layer.local.warm_start import WarmStart
from memory_layer.ports.event_kinds import OPERATION_ACCEPTED
from tests.given import NoEmbedder
from tests.unit.local.test_console_pages import asked

LOADED_BY_ROUTES = {
    "memory_layer.edge.app",
    "memory_layer.edge.http.caller",
    "memory_layer.edge.shapes.answers",
    "memory_layer.mcp.router",
    "memory_layer.usecases.recall.recall",
    "memory_layer.domain.safety.quarantine",
}


@pytest.fixture
def backend() -> Iterator[EmbeddedBackend]:
    opened = open_embedded(None, embedder=NoEmbedder())
    yield opened
    opened.close()


class Counted:
    """Routes of one answer."""

    def answer(self, *_: object) -> dict[str, Any]:
        return {"statusCode": 200, "headers": {}, "body": "{}"}

    def answered_operation(self) -> str:
        return "counted"


def test_health_is_told_before_the_routes_are_loaded_as_they_tell_it(
    backend: EmbeddedBackend, tmp_path: Path
) -> None:
    """Falls where the early answer, or its headers, differ from the route's."""
    guard, routes = late_application(backend, tmp_path, with_auth=False, event_sources="", counts=None)
    early = asked(guard, "GET", "/healthz")
    assert routes._loaded is None
    routes.load()
    late = asked(guard, "GET", "/healthz")
    assert (early.status, early.json, early.body) == (200, {"status": "ok"}, late.body)
    assert {**early.headers, "x-request-id": ""} == {**late.headers, "x-request-id": ""}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v1/projects", 200), ("HEAD", "/healthz", 405), ("POST", "/healthz", 405)],
)
def test_another_request_loads_them(
    backend: EmbeddedBackend, tmp_path: Path, method: str, path: str, status: int
) -> None:
    """Falls where anything but a plain question about health is told early."""
    guard, routes = late_application(backend, tmp_path, with_auth=False, event_sources="", counts=None)
    assert asked(guard, method, path).status == status
    assert routes._loaded is not None


def test_health_with_a_body_is_no_early_answer() -> None:
    """A body is checked by who answers. Falls where one of forty megabytes is fine until the routes are loaded."""
    plain = {"method": "GET", "path": "/healthz", "headers": [(b"host", b"127.0.0.1")]}
    routes = LateRoutes(Counted)
    assert routes.early_answer(plain) is not None
    for header in ((b"content-length", b"2"), (b"transfer-encoding", b"chunked")):
        assert routes.early_answer({**plain, "headers": [*plain["headers"], header]}) is None


def test_early_health_is_counted_as_the_operation(backend: EmbeddedBackend, tmp_path: Path) -> None:
    guard, _ = late_application(backend, tmp_path, with_auth=False, event_sources="", counts=None)
    scope = {"method": "GET", "path": "/healthz", "headers": []}
    assert guard._answered_early(scope) is not None
    assert scope[OPERATION_KEY] == HEALTH_OPERATION


def test_they_are_loaded_once_whoever_asks() -> None:
    """Falls where `load` takes no lock."""
    loads: list[int] = []

    def slowly() -> Counted:
        loads.append(1)
        time.sleep(0.05)
        return Counted()

    routes, found = LateRoutes(slowly), []
    asking = [threading.Thread(target=lambda: found.append(routes.answer({}, b"", {}))) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(30)
    assert (len(loads), len(found)) == (1, 8)
    assert routes.early_answer({"method": "GET", "path": "/healthz", "headers": []}) is None


def test_an_operation_that_is_accepted_before_is_carried_out(
    backend: EmbeddedBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that is handed over may accept one. Falls where its work is subscribed with the routes."""
    done: list[Any] = []
    monkeypatch.setattr(
        "memory_layer.edge.operations.runner.run_operation", lambda _, detail, **__: done.append(detail)
    )
    late_application(backend, tmp_path, with_auth=False, event_sources="", counts=None)
    backend.ports.bus.publish(OPERATION_ACCEPTED, {"tenant": "local", "operation_id": "op_1"})
    backend.drain()
    assert [detail["operation_id"] for detail in done] == ["op_1"]


def test_the_start_loads_them_first_and_collects_garbage_again(backend: EmbeddedBackend) -> None:
    """Falls where the collector stays off, or what was left is taken up before anything answers."""
    told: list[object] = []
    start = WarmStart(
        backend,
        load_routes=lambda: told.append(("routes", gc.isenabled())),
        once_loaded=lambda: told.append(("loaded", gc.isenabled())),
    )
    gc.disable()
    try:
        start.start()
        start._thread.join(30)
    finally:
        gc.enable()
    assert told == [("routes", False), ("loaded", True)]
    assert not start.has_failed


def test_a_server_whose_routes_cannot_be_loaded_ends(tmp_path: Path) -> None:
    """Falls where it would tell that it is well for good, and answer nothing else."""
    program = (
        "import sys, pathlib, memory_layer.local.server as server;"
        "from memory_layer.settings import read_settings;"
        "server._bound_routes = lambda *_: [][0];"
        "settings = read_settings({}, data_dir=pathlib.Path(sys.argv[1]));"
        "server.serve(settings, host='127.0.0.1', port=0, with_auth=False)"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 1
    assert "the routes cannot be loaded; the server ends" in ran.stderr


def test_what_listens_loads_no_route(tmp_path: Path) -> None:
    """Half of what a start takes. Falls where a module that serves imports at its top what answers."""
    program = (
        "import sys, json, pathlib; import memory_layer.local.server, memory_layer.cli.app;"
        "from memory_layer.bootstrap.embedded import open_embedded;"
        "from memory_layer.settings import read_settings;"
        "open_embedded(read_settings({}, data_dir=pathlib.Path(sys.argv[1]))).close();"
        "print(json.dumps([*sys.modules]))"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(json.loads(ran.stdout)) & LOADED_BY_ROUTES == set()
