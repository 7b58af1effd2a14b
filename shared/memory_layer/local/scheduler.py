"""Scheduler of a laptop: while `mem serve` runs, its sweeps run as the cloud's schedules would have them."""

import logging
import os
import socket
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.time.sweep_state import SweepName, SweepReport
from memory_layer.errors import MemoryLayerError, SweepRunning
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps.run_sweep import run_sweep

TICK_S: Final = 60.0
"""Seconds between two checks for due sweeps."""

RUN_S: Final = 2.0
"""Seconds of one run: others get their turn, and a stop of the server does not wait long; the next run goes on."""

CLOSE_S: Final = 2.0
"""Seconds that a stop waits for a page that has begun: what it leaves the next process does again."""

_log = logging.getLogger(__name__)


def process_holder() -> str:
    """Name of this process as a lease's holder, for others to know whom they wait for."""
    return f"{socket.gethostname()}, process {os.getpid()}"


class Scheduler:
    """Thread that runs due sweeps, one at a time; leases make it safe beside other processes.

    Args:
        tick_s: seconds between two checks for due sweeps.
    """

    def __init__(self, ports: Ports, *, tick_s: float = TICK_S) -> None:
        self._ports = ports
        self._tick_s = tick_s
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeps", daemon=True)

    def start(self) -> None:
        """Starts with the next tick: a starting server has to answer first."""
        self._thread.start()

    def stop(self) -> None:
        """Begins no page any more."""
        self._is_over.set()

    def close(self) -> None:
        """Stops, and waits a moment for a page that has begun."""
        self.stop()
        if self._thread.is_alive():
            self._thread.join(CLOSE_S)

    def run_due(self) -> None:
        """Runs due sweeps, each until it is done or stopped, in turns."""
        waiting = list(self._due())
        while waiting and not self._is_over.is_set():
            name = waiting.pop(0)
            report = self._sweep(name)
            if report is not None and not report.is_complete and not report.is_stopped:
                waiting.append(name)

    def _run(self) -> None:
        while not self._is_over.wait(self._tick_s):
            try:
                self.run_due()
            except Exception:  # whatever it is: the next tick tries again, and the server goes on
                _log.exception("sweeps could not be run; the next try is in %s s", self._tick_s)

    def _due(self) -> Iterator[SweepName]:
        now = self._ports.clock.now()
        for name, sweep in DECLARED_SWEEPS.items():
            state = self._ports.store.sweeps.state(name)
            if is_due(None if state is None else state.last_report, sweep.minutes, now):
                yield name

    def _sweep(self, name: SweepName) -> SweepReport | None:
        """Runs a sweep; None: somebody else runs it, or it cannot be run now."""
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
        return report


def is_due(last: SweepReport | None, minutes: int, now: datetime) -> bool:
    """Tells if a sweep is to run: its period is over, it did not come to its end, or the clock was set back."""
    if last is None or not last.is_complete:
        return True
    return not last.started_at <= now < last.started_at + timedelta(minutes=minutes)
