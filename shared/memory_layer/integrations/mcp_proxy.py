"""Proxy of another MCP server on stdio: all messages pass as they are; tools' results gain what is known of them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import IO, Any, Final

from memory_layer.integrations.enrichment import AnswerEnrichment
from memory_layer.integrations.stored_answers import log

RESULTS_TOGETHER: Final = 4
"""Results that are enriched at once; other messages overtake them."""

STOP_S: Final = 5.0
"""Seconds that the server has to end once it is told to."""

NOT_STARTED: Final = 127


def run_proxy(
    command: Sequence[str], enrichment: AnswerEnrichment, inward: IO[bytes], outward: IO[bytes]
) -> int:
    """Runs a server and stands between it and its client until it ends.

    Args:
        command: of the server, with its arguments.
        inward: messages of the client, a line each.
        outward: messages to the client.

    Returns:
        The server's exit code; 127 if it could not be started.
    """
    with _signals_passed_on() as pass_to:
        try:
            server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            print(f"mem: {command[0]} cannot be started: {error.strerror}", file=sys.stderr)
            return NOT_STARTED
        pass_to(server)
        _Proxy(server, enrichment, outward).run(inward)
    return server.returncode


class _Proxy:
    """The two directions of a conversation, and the requests whose results are to be enriched."""

    def __init__(
        self, server: subprocess.Popen[bytes], enrichment: AnswerEnrichment, outward: IO[bytes]
    ) -> None:
        assert server.stdin is not None
        assert server.stdout is not None
        self._server, self._to_server, self._from_server = server, server.stdin, server.stdout
        self._enrichment, self._outward = enrichment, outward
        self._calls: set[str] = set()
        self._writing = Lock()

    def run(self, inward: IO[bytes]) -> None:
        Thread(target=self._pass_inward, args=(inward,), daemon=True).start()
        with ThreadPoolExecutor(RESULTS_TOGETHER) as threads:
            for line in self._from_server:
                message = _message(line)
                if self._is_result_of_tool(message):
                    threads.submit(self._write_enriched, line, message)
                else:
                    self._write(line)
        self._server.wait()

    def _pass_inward(self, inward: IO[bytes]) -> None:
        """Passes the client's messages on, and ends the server's input with the client's."""
        with suppress(BrokenPipeError):  # the server has ended, and its exit code tells how
            for line in inward:
                message = _message(line)
                if message.get("method") == "tools/call" and _is_id(message.get("id")):
                    self._calls.add(json.dumps(message["id"]))
                self._to_server.write(line)
                self._to_server.flush()
        with suppress(BrokenPipeError):
            self._to_server.close()
        self._stop_late()

    def _stop_late(self) -> None:
        """Ends a server that does not end with its input."""
        try:
            self._server.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._server.terminate()

    def _is_result_of_tool(self, message: Mapping[str, Any]) -> bool:
        if "method" in message or not _is_id(message.get("id")):
            return False
        id = json.dumps(message["id"])
        is_call = id in self._calls
        self._calls.discard(id)
        return is_call and isinstance(message.get("result"), dict)

    def _write_enriched(self, line: bytes, message: Mapping[str, Any]) -> None:
        """Writes a result with its block; as it came where that fails, since the client waits for it."""
        try:
            written = enriched_line(line, message, self._enrichment.block)
        except Exception as error:
            log.warning("a tool's answer goes as it came: %s", str(error) or type(error).__name__)
            written = line
        self._write(written)

    def _write(self, line: bytes) -> None:
        with self._writing:
            self._outward.write(line)
            self._outward.flush()


def enriched_line(line: bytes, message: Mapping[str, Any], block_of: Callable[[Any], str]) -> bytes:
    """Line of a tool's result with a block of memories behind its content; the very bytes where nothing is known.

    Args:
        message: what the line says.
        block_of: block for a payload; empty: nothing is known.
    """
    result = message["result"]
    content = result.get("content")
    if not isinstance(content, list):
        return line
    block = block_of({"content": content, "structuredContent": result.get("structuredContent")})
    if not block:
        return line
    enriched = {**result, "content": [*content, {"type": "text", "text": block}]}
    return (
        json.dumps({**message, "result": enriched}).encode() + b"\n"
    )  # escaped: halves of surrogates have no bytes


def _is_id(id: Any) -> bool:
    return isinstance(id, str | int | float)


def _message(line: bytes) -> dict[str, Any]:
    """Message of a line; empty where it is none, a batch of them, or nested too deep to be read: it passes as it is."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


@contextmanager
def _signals_passed_on() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Passes the signals that end this process on to the server, which ends the proxy with it.

    Gives a function that is told the server; signals that come while it is being started wait for that.
    """
    servers: list[subprocess.Popen[bytes]] = []
    came: list[int] = []

    def receive(number: int, _: object) -> None:
        came.append(number)
        for server in servers:
            server.send_signal(number)

    def pass_to(server: subprocess.Popen[bytes]) -> None:
        servers.append(server)
        for number in came:
            server.send_signal(number)

    ending = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(one, receive) for one in ending]
    try:
        yield pass_to
    finally:
        for one, handler in zip(ending, before, strict=True):
            signal.signal(one, handler)
