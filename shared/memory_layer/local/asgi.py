"""ASGI guard of the laptop, which does what API Gateway does in the cloud.

Powertools' HttpResolverLocal trusts its input and runs handlers on the event loop. Here bytes that are no UTF-8
answer 400, bodies are bounded, a web page of another origin can neither read nor write, each request has its own
id, and handlers run in threads.
"""

import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from time import perf_counter
from typing import Any

import anyio.to_thread
from aws_lambda_powertools.event_handler.api_gateway import Route
from aws_lambda_powertools.event_handler.http_resolver import (
    HttpProxyEvent,
    HttpResolverLocal,
    MockLambdaContext,
    _RequestState,
)

from memory_layer.edge.http import request_bounds
from memory_layer.edge.http.caller import ARRIVED, REQUEST_ID_HEADER
from memory_layer.edge.shapes.problems import PROBLEM_JSON, problem_text

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
FOREIGN = request_bounds.RequestRefusal(
    403, "forbidden", "this server answers its own machine only, and no web page of another origin"
)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class LocalResolver(HttpResolverLocal):
    """Resolver that answers in the calling thread: the one of Powertools starts three for each request."""

    def __init__(self) -> None:
        super().__init__(enable_validation=True)
        self._building = threading.Lock()

    def answer(self, scope: Message, body: bytes) -> dict[str, Any]:
        """Answer with its `statusCode`, `headers` and `body`. Other threads may be answering at the same time."""
        state = _RequestState(
            event=HttpProxyEvent.from_asgi(scope, body),
            lambda_context=MockLambdaContext(),
            context=self._startup_state.context.copy(),
        )
        token = self._request_state.set(state)
        try:
            return self._build_response(self._resolve())
        finally:
            self._request_state.reset(token)

    def _call_route(self, route: Route, route_arguments: dict[str, str]) -> Any:
        """Calls a route whose chain of middlewares is whole: two threads that build it would chain each twice."""
        if not route._middleware_stack_built:
            with self._building:
                if not route._middleware_stack_built:
                    route._build_middleware_stack(self._router_middlewares, self)
        return super()._call_route(route, route_arguments)


class Guard:
    """Checks each request, then has the resolver answer it in a thread of its own.

    Args:
        resolver: answers, in the thread that calls it.
        new_id: makes request ids.
        checks_origin: True on loopback without authentication, where any web page could reach the server.
    """

    def __init__(self, resolver: LocalResolver, new_id: Callable[[str], str], *, checks_origin: bool) -> None:
        self._resolver = resolver
        self._new_id = new_id
        self._checks_origin = checks_origin

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        request_id = self._new_id("req_")
        body = await _bounded_body(receive)
        ARRIVED.set(perf_counter())  # whole: how long a caller takes to send it is not ours
        refusal = self._refusal(scope, body)
        if refusal is not None or body is None:
            messages = list(_problem(scope, request_id, refusal or request_bounds.TOO_LARGE))
        else:
            named = (REQUEST_ID_HEADER.encode(), request_id.encode())
            headers = [header for header in scope["headers"] if header[0].lower() != named[0]]
            scope = {**scope, "headers": [*headers, named]}
            messages = await anyio.to_thread.run_sync(self._served, scope, body)
        given = (REQUEST_ID_HEADER.encode(), request_id.encode())
        messages[0]["headers"] = [*messages[0]["headers"], given]
        for message in messages:
            await send(message)

    def _refusal(self, scope: Message, body: bytes | None) -> request_bounds.RequestRefusal | None:
        headers = {name.lower(): value for name, value in scope["headers"]}
        texts = [*headers.values(), scope["query_string"], body or b""]
        if (unreadable := request_bounds.refuse_unreadable(scope["path"], texts)) is not None:
            return unreadable
        if self._checks_origin and not _is_own(headers):
            return FOREIGN
        return request_bounds.refuse_unsupported(
            scope["method"], headers.get(b"content-type", b"").decode(), body or b""
        )

    def _served(self, scope: Message, body: bytes) -> list[Message]:
        """Answers in a worker thread."""
        answer = self._resolver.answer(scope, body)
        headers = [(name.lower().encode(), str(value).encode()) for name, value in answer["headers"].items()]
        return [
            {"type": "http.response.start", "status": answer["statusCode"], "headers": headers},
            {"type": "http.response.body", "body": answer["body"].encode()},
        ]


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _bounded_body(receive: Receive) -> bytes | None:
    """Whole body; None if it is over the limit, however long it claims to be."""
    chunks, size = [], 0
    while True:
        message = await receive()
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= request_bounds.MAX_BODY_BYTES:
            chunks.append(chunk)
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return b"".join(chunks) if size <= request_bounds.MAX_BODY_BYTES else None


def _is_own(headers: dict[bytes, bytes]) -> bool:
    """Tells if a request comes from here: DNS rebinding shows in Host, another site's page in Origin or
    Sec-Fetch-Site."""
    if _hostname(headers.get(b"host", b"").decode()) not in LOOPBACK_HOSTS:
        return False
    if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
        return False
    origin = headers.get(b"origin")
    return origin is None or origin.partition(b"://")[2] == headers[b"host"]


def _hostname(host: str) -> str:
    return host.rsplit(":", 1)[0] if not host.endswith("]") else host


def _problem(scope: Message, request_id: str, refusal: request_bounds.RequestRefusal) -> Iterator[Message]:
    yield {
        "type": "http.response.start",
        "status": refusal.status,
        "headers": [(b"content-type", PROBLEM_JSON.encode())],
    }
    found = refusal.document(scope["path"], request_id)
    yield {"type": "http.response.body", "body": problem_text(found).encode()}
