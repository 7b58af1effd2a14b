"""Server's side of a hand-over: takes connections on the socket of its data folder, of its owner alone."""

import fcntl
import logging
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.cli.handover import socket_file
from memory_layer.cli.handover.running import HandedOver
from memory_layer.cli.handover.streams import callers_streams
from memory_layer.local.counted_operations import CountedOperations
from memory_layer.local.request_counts import RequestCounts
from memory_layer.ports.counting import MCP_CALL, Counting, uncounted
from memory_layer.settings import EmbeddedSettings
from memory_layer.version import VERSION
from memory_layer.wire.routes import ROUTES

CLOSE_S: Final = 5.0
"""Seconds that a stop waits for commands that have begun."""

OWNER_ONLY: Final = 0o177
"""Mask under which the socket is made: nobody else connects, from the first moment on."""

_log = logging.getLogger(__name__)


@contextmanager
def listening(
    program: Any,
    backend: EmbeddedBackend,
    settings: EmbeddedSettings,
    counts: RequestCounts | None = None,
    until_loaded: Callable[[], object] = lambda: None,
) -> Iterator[None]:
    """Runs handed-over commands as long as the server runs; of several servers of a folder, the first does.

    Args:
        program: root of the commands, some of which may be handed over.
        counts: of the server's requests, of which these commands are some; None: nobody reads them.
        until_loaded: waits for the server's routes: two threads that import at once may wait for each other.
    """
    with ExitStack() as held:
        folder = str(settings.data_dir)
        if held.enter_context(_only_one(folder)):
            try:
                server = held.enter_context(_bound(folder))
            except OSError as error:
                _log.warning("commands are not handed over to this server: %s", error)
            else:
                held.enter_context(callers_streams())
                counting = _counting(backend, counts)
                held.enter_context(_Listener(server, program, backend, settings, counting, until_loaded))
        yield


def _counting(backend: EmbeddedBackend, counts: RequestCounts | None) -> Counting:
    return uncounted if counts is None else CountedOperations(counts, backend.ports.new_id, method_of)


def method_of(operation: str) -> str:
    """Method of an operation over HTTP."""
    return "POST" if operation == MCP_CALL else ROUTES[operation].method


@contextmanager
def _only_one(folder: str) -> Iterator[bool]:
    """Holds the folder's lock, which ends with the process, so that no socket outlives its server unnoticed."""
    lock = os.open(os.path.join(folder, socket_file.LOCK_NAME), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(lock)


def is_served(folder: Path) -> bool:
    """Tests if a server runs on a data folder."""
    if not (folder / socket_file.LOCK_NAME).exists():
        return False
    with _only_one(str(folder)) as is_free:
        return not is_free


@contextmanager
def _bound(folder: str) -> Iterator[socket.socket]:
    """Socket that listens in the folder, in the place of one that a killed server left."""
    with socket.socket(socket.AF_UNIX) as server, socket_file.socket_address(folder) as address:
        with suppress(FileNotFoundError):
            os.unlink(address)
        before = os.umask(OWNER_ONLY)
        try:
            server.bind(address)
        finally:
            os.umask(before)
        server.listen(socket.SOMAXCONN)
        try:
            yield server
        finally:
            os.unlink(address)


class _Listener:
    """Thread that takes connections, each of which has a thread of its own."""

    def __init__(
        self,
        server: socket.socket,
        program: Any,
        backend: EmbeddedBackend,
        settings: EmbeddedSettings,
        counting: Counting,
        until_loaded: Callable[[], object],
    ) -> None:
        self._server = server
        self._until_loaded = until_loaded
        self._command = partial(HandedOver, program, backend, settings, counting)
        self._running: dict[threading.Thread, socket.socket] = {}
        self._is_over = threading.Event()
        self._taking = threading.Thread(target=self._take_all, name="handed over", daemon=True)

    def __enter__(self) -> None:
        self._taking.start()

    def __exit__(self, *_: object) -> None:
        """Takes no more, waits a while for commands that have begun, then ends conversations."""
        self._is_over.set()
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._taking.join(CLOSE_S)
        for connection in self._running.copy().values():
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RD)  # whoever waits for its caller ends; answers go out
        ends = monotonic() + CLOSE_S
        for thread in self._running.copy():
            thread.join(max(0.0, ends - monotonic()))

    def _take_all(self) -> None:
        while not self._is_over.is_set():
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._running[thread] = connection
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rwb") as wire:
                if not is_owner(connection):
                    return
                socket_file.send(wire, {"version": VERSION})
                request = socket_file.receive(wire)
                if request is not None:
                    self._until_loaded()
                    self._command(request, connection, wire).run()
        except OSError as error:
            _log.info("a caller went away: %s", error)
        finally:
            self._running.pop(threading.current_thread(), None)


def is_owner(connection: socket.socket) -> bool:
    """Tells if the other side runs as this user, where the system says; elsewhere the socket's mode does it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    size = struct.calcsize("3i")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    _, user, _ = struct.unpack("3i", credentials)
    return int(user) == os.geteuid()
