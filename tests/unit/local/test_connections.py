"""Connections of the laptop's server: heads that never end, and what the parser refuses."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import uvicorn

from memory_layer.edge.http.answer_headers import with_answer_headers
from memory_layer.local.connections import HeadDeadlineProtocol, connections


async def _answered(protocol: type[HeadDeadlineProtocol], *sent: bytes) -> list[bytes]:
    """What a server answers to each of these until it closes the connection."""

    async def answer(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    config = uvicorn.Config(answer, port=0, http=protocol, lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    answers = []
    for text in sent:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(text)
        answers.append(await asyncio.wait_for(reader.read(), timeout=30))
        writer.close()
    server.should_exit = True
    await serving
    return answers


def test_a_connection_that_never_ends_its_headers_is_closed() -> None:
    """Falls without HeadDeadlineProtocol: uvicorn waits for the rest without end."""

    class Hurried(HeadDeadlineProtocol):
        head_deadline_s = 0.05

    sent = (b"", b"GET / HTTP/1.1\r\nHost:", b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET")
    answers = asyncio.run(_answered(Hurried, *sent))
    assert [text.partition(b"\r\n")[0] for text in answers] == [b"", b"", b"HTTP/1.1 204 No Content"]


def test_what_the_parser_refuses_is_answered_as_the_guard_answers() -> None:
    """Falls without `send_400_response`: uvicorn's own has neither a problem nor a header of ours."""
    sent = (
        b"BREW /v1/me HTTP/1.1\r\nHost: a\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    )
    answers = asyncio.run(_answered(connections(lambda prefix: f"{prefix}7"), *sent))
    statuses = []
    for text in answers:
        head, _, body = text.decode().partition("\r\n\r\n")
        line, *lines = head.splitlines()
        headers = dict(one.split(": ", 1) for one in lines)
        assert with_answer_headers({}).items() <= headers.items()
        assert headers["x-request-id"] == json.loads(body)["request_id"] == "req_7"
        assert headers["content-type"] == "application/problem+json"
        assert int(headers["content-length"]) == len(body)
        statuses.append((line, json.loads(body)["status"], headers.get("allow", "")[:6]))
    assert statuses == [
        ("HTTP/1.1 405 Method Not Allowed", 405, "DELETE"),
        ("HTTP/1.1 400 Bad Request", 400, ""),
        ("HTTP/1.1 400 Bad Request", 400, ""),
    ]
