"""ASGI guard of the laptop, which does what API Gateway does in the cloud.

Powertools' HttpResolverLocal trusts its input and runs handlers on the event loop. Here bytes that are no UTF-8
answer 400, bodies are bounded in length, time and number, and read of known callers alone, a web page of another
origin can neither read nor write, each request has its own id, and handlers run in threads.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from time import perf_counter
from typing import Any

import anyio
import anyio.to_thread

from memory_layer.console.pages import ConsolePages
from memory_layer.edge.http import request_bounds
from memory_layer.edge.http.answer_headers import with_answer_headers
from memory_layer.edge.http.request_context import ARRIVED, REQUEST_ID_HEADER, Authenticate
from memory_layer.edge.http.sign_in import challenged
from memory_layer.edge.shapes.problems import PROBLEM_JSON, headers_of, problem, problem_text
from memory_layer.errors import MemoryLayerError
from memory_layer.local.event_streams import EventStreams
from memory_layer.local.late_routes import HEALTH_OPERATION, LateRoutes, Message, Routes, unread_event
from memory_layer.local.metrics_page import CONTENT_TYPE, MetricsPage
from memory_layer.local.own_origin import refuse_foreign
from memory_layer.local.request_counts import RECALL, AnsweredRequest

OPERATION_KEY, SUMMARY_KEY = "memory_layer.operation", "memory_layer.summary"
"""Keys in the scope of a request by which its answer tells what is counted."""

Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Guard:
    """Checks each request, then has the resolver answer it in a thread of its own.

    Args:
        resolver: answers, in the thread that calls it.
        authenticate: tells who calls, by the headers alone.
        new_id: makes request ids.
        loopback_alone: True without authentication, where any web page could reach the server.
        body_deadline_s: seconds that a body may take to arrive.
        streams: None: whoever asks for a stream gets a page.
        pages: None: there is no console.
        metrics: None: nothing is counted.
        origins: of pages that may call besides the server's own.
    """

    def __init__(
        self,
        resolver: Routes,
        authenticate: Authenticate,
        new_id: Callable[[str], str],
        *,
        loopback_alone: bool,
        body_deadline_s: float = request_bounds.BODY_DEADLINE_S,
        streams: EventStreams | None = None,
        pages: ConsolePages | None = None,
        metrics: MetricsPage | None = None,
        origins: Collection[str] = (),
    ) -> None:
        self._pages = pages
        self._metrics = metrics
        self._origins = origins
        self._streams = streams
        self._resolver = resolver
        self._authenticate = authenticate
        self._new_id = new_id
        self._loopback_alone = loopback_alone
        self._body_deadline_s = body_deadline_s
        self._held_bytes = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    def answer_here(self, scope: Message, body: bytes) -> list[Message]:
        """Messages of the answer to a request with its whole body, made in the calling thread: there is no socket."""
        request_id = self._new_id("req_")
        scope = {**scope, "headers": [*scope["headers"], (REQUEST_ID_HEADER.encode(), request_id.encode())]}
        is_long = len(body) > request_bounds.MAX_BODY_BYTES
        refusal = self._refused_unread(scope) or (request_bounds.TOO_LARGE if is_long else None)
        if refusal is None:
            refusal = _refused_read(scope, body)
        if refusal is not None:
            return _refused(scope, request_id, refusal)
        arrived = ARRIVED.set(perf_counter())
        try:
            return self._served(scope, body, {}, request_id)
        finally:
            ARRIVED.reset(arrived)  # the thread goes on with other work, whose time began elsewhere

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        request_id = self._new_id("req_")
        named = (REQUEST_ID_HEADER.encode(), request_id.encode())
        headers = [header for header in scope["headers"] if header[0].lower() != named[0]]
        request = {**scope, "headers": [*headers, named]}
        started = perf_counter()
        answered = await self._dispatched(request, receive, send, request_id)
        self._note(request, answered, request_id, perf_counter() - started)
        for message in answered:
            await send(message)

    async def _dispatched(
        self, request: Message, receive: Receive, send: Send, request_id: str
    ) -> list[Message]:
        """Answer of a request, by the part of the server that it is for."""
        if self._streams is not None and self._streams.takes(request):
            return await self._streamed(request, receive, send, request_id)
        if self._pages is not None and self._pages.takes(request["method"], request["path"]):
            return self._page(self._pages, request, request_id)
        if self._metrics is not None and self._metrics.takes(request["method"], request["path"]):
            return await anyio.to_thread.run_sync(self._measured, self._metrics, request, request_id)
        return await self._answered(request, receive, request_id)

    def _note(self, scope: Message, answered: list[Message], request_id: str, seconds: float) -> None:
        """Counts a request that was answered; a stream that was served counts as 200."""
        if self._metrics is not None:
            self._metrics.counts.note(
                AnsweredRequest(
                    request_id=request_id,
                    method=scope["method"],
                    operation=scope.get(OPERATION_KEY, ""),
                    status=answered[0]["status"] if answered else 200,
                    seconds=seconds,
                    summary=scope.get(SUMMARY_KEY, {}),
                )
            )

    def _measured(self, page: MetricsPage, scope: Message, request_id: str) -> list[Message]:
        """Answers for `/metrics`, to whom may see it."""
        refusal = self._refused_unread(scope)
        if refusal is not None:
            return _refused(scope, request_id, refusal)
        event = unread_event(scope)
        try:
            text = page.text(event)
        except MemoryLayerError as error:
            found = problem(error, instance=scope["path"], request_id=request_id)
            return _problem(found, challenged(headers_of(error), event), request_id)
        return _messages(200, {"content-type": CONTENT_TYPE}, text, request_id)

    async def _streamed(self, scope: Message, receive: Receive, send: Send, request_id: str) -> list[Message]:
        """Serves a stream of changes; returns the answer where there is none to serve."""
        refusal = self._refused_unread(scope)
        if refusal is None and self._streams is not None:
            answer = await self._streams.serve(scope, receive, send)
            if isinstance(answer, dict):
                return _messages(answer["statusCode"], answer["headers"], answer["body"], request_id)
            refusal = answer
        return [] if refusal is None else _refused(scope, request_id, refusal)

    def _page(self, pages: ConsolePages, scope: Message, request_id: str) -> list[Message]:
        """Answers for the console; what is sent along is not read."""
        refusal = self._refused_unread(scope)
        if refusal is not None:
            return _refused(scope, request_id, refusal)
        try:
            page = pages.answer(scope["method"], scope["path"], unread_event(scope))
        except MemoryLayerError as error:
            found = problem(error, instance=scope["path"], request_id=request_id)
            return _problem(found, headers_of(error), request_id)
        return _messages(page.status, page.headers, page.body, request_id)

    async def _answered(self, scope: Message, receive: Receive, request_id: str) -> list[Message]:
        refusal = self._refused_unread(scope)
        if refusal is not None:
            return _refused(scope, request_id, refusal)
        if (early := self._answered_early(scope)) is not None:
            return _messages(early["statusCode"], early["headers"], early["body"], request_id)
        try:
            known = self._caller_of(scope)
        except MemoryLayerError as error:
            found = problem(error, instance=scope["path"], request_id=request_id)
            return _problem(found, challenged(headers_of(error), unread_event(scope)), request_id)
        held: list[int] = []
        try:
            body = await self._body(receive, held)
            ARRIVED.set(perf_counter())  # whole: how long a caller takes to send it is not ours
            if isinstance(body, request_bounds.RequestRefusal):
                return _refused(scope, request_id, body)
            if (refusal := _refused_read(scope, body)) is not None:
                return _refused(scope, request_id, refusal)
            return await anyio.to_thread.run_sync(self._served, scope, body, known, request_id)
        finally:
            self._held_bytes -= sum(held)

    def _answered_early(self, scope: Message) -> Mapping[str, Any] | None:
        """Answer while the routes are loaded; None: it is theirs."""
        early = self._resolver.early_answer(scope) if isinstance(self._resolver, LateRoutes) else None
        if early is not None:
            scope[OPERATION_KEY] = HEALTH_OPERATION
        return early

    def _refused_unread(self, scope: Message) -> request_bounds.RequestRefusal | None:
        headers = {name.lower(): value for name, value in scope["headers"]}
        texts = [*headers.values(), scope["query_string"]]
        if (unreadable := request_bounds.refuse_unreadable(scope["path"], texts)) is not None:
            return unreadable
        return refuse_foreign(headers, loopback_alone=self._loopback_alone, origins=self._origins)

    def _caller_of(self, scope: Message) -> Mapping[str, Any]:
        """Context with the caller of a request that may have a body: nobody else's is read.

        Raises:
            Unauthenticated
        """
        if scope["method"] in request_bounds.READING_METHODS:
            return {}
        principal = self._authenticate(unread_event(scope))
        return {"authenticate": lambda _: principal}

    async def _body(self, receive: Receive, held: list[int]) -> bytes | request_bounds.RequestRefusal:
        """Whole body, or the reason why it is not kept: too long, too slow, or too many at once."""
        chunks, size = [], 0
        with anyio.move_on_after(self._body_deadline_s) as waiting:
            async for chunk in _chunks(receive):
                if chunk is None:
                    return request_bounds.CUT_OFF
                size += len(chunk)
                if size > request_bounds.MAX_BODY_BYTES:
                    continue  # read to its end: who is still sending hears no answer
                if self._held_bytes + len(chunk) > request_bounds.BODIES_MAX_BYTES:
                    return request_bounds.BUSY
                self._held_bytes += len(chunk)
                held.append(len(chunk))
                chunks.append(chunk)
        if waiting.cancelled_caught:
            return request_bounds.TOO_SLOW
        return b"".join(chunks) if size <= request_bounds.MAX_BODY_BYTES else request_bounds.TOO_LARGE

    def _served(
        self, scope: Message, body: bytes, known: Mapping[str, Any], request_id: str
    ) -> list[Message]:
        """Answers in a worker thread."""
        answer = self._resolver.answer(scope, body, known)
        scope[OPERATION_KEY] = operation = self._resolver.answered_operation()
        if operation == RECALL and answer["statusCode"] == 200:
            # the records come last
            scope[SUMMARY_KEY] = json.loads(answer["body"].partition(',"memories":[')[0] + "}")
        return _messages(answer["statusCode"], answer["headers"], answer["body"], request_id)


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _chunks(receive: Receive) -> AsyncIterator[bytes | None]:
    """Yields the parts of a body; None where the caller leaves before its end."""
    is_more = True
    while is_more:
        message = await receive()
        is_more = message["type"] == "http.request" and message.get("more_body", False)
        yield None if message["type"] == "http.disconnect" else message.get("body", b"")


def _refused_read(scope: Message, body: bytes) -> request_bounds.RequestRefusal | None:
    headers = {name.lower(): value for name, value in scope["headers"]}
    declared = headers.get(b"content-type", b"").decode()
    return request_bounds.refuse_unreadable("", [body]) or request_bounds.refuse_unsupported(
        scope["method"], declared, body
    )


def _refused(scope: Message, request_id: str, refusal: request_bounds.RequestRefusal) -> list[Message]:
    return _problem(refusal.document(scope["path"], request_id), refusal.headers, request_id)


def _problem(found: Mapping[str, Any], headers: Mapping[str, str], request_id: str) -> list[Message]:
    named = {"content-type": PROBLEM_JSON, **headers}
    return _messages(found["status"], named, problem_text(found), request_id)


def _messages(status: int, headers: Mapping[str, Any], body: str | bytes, request_id: str) -> list[Message]:
    given = with_answer_headers({**headers, REQUEST_ID_HEADER: request_id})
    return [
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        },
        {"type": "http.response.body", "body": body.encode() if isinstance(body, str) else body},
    ]
