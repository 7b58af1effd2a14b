"""Sender of webhooks: one POST to an address that was judged, by a connection to this very address."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from threading import Timer
from typing import Final
from urllib.parse import SplitResult, urlsplit

from memory_layer.domain.safety.addresses import Network, is_allowed, is_named
from memory_layer.manifest import env
from memory_layer.ports.webhooks import Sent
from memory_layer.version import VERSION

SEND_S: Final = 10.0
"""Seconds that a receiver has, from the connection to the head of its answer."""

Resolve = Callable[[str, int], Sequence[str]]
"""Addresses of a host; raises OSError."""


def resolve_host(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class _Refused(Exception):
    """Address that the server does not send to."""


class HttpWebhookSender:
    """Sender over HTTP: the port ports.webhooks.WebhookSender.

    A host is resolved once, and what is connected to is the address that was judged: a name that means another address
    a moment later is of no use. No proxy of the environment is asked, and of the answer its status alone is read.

    Args:
        networks: private ones to which it may send, and without TLS.
    """

    def __init__(
        self, networks: Sequence[Network] = (), *, resolve: Resolve = resolve_host, seconds: float = SEND_S
    ) -> None:
        self._networks = networks
        self._resolve = resolve
        self._seconds = seconds

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Sent:
        try:
            status = self._status(urlsplit(url), headers, body)
        except _Refused as refused:
            return Sent(None, str(refused))
        except TimeoutError:
            return Sent(None, f"no answer within {self._seconds:g} s")
        except (OSError, HTTPException, ValueError) as error:
            return Sent(None, f"no answer: {type(error).__name__}: {error}"[:300])
        return Sent(status, _problem_of(status))

    def refusal(self, url: str) -> str | None:
        try:
            self._judged(*_place(urlsplit(url)))
        except _Refused as refused:
            return str(refused)
        except OSError:  # a name that nobody knows, by now: deliveries wait for it
            return None
        return None

    def _status(self, url: SplitResult, headers: Mapping[str, str], body: bytes) -> int:
        host, port, is_secure = _place(url)
        address = self._judged(host, port, is_secure)
        with closing(socket.create_connection((address, port), self._seconds)) as plain:
            ending = Timer(self._seconds, _end, (plain,))  # a byte now and then would put a time-out off
            ending.start()
            try:
                return _posted(_secured(plain, host) if is_secure else plain, url, headers, body)
            finally:
                ending.cancel()

    def _judged(self, host: str, port: int, is_secure: bool) -> str:
        """Address to connect to. Raises: _Refused: one of the host's is none that the server sends to."""
        addresses = self._resolve(host, port)
        refused = [one for one in addresses if not is_allowed(one, self._networks)]
        if refused or not addresses:
            place = host if refused == [host] else f"{host} is {', '.join(refused) or 'no address'}"
            raise _Refused(
                f"{place}: not sent to private addresses, but for networks that {env.WEBHOOK_NETWORKS} of the server "
                "names"
            )
        if not is_secure and not is_named(addresses[0], self._networks):
            raise _Refused(f"{host} is on the public internet: it takes https")
        return addresses[0]


def _place(url: SplitResult) -> tuple[str, int, bool]:
    """Host and port of a URL, and whether it is over TLS."""
    is_secure = url.scheme == "https"
    return url.hostname or "", url.port or (443 if is_secure else 80), is_secure


def _secured(plain: socket.socket, host: str) -> ssl.SSLSocket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _posted(connected: socket.socket, url: SplitResult, headers: Mapping[str, str], body: bytes) -> int:
    connection = HTTPConnection(url.hostname or "", url.port)
    connection.sock = connected
    named = {"user-agent": f"memory-layer/{VERSION}", "connection": "close", **headers}
    target = f"{url.path or '/'}{f'?{url.query}' if url.query else ''}"
    with closing(connection):
        connection.request("POST", target, body, {"host": url.netloc, **named})
        return connection.getresponse().status


def _end(connected: socket.socket) -> None:
    with suppress(OSError):  # it has ended
        connected.shutdown(socket.SHUT_RDWR)


def _problem_of(status: int) -> str | None:
    if 200 <= status < 300:
        return None
    return f"answered {status}: redirects are not followed" if 300 <= status < 400 else f"answered {status}"
