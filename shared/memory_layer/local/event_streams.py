"""Streams of changes (server-sent events): each a coroutine, so that no thread waits for a reader.

A stream is made of the pages that any poller reads, with the same rights, which are looked up again at every page.
"""

import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, urlencode

import anyio
import anyio.to_thread

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Scope
from memory_layer.edge.http.answer_headers import with_answer_headers
from memory_layer.edge.http.request_bounds import RequestRefusal

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

EVENT_STREAM: Final = "text/event-stream"
HEARTBEAT_S: Final = 15.0
LOOK_S: Final = 0.2
"""Seconds between two looks at the end of a log; all streams of a project share them."""

SEND_S: Final = 30.0
"""Seconds that a reader may take for a page; then the connection is closed, and the reader reads on where it was."""

PAGE: Final = 100
"""Events that a stream holds at most."""

THREADS: Final = 4
"""Threads that read for all streams; those that answer requests are others."""

STREAMS_MAX: Final = 256
STREAMS_OF_ONE_MAX: Final = 32
TOO_MANY: Final = RequestRefusal(
    503,
    "busy",
    "too many streams are open; close one, or read pages without Accept: text/event-stream",
    {"retry-after": "30"},
)

Given = TypeVar("Given")
Made = TypeVar("Made")
_PATH: Final = re.compile(r"/v1/projects/([^/]+)/events")


@dataclass(frozen=True, slots=True)
class StreamSource:
    """Source of the streams of a process.

    Args:
        answer: answers the request for a page; it runs in a thread.
        caller_of: tells who asks. Raises: Unauthenticated.
        end: position of the newest entry of a project's log.
        is_stopping: tells if the process is to end.
    """

    answer: Callable[[Message], dict[str, Any]]
    caller_of: Callable[[Message], Principal]
    end: Callable[[Scope], int]
    is_stopping: Callable[[], bool]


class EventStreams:
    """Streams of all readers of a process. Args: heartbeat_s, send_s: as the constants say."""

    def __init__(
        self, source: StreamSource, *, heartbeat_s: float = HEARTBEAT_S, send_s: float = SEND_S
    ) -> None:
        self._source = source
        self._heartbeat_s = heartbeat_s
        self._send_s = send_s
        self._ends: dict[Scope, tuple[float, int]] = {}
        self._open: Counter[tuple[str, str]] = Counter()
        self._threads: anyio.CapacityLimiter | None = None

    @property
    def open_count(self) -> int:
        return self._open.total()

    @staticmethod
    def takes(scope: Message) -> bool:
        """Tells if a request asks for a stream."""
        accepted = b",".join(value for name, value in scope["headers"] if name.lower() == b"accept")
        is_asked = scope["method"] == "GET" and EVENT_STREAM.encode() in accepted.lower()
        return is_asked and _PATH.fullmatch(scope["path"]) is not None

    async def serve(
        self, scope: Message, receive: Receive, send: Send
    ) -> RequestRefusal | dict[str, Any] | None:
        """Serves a stream until its reader leaves.

        Returns:
            A refusal, or the answer to the first page if it was none; None: it was served.
        """
        first = await self._in_thread(
            self._source.answer, _page_request(scope, _place_asked(scope) or "0", 1)
        )
        if first["statusCode"] != 200:
            return first
        who = self._source.caller_of(scope)
        reader, log = (who.tenant, who.name), who.scope(_PATH.fullmatch(scope["path"])[1])  # type: ignore[index]
        if self.open_count >= STREAMS_MAX or self._open[reader] >= STREAMS_OF_ONE_MAX:
            return TOO_MANY
        self._open[reader] += 1
        try:
            await self._until_left(_Stream(scope, log, send), receive)
        finally:
            self._open[reader] -= 1
            self._open += Counter()  # drops who has none
        return None

    async def _until_left(self, stream: "_Stream", receive: Receive) -> None:
        await stream.send(_head(self._source.is_stopping()))
        async with anyio.create_task_group() as group:
            group.start_soon(_leave, receive, group.cancel_scope)
            await self._tell(stream)
            group.cancel_scope.cancel()

    async def _tell(self, stream: "_Stream") -> None:
        """Sends page after page, in which a reader that is slow holds up nothing but its own."""
        from memory_layer.edge.shapes.change_answers import heartbeat_text, stream_text

        after = await self._beginning(stream)
        if not await self._sent(stream, heartbeat_text(after)):
            return
        told_at = monotonic()
        while not self._source.is_stopping():
            if await self._end(stream.log) > after:
                page = await self._page(stream, after)
                if page is None:
                    break
                after, text = page["next_after"], "".join(map(stream_text, page["events"]))
                if text and not await self._sent(stream, text):
                    return
                told_at = monotonic() if text else told_at
            elif monotonic() - told_at >= self._heartbeat_s:
                if not await self._sent(stream, heartbeat_text(after)):
                    return
                told_at = monotonic()
            else:
                await anyio.sleep(LOOK_S)
        await stream.send({"type": "http.response.body", "body": b""})

    async def _beginning(self, stream: "_Stream") -> int:
        """Position that a stream begins behind."""
        asked = _place_asked(stream.request)
        return await self._end(stream.log) if asked is None else int(asked)

    async def _page(self, stream: "_Stream", after: int) -> dict[str, Any] | None:
        """Next page; None: the reader has no right to it any more, or it cannot be read: a new request says why."""
        answer = await self._in_thread(self._source.answer, _page_request(stream.request, after, PAGE))
        if answer["statusCode"] != 200:
            return None
        page: dict[str, Any] = json.loads(answer["body"])
        return page

    async def _end(self, log: Scope) -> int:
        """End of a log, as it was a moment ago."""
        looked_at, end = self._ends.get(log, (0.0, 0))
        if monotonic() - looked_at < LOOK_S / 2:
            return end
        end = await self._in_thread(self._source.end, log)
        if len(self._ends) > STREAMS_MAX:
            self._ends.clear()
        self._ends[log] = (monotonic(), end)
        return end

    async def _sent(self, stream: "_Stream", text: str) -> bool:
        """Sends a part of a stream; False: its reader takes too long."""
        with anyio.move_on_after(self._send_s) as waiting:
            await stream.send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        return not waiting.cancelled_caught

    async def _in_thread(self, work: Callable[[Given], Made], given: Given) -> Made:
        if self._threads is None:
            self._threads = anyio.CapacityLimiter(THREADS)
        return await anyio.to_thread.run_sync(work, given, limiter=self._threads)


@dataclass(frozen=True, slots=True)
class _Stream:
    request: Message
    log: Scope
    send: Send


async def _leave(receive: Receive, stream: anyio.CancelScope) -> None:
    """Ends a stream as soon as its reader has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.cancel()


def _head(is_last: bool) -> Message:
    headers = with_answer_headers(
        {"content-type": f"{EVENT_STREAM}; charset=utf-8", "x-accel-buffering": "no"}
    )
    if is_last:
        headers["connection"] = "close"
    return {
        "type": "http.response.start",
        "status": 200,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }


def _place_asked(request: Message) -> str | None:
    """Position of the last event that a reader has had: by the header of one that comes back, or by the query."""
    headers = {name.lower(): value for name, value in request["headers"]}
    return headers.get(b"last-event-id", b"").decode() or dict(_query(request)).get("after")


def _page_request(request: Message, after: int | str, limit: int) -> Message:
    """Request for a page, with what else the request for a stream has."""
    asked = [(name, value) for name, value in _query(request) if name not in ("after", "limit")]
    query = urlencode([*asked, ("after", after), ("limit", limit)])
    return {**request, "query_string": query.encode()}


def _query(request: Message) -> list[tuple[str, str]]:
    return parse_qsl(request["query_string"].decode(), keep_blank_values=True)
