"""Scheduler of a laptop: while `mem serve` runs, its sweeps run as the cloud's schedules would have them.

Missing vectors are made sooner: when a process starts, after a command that has loaded the model, at the next tick.
"""

import logging
import os
import socket
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.memory import Scope
from memory_layer.domain.time.sweep_state import SweepName, SweepReport
from memory_layer.errors import MemoryLayerError, SweepRunning, Unavailable
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.ports.process import Ports

TICK_S: Final = 60.0
"""Seconds between two checks for due sweeps."""

RUN_S: Final = 2.0
"""Seconds of one run: others get their turn, and a stop of the server does not wait long; the next run goes on."""

CLOSE_S: Final = 2.0
"""Seconds that a stop waits for a page that has begun: what it leaves the next process does again."""

BACKFILL: Final = "backfill"

EMBEDS_S: Final = 0.5
"""Seconds that a command embeds for, once it has answered; at least one page."""

EMBEDS_RECORDS: Final = 32

_log = logging.getLogger(__name__)


def process_holder() -> str:
    """Name of this process as a lease's holder, for others to know whom they wait for."""
    return f"{socket.gethostname()}, process {os.getpid()}"


class Scheduler:
    """Thread that runs due sweeps, one at a time; leases make it safe beside other processes.

    Args:
        tick_s: seconds between two checks for due sweeps.
        sweeps: names of those that it runs.
    """

    def __init__(
        self, ports: Ports, *, tick_s: float = TICK_S, sweeps: Collection[str] = DECLARED_SWEEPS
    ) -> None:
        self._ports = ports
        self._tick_s = tick_s
        self._sweeps = sweeps
        self._left = 0
        self._is_over, self._is_woken = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeps", daemon=True)

    def start(self) -> None:
        """Starts with the next tick: a starting server has to answer first."""
        self._thread.start()

    def stop(self) -> None:
        """Begins no page any more."""
        self._is_over.set()
        self._is_woken.set()

    def embed_soon(self) -> None:
        """Makes the vectors that memories lack now, in its thread, and leaves all else to the next tick."""
        self._is_woken.set()

    def close(self) -> None:
        """Stops, and waits a moment for a page that has begun."""
        self.stop()
        if self._thread.is_alive():
            self._thread.join(CLOSE_S)

    def run_due(self) -> None:
        """Runs due sweeps, each until it is done or stopped, in turns."""
        self._run_all(list(self._due()))

    def _run_all(self, waiting: list[SweepName]) -> None:
        while waiting and not self._is_over.is_set():
            name = waiting.pop(0)
            report = self._sweep(name)
            if report is not None and not report.is_complete and not report.is_stopped:
                waiting.append(name)

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                if self._is_woken.wait(self._tick_s):
                    self._is_woken.clear()
                    self._run_all([BACKFILL] if self._lacks_vectors() else [])
                else:
                    self.run_due()
            except Exception:  # whatever it is: the next tick tries again, and the server goes on
                _log.exception("sweeps could not be run; the next try is in %s s", self._tick_s)

    def _due(self) -> Iterator[SweepName]:
        now = self._ports.clock.now()
        for name in self._sweeps:
            state = self._ports.store.sweeps.state(name)
            last, minutes = None if state is None else state.last_report, DECLARED_SWEEPS[name].minutes
            if is_due(last, minutes, now) or (name == BACKFILL and self._lacks_vectors()):
                yield name

    def _lacks_vectors(self) -> bool:
        """Tells if more memories lack a vector than the last walk over all of them had to leave."""
        return self._lacking() > self._left

    def _lacking(self) -> int:
        """Number of memories without a vector of the model in use; 0 where the index does not say."""
        try:
            coverage = self._ports.index.coverage()
        except Unavailable:  # a recall tells
            return 0
        return coverage.total - coverage.with_vector

    def _sweep(self, name: SweepName) -> SweepReport | None:
        """Runs a sweep; None: somebody else runs it, or it cannot be run now."""
        from memory_layer.usecases.sweeps.run_sweep import run_sweep

        try:
            report = run_sweep(self._ports, name, holder=process_holder(), seconds=RUN_S)
        except SweepRunning:
            return None
        except MemoryLayerError as error:
            _log.warning("sweep %s could not be run: %s", name, error.detail)
            return None
        except Exception:  # whatever it is: the sweeps after it are run
            _log.exception("sweep %s could not be run", name)
            return None
        for sentence in report.failed:
            _log.warning("sweep %s: %s", name, sentence)
        if name == BACKFILL and report.is_complete:
            self._left = self._lacking()  # damaged ones, and those whose words are in deep archive
        return report


def is_due(last: SweepReport | None, minutes: int, now: datetime) -> bool:
    """Tells if a sweep is to run: its period is over, it did not come to its end, or the clock was set back."""
    if last is None or not last.is_complete:
        return True
    return not last.started_at <= now < last.started_at + timedelta(minutes=minutes)


@contextmanager
def embedding_beside(ports: Ports) -> Iterator[None]:
    """Makes missing vectors beside what a process does, of one that serves a single client."""
    scheduler = Scheduler(ports, sweeps=(BACKFILL,))
    scheduler.start()
    scheduler.embed_soon()
    try:
        yield
    finally:
        scheduler.close()


def embed_waiting(ports: Ports, scope: Scope) -> None:
    """Makes vectors that memories lack, for a moment, if this project lacks any; what is left the next command does."""
    try:
        if ports.index.unembedded(scope, after=None, k=1):
            from memory_layer.usecases.sweeps.run_sweep import run_sweep

            run_sweep(ports, BACKFILL, holder=process_holder(), seconds=EMBEDS_S, page_records=EMBEDS_RECORDS)
    except (SweepRunning, Unavailable) as error:
        _log.info("vectors are made later: %s", error.detail)
