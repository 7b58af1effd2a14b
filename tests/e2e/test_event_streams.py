"""Streams of changes over HTTP: resumed anywhere, none lost and none twice, and no reader in the way of another."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from memory_layer.local.event_streams import STREAMS_OF_ONE_MAX
from tests.e2e.conftest import Serve
from tests.given import NoEmbedder

PATH = "/v1/projects/web/events"
STREAM = {"accept": "text/event-stream"}


def put(http: httpx2.Client, id: str) -> None:
    answer = http.put(
        f"/v1/projects/web/memories/{id}", json={"content": f"Rule {id}: close file {id} after use."}
    )
    assert answer.status_code == 201, answer.text


@contextmanager
def stream(http: httpx2.Client, last: str | None = None, **params: Any) -> Iterator[Iterator[dict[str, str]]]:
    headers = {**STREAM, **({} if last is None else {"last-event-id": last})}
    with http.stream("GET", PATH, params=params, headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield blocks(answer)


def blocks(answer: httpx2.Response) -> Iterator[dict[str, str]]:
    """Events as EventSource reads them: a block without data only moves the place."""
    block: dict[str, str] = {}
    for line in answer.iter_lines():
        if line:
            name, _, value = line.partition(": ")
            block[name] = value
        elif block:
            yield block
            block = {}


def events(read: Iterator[dict[str, str]]) -> Iterator[dict[str, str]]:
    return (block for block in read if "data" in block)


def test_a_stream_begins_behind_the_last_event_that_a_reader_had(http: httpx2.Client) -> None:
    for number in range(4):
        put(http, f"m{number}")
    with stream(http, last="2") as read:
        following = events(read)
        first, second = next(following), next(following)
    assert (first["id"], first["event"]) == ("3", "memory.created")
    assert json.loads(first["data"])["subject"] == "m2"
    assert second["id"] == "4"


def test_a_stream_without_a_place_tells_from_now_on(http: httpx2.Client) -> None:
    put(http, "m1")
    with stream(http) as read:
        assert next(read)["id"] == "1"
        put(http, "m2")
        assert json.loads(next(events(read))["data"])["subject"] == "m2"


def test_a_stream_has_the_types_asked_for_and_no_place_that_cannot_be(http: httpx2.Client) -> None:
    put(http, "m1")
    http.patch("/v1/projects/web/memories/m1/approve")
    with stream(http, after=0, type="memory.approved") as read:
        assert next(events(read))["event"] == "memory.approved"
    for asked in ({"after": "9"}, {"after": "x"}, {"type": "memory.eaten"}):
        answer = http.get(PATH, params=asked, headers=STREAM)
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert http.get(PATH, headers={**STREAM, "last-event-id": "x"}).status_code == 422


def test_of_a_thousand_events_a_reader_that_falls_away_fifty_times_misses_none_and_gets_none_twice(
    serve: Serve,
) -> None:
    """Falls with a place that is kept by the connection, and with a page that is not read from the log."""
    http, chance = serve(embedder=NoEmbedder()), random.Random(20260301)
    writer = threading.Thread(target=lambda: [put(http, f"m{number}") for number in range(1_000)])
    writer.start()
    leaves = sorted(chance.sample(range(1, 1_000), 50))
    read: list[str] = []
    for until in (*leaves, 1_000):
        with stream(http, last=str(len(read))) as blocks_read:
            for event in events(blocks_read):
                read.append(json.loads(event["data"])["subject"])
                if len(read) >= until:
                    break
    writer.join()
    assert read == [f"m{number}" for number in range(1_000)]


def test_readers_who_leave_free_what_they_held(serve: Serve) -> None:
    """Falls without the end of a stream when its reader has gone: the next readers would be refused."""
    http = serve()
    put(http, "m1")
    for _ in range(3):
        held = [http.stream("GET", PATH, headers=STREAM) for _ in range(STREAMS_OF_ONE_MAX)]
        assert {one.__enter__().status_code for one in held} == {200}
        refused = http.get(PATH, headers=STREAM)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "30")
        assert http.get(PATH).status_code == 200
        for one in held:
            one.__exit__(None, None, None)
        _until(lambda: _opens(http))


def _opens(http: httpx2.Client) -> bool:
    with http.stream("GET", PATH, headers=STREAM) as answer:
        return answer.status_code == 200


def _until(holds: Any) -> None:
    while not holds():
        time.sleep(0.01)


def test_a_reader_that_reads_nothing_holds_up_no_other(http: httpx2.Client) -> None:
    put(http, "m0")
    host, port = str(http.base_url).removeprefix("http://").rstrip("/").split(":")
    with socket.create_connection((host, int(port))) as stalled:
        asked = f"GET {PATH}?after=0 HTTP/1.1\r\nhost: {host}:{port}\r\naccept: text/event-stream\r\n\r\n"
        stalled.sendall(asked.encode())
        with stream(http, after=0) as read:
            for number in range(1, 100):
                put(http, f"m{number}")
            following = events(read)
            assert [next(following)["id"] for _ in range(100)] == [str(number) for number in range(1, 101)]


def test_a_stream_asks_for_a_token_as_a_page_does(serve: Serve) -> None:
    assert serve(with_auth=True).get(PATH, headers=STREAM).status_code == 401
