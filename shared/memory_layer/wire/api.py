"""Untyped core of every client: an operation by its name in openapi.json, answered by its document."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode

from memory_layer.wire.exchange import PATIENCE_S, Pause, Steps, exchange
from memory_layer.wire.message import KEY_HEADER, Asked, Reply, Request, Transport, authorization
from memory_layer.wire.problem import MemoryProblem
from memory_layer.wire.routes import ROUTES, Route

USER_HEADER: Final = "memory-user"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Api:
    """Service, and who speaks to it.

    Args:
        project: of operations whose path names none.
        user: the end user for whom a service speaks.
        patience_s: seconds that an exchange waits at most before it tries again.
    """

    transport: Transport
    token: str | None = None
    project: str | None = None
    user: str | None = None
    patience_s: float = PATIENCE_S

    def request(
        self,
        operation: str,
        path: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Any:
        """Document that an operation answers; None: it answers nothing.

        Raises:
            MemoryProblem
        """
        return self.reply(Asked(operation, path or {}, query or {}, headers or {}, body)).document()

    def reply(self, asked: Asked) -> Reply:
        """Answer with its status and headers. Raises: MemoryProblem."""
        return carried_out(self.steps(asked), self.perform)

    def steps(self, asked: Asked) -> Steps:
        """Steps to the answer. A write has its idempotency key from here on, the same at each attempt."""
        place, patience_s = self.transport.place, self.patience_s
        return exchange(self._request(asked), place=place, patience_s=patience_s)

    def perform(self, step: Request | Pause) -> Reply | None:
        """Carries a step out in this thread."""
        if isinstance(step, Request):
            return self.transport.perform(step)
        time.sleep(step.seconds)
        return None

    def with_project(self, project: str | None) -> Api:
        return replace(self, project=project)

    def with_user(self, user: str | None) -> Api:
        return replace(self, user=user)

    def _request(self, asked: Asked) -> Request:
        route = ROUTES[asked.operation]
        body = None if asked.body is None else _written(asked.body)
        headers = {
            **authorization(self.token),
            USER_HEADER: self.user if route.target.startswith("/v1/") else None,
            "content-type": None if body is None else asked.content_type,
            **asked.headers,
        }
        if KEY_HEADER in route.headers and headers.get(KEY_HEADER) is None:
            headers[KEY_HEADER] = new_key()
        given = {name: value for name, value in headers.items() if value}
        return Request(route.method, self._target(route, asked), given, body, route.is_repeatable)

    def _target(self, route: Route, asked: Asked) -> str:
        path = {"project": self.project, **asked.path}
        if "{project}" in route.target and path["project"] is None:
            raise MemoryProblem("invalid", f"{asked.operation} is about a project: name one as project=…")
        named = {name: quote(str(value), safe="") for name, value in path.items()}
        query = urlencode(list(_pairs(asked.query)))
        return f"{route.target.format_map(named)}{'?' if query else ''}{query}"


def carried_out(steps: Generator[Any, Any, T], perform: Callable[[Any], Any]) -> T:
    """Result of steps, each carried out by `perform`; what it raises the steps may take up."""
    try:
        step = next(steps)
        while True:
            try:
                done = perform(step)
            except Exception as error:
                step = steps.throw(error)
            else:
                step = steps.send(done)
    except StopIteration as end:
        result: T = end.value
        return result


def new_key() -> str:
    """Idempotency key: a UUID of version 7 (RFC 9562), which sorts by time."""
    moment = time.time_ns() // 1_000_000
    chance = int.from_bytes(os.urandom(10)) >> 6
    number = moment << 80 | 7 << 76 | (chance >> 62) << 64 | 2 << 62 | chance & (1 << 62) - 1
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _pairs(query: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, value in query.items():
        many = value if isinstance(value, list | tuple | set | frozenset) else [value]
        yield from ((name, _word(one)) for one in many if one is not None)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _written(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=_plain)
    return text.encode()


def _plain(value: Any) -> Any:
    """Value that JSON has no form of: a time, or an answer that goes back as a part of a request."""
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
