"""A way to an engine that can be shut: then its port answers nobody, as that of a node that is gone."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit

_CHUNK = 65_536


class Gate:
    """Hands bytes through to an engine while it is open.

    Args:
        endpoint: of the engine, `http://host:port`.
    """

    def __init__(self, endpoint: str) -> None:
        target = urlsplit(endpoint)
        assert target.hostname
        assert target.port
        self._target = (target.hostname, target.port)
        self._connections: set[socket.socket] = set()
        self._listener = self._listen(0)
        self._port = int(self._listener.getsockname()[1])
        self.endpoint = f"http://127.0.0.1:{self._port}"

    def open(self) -> None:
        self._listener = self._listen(self._port)

    def shut(self) -> None:
        """Nobody comes in any more, and who is inside is thrown out."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port), backlog=64)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):  # the gate was shut
            while True:
                inside, _ = listener.accept()
                outside = socket.create_connection(self._target)
                self._connections |= {inside, outside}
                for pair in ((inside, outside), (outside, inside)):
                    threading.Thread(target=self._hand_over, args=pair, daemon=True).start()

    def _hand_over(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(_CHUNK):
                target.sendall(chunk)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._connections -= {source, target}
        source.close()
