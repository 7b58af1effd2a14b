"""A stream over pages that a test makes: heartbeats, slow readers, ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anyio

from memory_layer.domain.memory import Scope
from memory_layer.edge.http.request_bounds import RequestRefusal
from memory_layer.local.event_streams import EventStreams, StreamSource
from tests.given import AGENT, SCOPE

PATH = f"/v1/projects/{SCOPE.project}/events"


def request(**changed: Any) -> dict[str, Any]:
    return {
        "method": "GET",
        "path": PATH,
        "query_string": b"after=0",
        "headers": [(b"accept", b"text/event-stream")],
        **changed,
    }


@dataclass
class Log:
    """A log of so many entries, of which a reader may know of the even ones."""

    entries: int = 0
    status: int = 200
    is_stopping: bool = False
    asked: list[str] = field(default_factory=list)

    def answer(self, asked: Any) -> dict[str, Any]:
        self.asked.append(asked["query_string"].decode())
        wanted = dict(part.split("=") for part in self.asked[-1].split("&"))
        after, limit = int(wanted["after"]), int(wanted["limit"])
        positions = range(after + 1, min(self.entries, after + limit) + 1)
        events = [{"id": str(at), "type": "memory.created"} for at in positions if at % 2 == 0]
        page = {"events": events, "next_after": max(positions, default=after), "is_last": True}
        return {"statusCode": self.status, "headers": {}, "body": json.dumps(page)}

    def streams(self, **timed: float) -> EventStreams:
        source = StreamSource(self.answer, lambda _: AGENT, self.end, lambda: self.is_stopping)
        return EventStreams(source, **timed)

    def end(self, scope: Scope) -> int:
        assert scope == SCOPE
        return self.entries


@dataclass
class Reader:
    """A reader that leaves, or does something else, once it has had a text. Args: stalls_at: takes no message more."""

    once: Callable[[str], bool] = lambda _: False
    stalls_at: int = 10**9
    had: list[str] = field(default_factory=list)
    left: anyio.Event = field(default_factory=anyio.Event)

    async def receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if len(self.had) >= self.stalls_at:
            await anyio.sleep_forever()
        if message["type"] == "http.response.body":
            self.had.append(message["body"].decode())
            if self.once(self.had[-1]):
                self.left.set()


def served(streams: EventStreams, reader: Reader) -> Any:
    async def run() -> Any:
        with anyio.fail_after(20):
            return await streams.serve(request(), reader.receive, reader.send)

    return anyio.run(run)


def test_it_tells_what_there_is_then_lives_on_and_moves_the_place_over_the_rest() -> None:
    log, reader = Log(entries=5), Reader(once=lambda text: "id: 5" in text)
    assert served(log.streams(heartbeat_s=0.01), reader) is None
    assert reader.had[0] == ": still here\nid: 0\n\n"
    assert [line for line in reader.had[1].splitlines() if line.startswith("id")] == ["id: 2", "id: 4"]
    assert reader.had[-1] == ": still here\nid: 5\n\n"


def test_a_reader_that_takes_too_long_is_let_go() -> None:
    """Falls without `_sent`: it would hold its page and its place among the streams for ever."""
    log, reader = Log(entries=5), Reader(stalls_at=1)
    streams = log.streams(send_s=0.05)
    assert served(streams, reader) is None
    assert streams.open_count == 0


def test_a_reader_that_leaves_frees_its_place() -> None:
    """Falls without `_leave`."""
    log, reader = Log(entries=5), Reader(once=lambda text: "id: 4" in text)
    streams = log.streams()
    assert served(streams, reader) is None
    assert streams.open_count == 0


def test_it_ends_when_the_process_does_and_when_the_right_does() -> None:
    """Falls without the look at `is_stopping`, and without a page that is asked for with the reader's own headers."""
    stopped, gone = Log(entries=2, is_stopping=True), Log(entries=2)
    assert served(stopped.streams(), Reader()) is None

    def expire(text: str) -> bool:
        gone.status, gone.entries = 401, 9
        return not text

    assert served(gone.streams(), Reader(once=expire)) is None


def test_no_stream_begins_where_no_page_is_to_be_had() -> None:
    log, reader = Log(status=403), Reader()
    answer = served(log.streams(), reader)
    assert (answer["statusCode"], reader.had) == (403, [])


def test_one_reader_has_so_many_streams_and_no_more() -> None:
    log = Log()
    streams = log.streams()
    streams._open[(AGENT.tenant, AGENT.name)] = 32
    refusal = served(streams, Reader())
    assert isinstance(refusal, RequestRefusal)
    assert refusal.status == 503


def test_only_a_get_that_accepts_a_stream_is_one() -> None:
    assert EventStreams.takes(request())
    assert EventStreams.takes(request(headers=[(b"Accept", b"text/html, text/event-stream;q=0.9")]))
    assert not EventStreams.takes(request(method="POST"))
    assert not EventStreams.takes(request(headers=[(b"accept", b"*/*")]))
    assert not EventStreams.takes(request(path="/v1/projects/web/memories"))
