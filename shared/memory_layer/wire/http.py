"""Transport over HTTP/1.1, by the standard library alone: connections are kept, and shared by threads."""

from __future__ import annotations

import os
import select
import socket
import ssl
from collections import deque
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from time import monotonic
from typing import Final
from urllib.parse import SplitResult, quote, urlsplit

from memory_layer.wire.message import Reply, Request
from memory_layer.wire.problem import MemoryProblem

IDLE_S: Final = 20.0
"""Seconds after which a connection is not used again; a server closes it after 30, a load balancer after 60."""

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_NO_TLS: Final = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE")
"""Reasons by which TLS fails where the other side speaks HTTP."""

_PROXY_VARIABLES: Final = ("http_proxy", "https_proxy", "all_proxy")


class HttpTransport:
    """Service at an address.

    Args:
        url: as `mem serve` prints it, or as it was deployed; a path in it comes before those of the API.
        timeout_s: seconds for a connection, and for each part of an answer.

    Raises:
        MemoryProblem: the address is none.
    """

    def __init__(self, url: str, *, timeout_s: float = 30.0) -> None:
        self._base = _address(url)
        self.place = url.rstrip("/")
        self._timeout_s = timeout_s
        self._proxy = _proxy_of(self._base)
        self._tls = ssl.create_default_context() if self._base.scheme == "https" else None
        self._idle: deque[tuple[float, HTTPConnection]] = deque()

    def perform(self, request: Request) -> Reply:
        if request.target.startswith("/"):
            return self._performed(self._taken() or self._opened(self._base), self._placed(request))
        elsewhere = urlsplit(request.target)
        target = f"{elsewhere.path or '/'}{'?' if elsewhere.query else ''}{elsewhere.query}"
        connection = self._opened(elsewhere)
        try:
            return _exchanged(connection, request, target, self.place)
        finally:
            connection.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()

    def _placed(self, request: Request) -> Request:
        return Request(
            request.method, self._base.path.rstrip("/") + request.target, request.headers, request.body
        )

    def _performed(self, connection: HTTPConnection, request: Request) -> Reply:
        """Answer over a connection, which is kept unless the server closes it."""
        try:
            reply = _exchanged(connection, request, request.target, self.place)
        except BaseException:
            connection.close()
            raise
        if connection.sock is not None:
            self._idle.append((monotonic(), connection))
        return reply

    def _taken(self) -> HTTPConnection | None:
        """Kept connection, the youngest; those that ended meanwhile are closed."""
        while self._idle:
            try:
                kept_at, connection = self._idle.pop()
            except IndexError:  # another thread took the last
                return None
            if monotonic() - kept_at < IDLE_S and _is_open(connection):
                return connection
            connection.close()
        return None

    def _opened(self, to: SplitResult) -> HTTPConnection:
        """New connection. Raises: MemoryProblem: nothing answers there."""
        proxy = self._proxy if to is self._base else _proxy_of(to)
        where = proxy or to
        is_secure = to.scheme == "https"
        connection = (
            HTTPSConnection(where.hostname or "", where.port, timeout=self._timeout_s, context=self._tls)
            if is_secure
            else HTTPConnection(where.hostname or "", where.port, timeout=self._timeout_s)
        )
        if proxy is not None:
            connection.set_tunnel(to.hostname or "", to.port)
        try:
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, HTTPException) as error:
            connection.close()
            raise _unreachable(error, f"{to.scheme}://{to.netloc}") from error
        return connection


def _exchanged(connection: HTTPConnection, request: Request, target: str, place: str) -> Reply:
    try:
        connection.request(request.method, target, request.body, _sent_headers(request.headers))
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, headers, response.read())
    except TimeoutError as error:
        detail = (
            f"{place} did not answer within {connection.timeout:g} s; it may have done what was asked: "
            "ask again with the same idempotency key, or with a longer timeout"
        )
        raise MemoryProblem("no_answer", detail) from error
    except (OSError, HTTPException) as error:
        detail = f"{place} ended the connection before it answered ({error or type(error).__name__})"
        raise MemoryProblem("no_answer", detail) from error


def _sent_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers of a request. Raises: MemoryProblem: a value cannot be sent; the sentence does not repeat it."""
    for name, value in headers.items():
        if any(character in "\r\n\0" or character > "\xff" for character in value):
            detail = (
                f"the header {name} has characters that cannot be sent: a line break, or one beyond Latin-1"
            )
            raise MemoryProblem("invalid", detail)
    return {"accept-encoding": "identity", **headers}


def _is_open(connection: HTTPConnection) -> bool:
    """Tells if the server has not closed it: what is readable before anything is asked is an end."""
    if connection.sock is None:
        return False
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return not poll.poll(0)


def _address(url: str) -> SplitResult:
    """Parts of an address. Raises: MemoryProblem: it is none."""
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole, parts = False, SplitResult("", "", "", "", "")
    if not is_whole or parts.query or parts.fragment or parts.username is not None:
        raise MemoryProblem(
            "not_memory_layer",
            f"{url!r} is no address of a server: give scheme, host and port alone, as http://127.0.0.1:8080",
        )
    return parts._replace(path=quote(parts.path, safe="/%"))


def _unreachable(error: Exception, place: str) -> MemoryProblem:
    if isinstance(error, ssl.SSLError) and error.reason in _NO_TLS:
        return MemoryProblem("unreachable", f"{place} does not speak TLS: is its address http://… ?")
    if isinstance(error, ssl.SSLCertVerificationError):
        why = f"{place} cannot be trusted ({error.verify_message})"
        way = (
            "is it the right address? The certificate of an authority of one's own is named in SSL_CERT_FILE"
        )
        return MemoryProblem("unreachable", f"{why}: {way}")
    if isinstance(error, ssl.SSLError):
        why = f"cannot be trusted ({error.reason or error})"
    elif isinstance(error, socket.gaierror):
        why = "has a name that nobody knows"
    elif isinstance(error, TimeoutError):
        why = "does not answer"
    else:
        why = f"cannot be reached ({getattr(error, 'strerror', None) or error})"
    return MemoryProblem("unreachable", f"{place} {why}: is the address right, and the server running?")


def _proxy_of(to: SplitResult) -> SplitResult | None:
    """Proxy that the environment names for an address, as other clients read it; never for this machine."""
    if to.hostname in LOOPBACK or not any(
        name.lower() in _PROXY_VARIABLES and value for name, value in os.environ.items()
    ):
        return None
    from urllib.request import getproxies, proxy_bypass

    named = getproxies().get(to.scheme) or getproxies().get("all")
    if not named or proxy_bypass(to.hostname or ""):
        return None
    return urlsplit(named if "://" in named else f"http://{named}")
