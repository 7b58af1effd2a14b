"""Relay of a conversation in lines of JSON-RPC between standard input and output and a server, and its end.

Where the server ends before its caller, open requests are answered with an error, since they may have been done, and
the caller's process goes on with a server of its own, to which the beginning of the conversation is said again.
"""

import io
import json
import os
import socket
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, BinaryIO

BEGINNINGS = ("initialize", "notifications/initialized")
INTERNAL_ERROR = -32603
UNKNOWN_OUTCOME = (
    "The server of the memories ended before it answered. It may have done what was asked: look before you ask "
    "again. The next call is answered without it."
)


class Relay:
    """One conversation. Args: connection, wire: to the server."""

    def __init__(self, connection: socket.socket, wire: io.BufferedRWPair) -> None:
        self._connection, self._wire = connection, wire
        self._beginning: list[bytes] = []
        self._open: set[Any] = set()
        self._is_over = False
        self._state = threading.Lock()
        self._answering = threading.Thread(target=self._answer_all, daemon=True)

    def run(self) -> bool:
        """Relays until one side ends; False: the server did, and standard input has what is left to say."""
        self._answering.start()
        received = sys.stdin.buffer
        for line in iter(received.readline, b""):
            if not self._passed(line):
                self._go_on_here(line, received)
                return False
        if not self._is_over:
            self._connection.shutdown(socket.SHUT_WR)
        self._answering.join()
        return True

    def _passed(self, line: bytes) -> bool:
        message = _message(line)
        with self._state:
            if self._is_over:
                return False
            try:
                self._connection.sendall(line)
            except OSError:
                return False
            if message.get("method") in BEGINNINGS:
                self._beginning.append(line)
            if "method" in message and isinstance(message.get("id"), str | int | float):
                self._open.add(message["id"])  # of another kind it is none, which the server says
            return True

    def _answer_all(self) -> None:
        with suppress(OSError):  # a server that was killed: what it leaves open is answered below
            for line in self._wire:
                if line.endswith(b"\n"):
                    self._answer(line)
        with self._state:
            self._is_over = True
            left, self._open = self._open, set()
        for id in left:
            error = {"code": INTERNAL_ERROR, "message": UNKNOWN_OUTCOME}
            _write(json.dumps({"jsonrpc": "2.0", "id": id, "error": error}).encode() + b"\n")

    def _answer(self, line: bytes) -> None:
        message = _message(line)
        if "method" not in message:
            with self._state:
                self._open = {id for id in self._open if id != message.get("id")}
        _write(line)

    def _go_on_here(self, line: bytes, received: BinaryIO) -> None:
        """Has standard input say the beginning again, then the line and the rest; its answer was given before."""
        self._answering.join()
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Repeated([*self._beginning, line], received)))
        if self._beginning:
            sys.stdout = io.TextIOWrapper(io.BufferedWriter(_AfterFirstLine()))


class _Repeated(io.RawIOBase):
    """Input that begins with lines that were read before."""

    def __init__(self, lines: Iterable[bytes], rest: Any) -> None:
        self._lines, self._rest = b"".join(lines), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        found = self._lines[: len(buffer)] or self._rest.read1(len(buffer))
        self._lines = self._lines[len(found) :]
        buffer[: len(found)] = found
        return len(found)


class _AfterFirstLine(io.RawIOBase):
    """Standard output without the first line that is written: an answer that the caller has already."""

    def __init__(self) -> None:
        self._is_first = True

    def writable(self) -> bool:
        return True

    def write(self, written: Any, /) -> int:
        shown = bytes(written)
        if self._is_first:
            _, end, shown = shown.partition(b"\n")
            self._is_first = not end
        _write(shown)
        return len(written)


def _message(line: bytes) -> dict[str, Any]:
    """Message of a line; empty for what is no JSON object, which the server refuses in its own words."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(line: bytes) -> None:
    while line:
        line = line[os.write(1, line) :]
