"""Guard and resolver of the laptop: requests side by side, each in the thread that took it."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from aws_lambda_powertools.event_handler import depends
from aws_lambda_powertools.event_handler.api_gateway import Route

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.domain.access import Principal
from memory_layer.edge.app import api_document, bind
from memory_layer.edge.http import request_bounds
from memory_layer.edge.http.docs_page import NAMES, PAGE, POLICY, docs_asset
from memory_layer.edge.http.request_context import ARRIVED
from memory_layer.errors import Unauthenticated
from memory_layer.local.asgi import Guard
from memory_layer.local.local_resolver import LocalResolver
from memory_layer.local.tokens import no_authentication
from tests.given import NoEmbedder

HEADERS = [(b"host", b"127.0.0.1:8080"), (b"content-type", b"application/json")]


@pytest.fixture
def guard() -> Iterator[Guard]:
    backend = open_embedded(None, embedder=NoEmbedder())
    yield Guard(
        bind(LocalResolver(), backend.ports, no_authentication),
        no_authentication,
        backend.ports.new_id,
        loopback_alone=True,
        body_deadline_s=0.05,
    )
    backend.close()


async def ask(guard: Guard, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    text = b"" if body is None else json.dumps(body).encode()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": text, "more_body": False}

    status, _, answer = await sent_by(guard, method, path, receive)
    return status, answer


async def sent_by(
    guard: Guard, method: str, path: str, receive: Callable[[], Awaitable[Any]]
) -> tuple[int, dict[str, str], Any]:
    """Status, headers and document that a guard answers to what `receive` hands it."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": HEADERS}
    await guard(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, json.loads(sent[1]["body"])


def test_a_request_answered_here_leaves_no_time_in_its_thread(guard: Guard) -> None:
    """Falls where `answer_here` keeps ARRIVED set: the thread's next context would begin at that time."""
    scope = {"type": "http", "method": "GET", "path": "/healthz", "query_string": b"", "headers": HEADERS}
    assert guard.answer_here(scope, b"")[0]["status"] == 200
    assert ARRIVED.get() is None


def test_first_requests_of_a_route_side_by_side_are_each_answered_once(
    guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where LocalResolver builds a route's chain without its lock: each would be validated twice."""
    built: list[str] = []
    build = Route._build_middleware_stack

    def slowly(self: Route, *arguments: Any, **named: Any) -> None:
        built.append(self.path)
        time.sleep(0.05)
        build(self, *arguments, **named)

    monkeypatch.setattr(Route, "_build_middleware_stack", slowly)

    async def all_at_once() -> list[tuple[int, Any]]:
        path = "/v1/projects/shop/memories"
        bodies = [{"content": f"Drawer {number} holds invoice {number}."} for number in range(8)]
        return await asyncio.gather(*(ask(guard, "POST", path, body) for body in bodies))

    answers = asyncio.run(all_at_once())
    assert [status for status, _ in answers] == [201] * 8
    assert [answer["content"] for _, answer in answers] == [
        f"Drawer {number} holds invoice {number}." for number in range(8)
    ]
    assert len(built) == 1


def test_a_request_starts_no_thread_of_its_own(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls where the resolver answers through Powertools' asynchronous chain."""
    asyncio.run(ask(guard, "GET", "/v1/projects/shop/memories"))
    started: list[str] = []
    monkeypatch.setattr(
        "aws_lambda_powertools.event_handler.middlewares.async_utils.threading.Thread",
        lambda *_, **named: started.append(str(named)) or threading.Thread(**named),
    )
    assert asyncio.run(ask(guard, "GET", "/v1/projects/shop/memories"))[0] == 200
    assert [one for one in started if "middleware" in one] == []


def test_a_dependency_tree_is_built_once(guard: Guard) -> None:
    asyncio.run(ask(guard, "GET", "/v1/projects/shop/stats"))
    before = depends.build_dependency_tree.cache_info()  # type: ignore[attr-defined]
    asyncio.run(ask(guard, "GET", "/v1/projects/shop/stats"))
    after = depends.build_dependency_tree.cache_info()  # type: ignore[attr-defined]
    assert (after.misses, after.hits > before.hits) == (before.misses, True)


def test_a_document_deeper_than_the_fast_writer_goes_is_written_all_the_same() -> None:
    from memory_layer.edge.shapes.answers import to_text

    deep: dict[str, Any] = {}
    for _ in range(400):
        deep = {"in": deep}
    assert json.loads(to_text(deep)) == deep
    assert to_text({"a": [1, 2.5, None, "Grüße"], "b": True}) == '{"a":[1,2.5,null,"Grüße"],"b":true}'


MEMORIES = "/v1/projects/shop/memories"


def _unknown(_: Any) -> Any:
    raise Unauthenticated("send a token")


def test_a_body_of_an_unknown_caller_is_not_read(guard: Guard) -> None:
    """Falls where the guard reads the body before it authenticates."""
    guard._authenticate = _unknown

    async def receive() -> Any:
        raise AssertionError("the body was asked for")

    for method in ("POST", "PUT", "PATCH", "DELETE"):
        status, headers, answer = asyncio.run(sent_by(guard, method, MEMORIES, receive))
        assert (status, headers["www-authenticate"]) == (401, "Bearer")
        assert answer["detail"] == "send a token"


def test_the_caller_whom_the_guard_knows_is_the_one_who_writes(guard: Guard) -> None:
    """Falls where the resolver asks anew: then what it is told may be another than who was let in."""
    guard._authenticate = lambda _: Principal(tenant="local", subject="ada")
    _, stored = asyncio.run(ask(guard, "POST", MEMORIES, {"content": "Drawer 3 holds invoice 3."}))
    assert stored["created_by"] == "ada"


def test_a_body_that_does_not_arrive_ends_in_408(guard: Guard) -> None:
    """Falls without the deadline of bodies: it would wait for ever."""

    async def receive() -> Any:
        await asyncio.sleep(3_600)

    status, headers, answer = asyncio.run(
        asyncio.wait_for(sent_by(guard, "POST", MEMORIES, receive), timeout=30)
    )
    assert (status, headers["connection"]) == (408, "close")
    assert "did not arrive" in answer["detail"]


def test_half_a_body_stores_nothing(guard: Guard) -> None:
    """Falls where a caller who leaves is taken for one who has ended: whole lines would be stored of half a batch."""
    told = iter(
        (
            {
                "type": "http.request",
                "body": b'{"content": "Drawer 3 holds invoice 3."}\n',
                "more_body": True,
            },
            {"type": "http.disconnect"},
        )
    )

    async def receive() -> Any:
        return next(told)

    status, _, answer = asyncio.run(sent_by(guard, "POST", f"{MEMORIES}:batch", receive))
    assert (status, answer["detail"]) == (400, "the connection ended before the body did")
    assert asyncio.run(ask(guard, "GET", MEMORIES))[1]["memories"] == []


def test_bodies_beyond_what_a_process_holds_are_sent_away(
    guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without the bound on all bodies; and where what was held is not given back."""
    monkeypatch.setattr(request_bounds, "BODIES_MAX_BYTES", 100)
    guard._body_deadline_s = 30.0
    body = {"content": "Drawer 3 holds invoice 3."}

    async def two_at_once() -> list[int]:
        whole = asyncio.Event()
        parts = iter(({"type": "http.request", "body": b" " * 90, "more_body": True},))

        async def slowly() -> Any:
            for part in parts:
                return part
            await whole.wait()
            return {"type": "http.request", "body": b"{}", "more_body": False}

        first = asyncio.create_task(sent_by(guard, "POST", MEMORIES, slowly))
        await asyncio.sleep(0)
        while not guard._held_bytes:
            await asyncio.sleep(0.001)
        refused = (await ask(guard, "POST", MEMORIES, body))[0]
        whole.set()
        return [refused, (await first)[0], (await ask(guard, "POST", MEMORIES, body))[0]]

    assert asyncio.run(two_at_once()) == [503, 422, 201]
    assert guard._held_bytes == 0


def test_a_path_names_the_methods_that_it_takes(guard: Guard) -> None:
    """Every path of openapi.json answers every other method with 405 and the methods that it has."""
    for path, operations in api_document()["paths"].items():
        has = {method.upper() for method in operations}
        for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} - has:
            asked = path.replace("{project}", "shop").replace("{id}", "one")
            status, headers, _ = asyncio.run(sent_by(guard, method, asked, nothing))
            assert (status, set(headers.get("allow", "").split(", "))) == (405, has), (method, path)


async def nothing() -> Any:
    return {"type": "http.request", "body": b"", "more_body": False}


def test_a_path_that_is_nowhere_is_not_found_by_any_method(guard: Guard) -> None:
    for method in ("GET", "POST", "BREW"):
        assert asyncio.run(sent_by(guard, method, "/v1/nowhere", nothing))[0] == 404


def test_the_page_of_the_api_has_no_script_of_its_own_and_runs_those_of_the_service() -> None:
    """Falls with a script inside the page, or a policy by which one would run."""
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", PAGE, re.DOTALL)
    assert scripts == ["", ""]
    assert "<style" not in PAGE
    assert "script-src 'self';" in POLICY
    named = re.findall(r'(?:src|href)="docs/([^"]+)"', PAGE)
    assert sorted(named) == sorted(NAMES)
    assert all(docs_asset(name).text for name in NAMES)
