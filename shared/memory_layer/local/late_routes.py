"""Routes that are loaded behind the socket: half of what a start takes, and no caller is refused meanwhile.

Whoever asks before they are loaded waits in a thread; that the process is up is told at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, MutableMapping
from types import MappingProxyType
from typing import Any, Final, Protocol

from aws_lambda_powertools.event_handler.http_resolver import HttpProxyEvent

Message = MutableMapping[str, Any]

HEALTH_PATH: Final = "/healthz"
HEALTH_OPERATION: Final = "get_health"
_BODY_HEADERS: Final = frozenset({b"content-length", b"transfer-encoding"})
_HEALTH: Final[Mapping[str, Any]] = MappingProxyType(
    {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": '{"status":"ok"}'}
)


def unread_event(scope: Message) -> Any:
    """Event of a request whose body is not read, as who tells the caller takes it."""
    return HttpProxyEvent.from_asgi(scope, b"")


class Routes(Protocol):
    """Answers to requests, by any number of threads."""

    def answer(self, scope: Message, body: bytes, known: Mapping[str, Any]) -> dict[str, Any]:
        """Answer with its `statusCode`, `headers` and `body`. Args: known: what is in this request's context alone."""

    def answered_operation(self) -> str:
        """Id of the operation that this thread answered last; empty: there was no such route."""


class LateRoutes:
    """Routes that the first one who needs them loads; others wait. Args: load: is called once."""

    def __init__(self, load: Callable[[], Routes]) -> None:
        self._load = load
        self._loading = threading.Lock()
        self._loaded: Routes | None = None

    def load(self) -> Routes:
        """The routes; an error of theirs is raised to each who asks, and ends the server (`WarmStart`)."""
        if self._loaded is None:
            with self._loading:
                if self._loaded is None:
                    self._loaded = self._load()
        return self._loaded

    def early_answer(self, scope: Message) -> Mapping[str, Any] | None:
        """Answer of the route of health; None: it is loaded, or another one is asked, or with a body."""
        if self._loaded is not None or (scope["method"], scope["path"]) != ("GET", HEALTH_PATH):
            return None
        return _HEALTH if _BODY_HEADERS.isdisjoint(name for name, _ in scope["headers"]) else None

    def answer(self, scope: Message, body: bytes, known: Mapping[str, Any]) -> dict[str, Any]:
        return self.load().answer(scope, body, known)

    def answered_operation(self) -> str:
        return self.load().answered_operation()
