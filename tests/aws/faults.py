"""Faults of the network and of the service, put into a client where botocore sends."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError

Fault = Literal["throttle", "error", "no connection", "lost request", "lost answer"] | None
"""Of one request: refused with 400 or 500, never sent, never arrived, or carried out and not answered."""


class Body:
    """Of an answer that no server sent."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> Iterator[bytes]:
        yield self._content


class Faults:
    """Asks for every request that the client sends what shall become of it, and counts what did.

    Args:
        choose: given the operation, e.g. "TransactWriteItems", and how many of it were sent before.
    """

    def __init__(self, client: Any, choose: Callable[[str, int], Fault]) -> None:
        self._client = client
        self._choose = choose
        self._lock = threading.Lock()
        self.sent: Counter[str] = Counter()
        self.met: Counter[str] = Counter()

    @contextmanager
    def applied(self) -> Iterator[Faults]:
        self._client.meta.events.register("before-send.dynamodb", self._send)
        yield self
        self._client.meta.events.unregister("before-send.dynamodb", self._send)

    def _send(self, request: Any, event_name: str, **_: Any) -> AWSResponse | None:
        operation = event_name.rsplit(".", 1)[-1]
        with self._lock:
            fault = self._choose(operation, self.sent[operation])
            self.sent[operation] += 1
            self.met[fault or "none"] += 1
        if fault == "throttle":
            return _refusal(request.url, 400, "ThrottlingException")
        if fault == "error":
            return _refusal(request.url, 500, "InternalServerError")
        if fault == "no connection":
            raise ConnectTimeoutError(endpoint_url=request.url)
        if fault == "lost answer":
            self._client._endpoint.http_session.send(request)
        if fault is not None:
            raise ReadTimeoutError(endpoint_url=request.url)
        return None


def _refusal(url: str, status: int, code: str) -> AWSResponse:
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "injected"})
    return AWSResponse(url, status, {"Content-Type": "application/x-amz-json-1.0"}, Body(body.encode()))
