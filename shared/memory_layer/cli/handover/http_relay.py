"""Relay of MCP between standard input and output and a service's `/mcp`: a message a line here, a POST each there.

Every tool is the service's. Before revision 2026-07-28 a client introduces itself once, so that its session id and
revision are sent with what it says next; from then on each message says so itself.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, Final
from urllib.parse import urlencode

from memory_layer.wire.api import Api, carried_out
from memory_layer.wire.exchange import Pause, exchange
from memory_layer.wire.message import JSON, Reply, Request, authorization
from memory_layer.wire.problem import MemoryProblem

CALLS_AT_ONCE: Final = 8
INTERNAL_ERROR, PARSE_ERROR = -32603, -32700
META: Final = "io.modelcontextprotocol/"
SESSION, REVISION, METHOD, NAME = "mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name"


class HttpRelay:
    """One conversation. Args: project: where a call goes that names none."""

    def __init__(self, api: Api, project: str) -> None:
        self._api = api
        self._target = f"/mcp?{urlencode({'project': project})}"
        self._introduced: dict[str, str] = {}
        self._writing = threading.Lock()

    def run(self, received: BinaryIO) -> None:
        """Relays until the client goes away; what it asked before is answered."""
        with ThreadPoolExecutor(CALLS_AT_ONCE, "mcp") as threads:
            for line in iter(received.readline, b""):
                if line.strip():
                    self._take(line, threads)

    def _take(self, line: bytes, threads: ThreadPoolExecutor) -> None:
        message = _message(line)
        if message is None:
            self._say(
                {"jsonrpc": "2.0", "id": None, "error": _error(PARSE_ERROR, "a line is one JSON object")}
            )
        elif message.get("method") == "initialize":  # what comes next is said in its name
            self._relay(message, line)
        else:
            threads.submit(self._relay, message, line)

    def _relay(self, message: Mapping[str, Any], line: bytes) -> None:
        """Passes a message on, and its answer back; a notification has none."""
        try:
            answer = self._answer(message, line)
        except MemoryProblem as problem:
            print(f"mem: {problem.detail}", file=sys.stderr, flush=True)
            answer = {
                "jsonrpc": "2.0",
                "id": message.get("id"),
                "error": _error(INTERNAL_ERROR, problem.detail),
            }
        if "id" in message and answer is not None:
            self._say(answer)

    def _answer(self, message: Mapping[str, Any], line: bytes) -> Any:
        """Answer of the service. Raises: MemoryProblem: it gave none."""
        request = Request("POST", self._target, self._headers(message), line.strip())
        reply = carried_out(exchange(request, place=self._api.transport.place), self._perform)
        if message.get("method") == "initialize":
            self._keep_introduction(reply)
        return reply.document()

    def _perform(self, step: Request | Pause) -> Reply | None:
        """Carries a step out; an error of the protocol is an answer, whatever its status."""
        reply = self._api.perform(step)
        is_answer = reply is not None and reply.status >= 400 and _is_of_protocol(reply.body)
        return Reply(200, reply.headers, reply.body) if reply is not None and is_answer else reply

    def _headers(self, message: Mapping[str, Any]) -> dict[str, str]:
        accepted = {"content-type": JSON, "accept": f"{JSON}, text/event-stream"}
        return {**authorization(self._api.token), **accepted, **(_said_in(message) or self._introduced)}

    def _keep_introduction(self, reply: Reply) -> None:
        result = reply.document().get("result") or {}
        kept = {SESSION: reply.headers.get(SESSION), REVISION: result.get("protocolVersion")}
        self._introduced = {name: value for name, value in kept.items() if value}

    def _say(self, message: Any) -> None:
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        with self._writing:
            while line:
                line = line[os.write(1, line) :]


def _said_in(message: Mapping[str, Any]) -> dict[str, str]:
    """Headers that repeat what a message of revision 2026-07-28 and later says itself; none before it."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    revision = meta.get(f"{META}protocolVersion") if isinstance(meta, dict) else None
    if not isinstance(params, dict) or not isinstance(revision, str):
        return {}
    name = {NAME: str(params.get("name"))} if message.get("method") == "tools/call" else {}
    return {REVISION: revision, METHOD: str(message.get("method")), **name}


def _is_of_protocol(body: bytes) -> bool:
    found = _message(body)
    return found is not None and found.get("jsonrpc") == "2.0"


def _message(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _error(code: int, sentence: str) -> dict[str, Any]:
    return {"code": code, "message": sentence}
