"""Several processes that serve one data folder on one address, and the one that watches over them.

Each has its own index and follows the log in the database, so that an answer of one shows what another has stored. The
first does what one process does for all. If one ends that nobody stopped, all end: what it had accepted and not done
is taken up at the next start.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic
from typing import Final, Literal

from memory_layer.errors import MemoryLayerError, StoreUnavailable
from memory_layer.local.server import Beside, Place, nothing_beside, ready_lines, say, serve
from memory_layer.settings import EmbeddedSettings

STOP_S: Final = 9.0
"""Seconds that workers have to end once the server is to stop; then they are killed, and nothing durable is lost."""

BACKLOG: Final = 2_048
"""Connections that may wait to be taken, as uvicorn has it."""

_spawning = get_context("spawn")


@dataclass(frozen=True, slots=True)
class Serving:
    """Service of all workers. Args: begin_beside: makes what the first one runs beside; it is sent to its process."""

    settings: EmbeddedSettings
    host: str
    port: int
    with_auth: bool
    begin_beside: Callable[[EmbeddedSettings], Beside]


def serve_by_workers(serving: Serving, count: int) -> None:
    """Serves by so many processes until interrupted; the ready lines go to stdout once all of them answer.

    Raises:
        StoreUnavailable: a worker could not begin, or ended by itself.
    """
    workers: list[_Worker] = []
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    try:
        with _listening(serving) as shared:
            for number in range(count):  # the first alone, as it may have to make or migrate the database
                workers.append(_Worker.begin(serving, shared, number))
                workers[-1].await_ready()
        say(ready_lines(serving.settings, serving.host, serving.port))
        _watch(workers)
    finally:
        _end(workers)


@dataclass(frozen=True, slots=True)
class _Worker:
    """A worker's process, as seen by the one that watches. Args: line: says that it is ready; it ends with us."""

    number: int
    process: SpawnProcess
    line: Connection

    @classmethod
    def begin(cls, serving: Serving, shared: socket.socket, number: int) -> _Worker:
        ours, theirs = _spawning.Pipe()
        process = _spawning.Process(
            target=_work, args=(serving, shared, number, theirs), name=f"worker {number + 1}"
        )
        process.start()
        theirs.close()
        return cls(number, process, ours)

    def await_ready(self) -> None:
        """Waits until it answers. Raises: StoreUnavailable: it does not."""
        try:
            kind, said = self.line.recv()
        except EOFError:
            self.process.join(STOP_S)
            raise StoreUnavailable(self.end_told()) from None
        if kind == "refused":
            raise StoreUnavailable(said)

    def end_told(self) -> str:
        """Sentence about a worker that ended by itself."""
        code = self.process.exitcode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with {code}"
        return (
            f"worker {self.number + 1} (process {self.process.pid}) ended {how}, and the server with it; what was "
            "acknowledged is stored: start it again"
        )


def _watch(workers: Sequence[_Worker]) -> None:
    """Waits until a worker ends. Raises: StoreUnavailable: always, with what ended."""
    ended = wait([worker.process.sentinel for worker in workers])
    worker = next(worker for worker in workers if worker.process.sentinel in ended)
    worker.process.join()
    raise StoreUnavailable(worker.end_told())


def _end(workers: Sequence[_Worker]) -> None:
    """Has all workers end, and kills those that take too long."""
    until = monotonic() + STOP_S
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(max(0.0, until - monotonic()))
        worker.process.kill()
        worker.process.join()


def _listening(serving: Serving) -> socket.socket:
    host = serving.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, serving.port), family=family, backlog=BACKLOG)


def _stop(number: int, _: object) -> None:
    """Leaves the watch, so that the workers are ended."""
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def _work(serving: Serving, shared: socket.socket, number: int, line: Connection) -> None:
    """Serves, in a worker's process."""
    threading.Thread(target=_end_with, args=(line,), name="watcher's end", daemon=True).start()
    is_first = number == 0
    place = Place([shared], is_first, partial(_tell, line, "ready"))
    try:
        serve(
            serving.settings,
            host=serving.host,
            port=serving.port,
            with_auth=serving.with_auth,
            beside=serving.begin_beside(serving.settings) if is_first else nothing_beside,
            place=place,
        )
    except MemoryLayerError as error:
        _tell(line, "refused", error.detail)
        sys.exit(1)


def _tell(line: Connection, kind: Literal["ready", "refused"], said: str) -> None:
    with suppress(OSError):  # the one that watches has gone, and this process is about to
        line.send((kind, said))


def _end_with(line: Connection) -> None:
    """Ends this process with the one that watches: nobody would stop it any more."""
    with suppress(EOFError, OSError):
        line.recv()
    os.kill(os.getpid(), signal.SIGTERM)
