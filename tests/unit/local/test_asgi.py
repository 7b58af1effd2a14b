"""Guard and resolver of the laptop: requests side by side, each in the thread that took it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from aws_lambda_powertools.event_handler import depends
from aws_lambda_powertools.event_handler.api_gateway import Route

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.edge.app import bind
from memory_layer.local.asgi import Guard, LocalResolver
from memory_layer.local.tokens import no_authentication
from tests.given import NoEmbedder

HEADERS = [(b"host", b"127.0.0.1:8080"), (b"content-type", b"application/json")]


@pytest.fixture
def guard() -> Iterator[Guard]:
    backend = open_embedded(None, embedder=NoEmbedder())
    yield Guard(
        bind(LocalResolver(), backend.ports, no_authentication), backend.ports.new_id, checks_origin=True
    )
    backend.close()


async def ask(guard: Guard, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    sent: list[Any] = []
    text = b"" if body is None else json.dumps(body).encode()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": text, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": HEADERS}
    await guard(scope, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"])


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
