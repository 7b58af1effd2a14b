"""Connections of the laptop's server: one on which no whole request head arrives in time is closed.

What the parser refuses never reaches the guard; it is answered here as the guard answers.
"""

import asyncio
import re
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from memory_layer.edge.http.answer_headers import with_answer_headers
from memory_layer.edge.http.request_bounds import NO_HTTP, NO_METHOD
from memory_layer.edge.http.request_context import REQUEST_ID_HEADER
from memory_layer.edge.shapes.problems import PROBLEM_JSON, problem_text

HEAD_DEADLINE_S: Final = 10.0
"""Seconds that the first line and the headers of a request may take to arrive. uvicorn itself waits without end."""


_REQUEST_LINE: Final = re.compile(
    rb"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} (?P<path>[!->@-~]{1,2048})[!-~]* HTTP/1\.[01]\r?\n"
)
"""First line of a request with any method. Source: RFC 9112, 3."""

_BEGINNING: Final = 4_096
"""Bytes of what arrives that are kept until it is parsed: as many as the first line may have."""


class HeadDeadlineProtocol(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """uvicorn's protocol, which closes a connection that began a request and does not end its head.

    Args:
        new_id: makes request ids; `connections` sets it, since uvicorn makes the protocols.
    """

    head_deadline_s = HEAD_DEADLINE_S
    new_id: Callable[[str], str]
    _closing: asyncio.TimerHandle | None = None
    _arrived: bytes = b""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        self._arrived = data[:_BEGINNING]
        super().data_received(data)
        self._arrived = b""
        self._await_head()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 uvicorn calls it so
        """Answers what uvicorn's parser refuses, such as a method that it does not know."""
        line = _REQUEST_LINE.match(self._arrived)
        is_method = line is not None and type(sys.exception()).__name__ == "HttpParserInvalidMethodError"
        refusal = NO_METHOD if is_method else NO_HTTP
        path = "/" if line is None else line["path"].decode("ascii")
        request_id = self.new_id("req_")
        body = problem_text(refusal.document(path, request_id)).encode()
        named = {
            "content-type": PROBLEM_JSON,
            "content-length": str(len(body)),
            REQUEST_ID_HEADER: request_id,
            **refusal.headers,
        }
        status = f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}"
        head = [status, *(f"{name}: {value}" for name, value in with_answer_headers(named).items())]
        self.transport.write("\r\n".join([*head, "", ""]).encode() + body)
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        """Sets the deadline while no request is being answered; what arrives in between does not put it off."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel()
        elif self._closing is None:
            self._closing = self.loop.call_later(self.head_deadline_s, self._close)

    def _cancel(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None

    def _close(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


def connections(new_id: Callable[[str], str]) -> type[HeadDeadlineProtocol]:
    """Class of a server's connections. Args: new_id: makes request ids."""
    return type("Connection", (HeadDeadlineProtocol,), {"new_id": staticmethod(new_id)})
