"""Commands, hooks and conversations that are handed over: counted and logged as requests, for the server alone."""

from __future__ import annotations

import io
import json
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import pytest
from typer.main import get_command

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.cli.app import app
from memory_layer.cli.handover import caller, listener, socket_file
from memory_layer.cli.handover.listener import listening
from memory_layer.local.counted_operations import CountedOperations
from memory_layer.local.request_counts import RequestCounts, request_log
from memory_layer.local.server import application
from memory_layer.ports.counting import MCP_CALL
from memory_layer.settings import read_settings
from memory_layer.wire.routes import ROUTES
from tests.unit.cli.conftest import Mem, Say
from tests.unit.local.test_console_pages import asked

MARKER = "zanzibar-marker-7731"
PROGRAM = get_command(app)
PACKAGE = Path(caller.__file__).parents[2]


@contextmanager
def counted_server(log: TextIO | None) -> Iterator[EmbeddedBackend]:
    """A server that commands are handed over to, with its request log."""
    settings = read_settings()
    backend = open_embedded(settings)
    try:
        with listening(PROGRAM, backend, settings, RequestCounts(log)):
            yield backend
    finally:
        backend.close()


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def told(log: io.StringIO) -> list[tuple[str, str, int]]:
    """Method, operation and status of each line."""
    return [(line["method"], line["operation"], line["status"]) for line in lines(log)]


def test_commands_count_as_the_operations_that_they_ask(say: Say) -> None:
    log = io.StringIO()
    with counted_server(log):
        assert say("add", f"The pool of {MARKER} closes after 30 s.", "--json")[0] == 0
        assert say("add", f"The pool of {MARKER} closes after 30 s.")[0] == 1
        assert say("search", "the pool")[0] == 0
        assert say("list", "--limit", "9999")[0] == 1
        id = json.loads(say("list", "--json")[1])["memories"][0]["id"]
        assert say("edit", id)[0] == 1  # asks nothing: there is nothing to change
        assert say("forget", id, "--hard")[0] == 0
        assert say("get", id)[0] == 1
    assert told(log) == [
        ("POST", "create_memory", 201),
        ("POST", "create_memory", 409),
        ("POST", "recall", 200),
        ("GET", "list_memories", 422),
        ("GET", "list_memories", 200),
        ("DELETE", "delete_memory", 204),
        ("GET", "get_memory", 404),
    ]
    assert MARKER not in log.getvalue()
    assert all(line["request_id"].startswith("req_") and line["ms"] >= 0 for line in lines(log))


def test_a_memory_that_takes_one_in_is_answered_200(say: Say) -> None:
    log = io.StringIO()
    with counted_server(log):
        for _ in range(2):
            assert say("add", "The pool closes after 30 s.", "--on-duplicate", "merge")[0] == 0
    assert [status for *_, status in told(log)] == [201, 200]


def test_the_log_is_the_servers_and_not_the_callers(mem: Mem, capsys: pytest.CaptureFixture[str]) -> None:
    """Falls where a line goes to whatever is standard error just then: in a command's thread that is its caller's."""
    del mem
    with counted_server(request_log(True)), handed_over("add", "The pool closes after 30 s.") as wire:
        *_, end = iter(lambda: socket_file.receive(wire), None)
    assert end["code"] == 0
    assert "create_memory" not in json.dumps(end["written"])
    assert '"operation": "create_memory", "status": 201' in capsys.readouterr().err


def test_the_page_of_the_server_has_them(mem: Mem, say: Say) -> None:
    """Falls where a command's counts are others than those of the server's page."""
    del mem
    settings = read_settings()
    backend, counts = open_embedded(settings), RequestCounts()
    try:
        guard = application(backend, settings.data_dir, with_auth=False, counts=counts)
        with listening(PROGRAM, backend, settings, counts):
            say("add", "The pool closes after 30 s.")
            say("search", "the colour of the sky")
        text = asked(guard, "GET", "/metrics").body.decode()
    finally:
        backend.close()
    assert 'memory_layer_requests_total{operation="create_memory",status="201"} 1' in text
    assert 'memory_layer_requests_total{operation="recall",status="200"} 1' in text
    assert "memory_layer_recalls_degraded_total 1" in text


def test_a_hook_counts_what_it_asks(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    log, given = io.StringIO(), {"session_id": "s-1", "prompt": f"Where does {MARKER} close the pool?"}
    with counted_server(log):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(given).encode())))
        assert say("hook", "claude", "UserPromptSubmit")[0] == 0
    assert told(log) == [("POST", "recall", 200)]
    assert MARKER not in log.getvalue()


def test_calls_of_a_conversation_count_as_those_over_http(mem: Mem) -> None:
    del mem
    log = io.StringIO()
    with counted_server(log), conversation() as wire:
        introduce(wire)
        call = {"name": "add_memory", "arguments": {"content": f"The pool of {MARKER} closes."}}
        answer = rpc(wire, 2, "tools/call", call)
    assert not answer["result"].get("isError"), answer
    assert told(log) == [("POST", MCP_CALL, 200)]
    assert MARKER not in log.getvalue()


@contextmanager
def handed_over(*arguments: str) -> Iterator[Any]:
    """Lines to and from a command of the server, after its greeting."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(read_settings().data_dir / socket_file.SOCKET_NAME))
        with connection.makefile("rwb") as wire:
            socket_file.receive(wire)
            socket_file.send(wire, caller._request(arguments))
            yield wire


@contextmanager
def conversation() -> Iterator[Any]:
    """Lines to and from `mem mcp` that is handed over."""
    with handed_over("mcp") as wire:
        assert socket_file.receive(wire) == {"do": "begun", "is_repeatable": False}
        assert (socket_file.receive(wire) or {})["do"] == socket_file.RELAY
        yield wire


def introduce(wire: BinaryIO) -> None:
    said = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "tester", "version": "1"},
    }
    rpc(wire, 1, "initialize", said)
    write(wire, {"jsonrpc": "2.0", "method": "notifications/initialized"})


def rpc(wire: BinaryIO, id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    write(wire, {"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    answer: dict[str, Any] = json.loads(wire.readline())
    return answer


def write(wire: BinaryIO, message: dict[str, Any]) -> None:
    wire.write(json.dumps(message).encode() + b"\n")
    wire.flush()


def test_what_fails_unexpectedly_is_500_and_goes_on_failing() -> None:
    log = io.StringIO()
    counting = CountedOperations(RequestCounts(log), lambda kind: f"{kind}1", listener.method_of)

    def fail() -> None:
        raise RuntimeError("of the unexpected kind")

    with pytest.raises(RuntimeError, match="unexpected"):
        counting("recall", fail)
    assert told(log) == [("POST", "recall", 500)]


def test_every_operation_that_is_asked_has_a_route() -> None:
    """A name without a route would fail a command that is done already."""
    files = [*PACKAGE.joinpath("cli").rglob("*.py"), *PACKAGE.joinpath("plugin", "hooks").rglob("*.py")]
    sources = [path.read_text("utf-8") for path in files]
    named = {name for source in sources for name in re.findall(r'(?:Asked|counting)\(\s*"(\w+)"', source)}
    assert len(named) > 40
    assert named <= set(ROUTES)
