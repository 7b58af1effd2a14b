"""The circuit of the index, before a real socket that answers nobody, late, or not at all."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opensearchpy.exceptions import ConnectionTimeout, NotFoundError, TransportError

from memory_layer.adapters.aws.search import search_circuit
from memory_layer.adapters.aws.search.opensearch_client import IndexOverdue, search_client
from memory_layer.adapters.aws.search.search_circuit import SearchCircuit
from memory_layer.adapters.aws.search.search_index import OpenSearchIndex
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.request_deadline import request_ends_in, seconds_left
from tests.given import START

SCOPE = Scope("acme", "shop")
EMPTY = {"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": [], "total": {"value": 0}}}


class Server:
    """An index that answers, is silent, or says that it has too much to do; and the number of requests it saw."""

    def __init__(self) -> None:
        self.is_silent, self.status, self.asked = False, 200, 0
        self.may_answer = threading.Event()
        self.may_answer.set()
        self._over = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.asked += 1
                self.rfile.read(int(self.headers["Content-Length"]))
                if outer.is_silent:
                    outer._over.wait(20)
                    return
                outer.may_answer.wait(20)
                body = json.dumps(EMPTY).encode()
                self.send_response(outer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._over.set()
        self.may_answer.set()
        self._server.shutdown()
        self._server.server_close()


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call may take a twentieth of a second here, and that is enough to tell of the index."""
    monkeypatch.setattr(search_circuit, "TELLS_OF_INDEX_S", 0.05)
    monkeypatch.setattr(search_circuit, "PROBE_S", 0.05)


def index_on(endpoint: str, clock: Clock) -> OpenSearchIndex:
    return OpenSearchIndex(search_client(endpoint), model="none", circuit=SearchCircuit(clock))


def ask(index: OpenSearchIndex, seconds: float = 0.1) -> None:
    with request_ends_in(seconds):
        index.standing((SCOPE,), Filters(), Viewer.of(None), now=START, k=3)


def test_an_index_that_is_silent_is_asked_once_and_then_left_alone(server: Server) -> None:
    """Falls without the circuit: every request waits for its time-out, and for a second one."""
    clock = Clock()
    index, server.is_silent = index_on(server.endpoint, clock), True
    with pytest.raises(IndexUnavailable):
        ask(index)
    assert server.asked == 1, "a request that took too long is not sent again"
    for _ in range(5):
        with pytest.raises(IndexUnavailable, match="asked again in 1 s"):
            ask(index)
    assert server.asked == 1


def test_a_probe_finds_that_it_is_back(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    index, server.is_silent = index_on(server.endpoint, clock), True
    with pytest.raises(IndexUnavailable):
        ask(index)
    server.is_silent = False
    clock.now += 1.0
    monkeypatch.setattr(search_circuit, "PROBE_S", 5.0)  # machines may be slow
    ask(index, 5.0)
    ask(index, 5.0)
    assert server.asked == 1 + 2 + 1, "and a look if documents lie by project"


def test_a_probe_that_is_slower_than_its_caller_waits_closes_the_circuit(server: Server) -> None:
    """Falls where a probe may take no longer than its caller waits: an index that is only slow is never asked again."""
    circuit, clock = opened_circuit()
    index = OpenSearchIndex(search_client(server.endpoint), model="none", circuit=circuit)
    server.may_answer.clear()
    clock.now += 1.0
    with pytest.raises(IndexUnavailable, match="asked whether it answers again"):
        ask(index, 5.0)
    with pytest.raises(IndexUnavailable, match="asked again in 1 s"):
        ask(index, 5.0)
    threading.Event().wait(4 * search_circuit.PROBE_S)
    assert circuit.is_open
    server.may_answer.set()
    until(lambda: not circuit.is_open)
    ask(index, 5.0)


def test_a_probe_that_waits_in_vain_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls where what happens after its caller has gone is not heard."""
    monkeypatch.setattr(search_circuit, "PROBE_S", 0.02)
    circuit, clock = opened_circuit()
    clock.now += 1.0
    with pytest.raises(IndexUnavailable, match="asked whether it answers again"):
        circuit.call(lambda bounds: _refused(bounds, after_s=0.1))
    until(lambda: circuit._breaker.opened == 2)
    with pytest.raises(IndexUnavailable, match="asked again in 2 s"):
        circuit.call(lambda bounds: bounds)


def opened_circuit() -> tuple[SearchCircuit, Clock]:
    clock = Clock()
    circuit = SearchCircuit(clock)
    with pytest.raises(IndexOverdue):
        circuit.call(_refused)
    return circuit, clock


def _refused(bounds: Any, after_s: float = 0.0) -> Any:
    del bounds
    threading.Event().wait(after_s)
    raise IndexOverdue("ran out of time")


def until(holds: Callable[[], bool]) -> None:
    """Waits for another thread, for as long as a slow machine may take."""
    for _ in range(2_000):
        if holds():
            return
        threading.Event().wait(0.005)
    raise AssertionError("it does not come to be")


def test_a_port_where_nobody_listens_opens_it_after_two_calls() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        endpoint = f"http://127.0.0.1:{closed.getsockname()[1]}"
    index = index_on(endpoint, Clock())
    for _ in range(2):
        with pytest.raises(IndexUnavailable, match="searching"):
            ask(index, 5.0)
    with pytest.raises(IndexUnavailable, match="asked again"):
        ask(index, 5.0)


def test_an_index_with_too_much_to_do_is_given_a_rest(server: Server) -> None:
    index, server.status = index_on(server.endpoint, Clock()), 429
    for _ in range(3):
        with pytest.raises(IndexUnavailable):
            ask(index, 5.0)
    assert server.asked == 2


def test_a_hasty_caller_does_not_speak_against_the_index(server: Server, monkeypatch: Any) -> None:
    """Falls if each time-out counts: contexts with little time would close the index to all."""
    monkeypatch.setattr(search_circuit, "TELLS_OF_INDEX_S", 1.0)
    index, server.is_silent = index_on(server.endpoint, Clock()), True
    with pytest.raises(IndexUnavailable):
        ask(index, 0.1)
    server.is_silent = False
    ask(index, 5.0)


def test_a_request_that_is_over_asks_nothing(server: Server) -> None:
    index = index_on(server.endpoint, Clock())
    with pytest.raises(IndexUnavailable, match="no time left"):
        ask(index, 0.001)
    assert server.asked == 0


@pytest.mark.parametrize(
    ("error", "opens"),
    [
        (ConnectionTimeout("TIMEOUT", "", TimeoutError()), True),
        (IndexOverdue("ran out of time"), True),
        (NotFoundError(404, "index_not_found_exception", {}), False),
        (TransportError(400, "bad", {}), False),
        (TransportError(503, "away", {}), False),
    ],
)
def test_what_speaks_against_the_index(error: Exception, opens: bool) -> None:
    circuit = SearchCircuit(Clock())

    def search(_: Any) -> None:
        raise error

    with pytest.raises(type(error)):
        circuit.call(search)
    assert circuit.is_open == opens


def test_the_sooner_of_two_deadlines_holds() -> None:
    assert seconds_left() is None
    with request_ends_in(10.0):
        with request_ends_in(60.0):
            assert (seconds_left() or 0.0) <= 10.0
        with request_ends_in(1.0):
            assert (seconds_left() or 0.0) <= 1.0
        assert (seconds_left() or 0.0) > 1.0
    assert seconds_left() is None
