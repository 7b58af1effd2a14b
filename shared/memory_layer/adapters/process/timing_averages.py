"""Averages of the timings of contexts, on a laptop: written to the log once a minute while there are any."""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final

LOG_INTERVAL_S: Final = 60.0

_log = logging.getLogger(__name__)


class TimingAverages:
    """The port ports.process.Telemetry over the log. Args: timer: seconds from any start."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._lock = threading.Lock()
        self._sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._since: float | None = None

    def measure(self, values: Mapping[str, float], *, layer: str | None = None) -> None:
        with self._lock:
            for name, value in values.items():
                self._add(f"{name}{{{layer}}}" if layer else name, value)
        self.tell(LOG_INTERVAL_S)

    @contextmanager
    def span(self, name: str, **_: Any) -> Iterator[None]:
        started = self._timer()
        try:
            yield
        finally:
            with self._lock:
                self._add(f"{name} ms", 1_000 * (self._timer() - started))

    def tell(self, least_s: float = 0.0) -> None:
        """Logs one line of averages, if there are any. Args: least_s: seconds since the first value of the line."""
        with self._lock:
            if self._since is None or self._timer() - self._since < least_s:
                return
            averages = ", ".join(
                f"{name} {total / count:.4g} (of {count:.0f})" for name, (total, count) in self._in_order()
            )
            self._sums.clear()
            self._since = None
        _log.info("contexts, on average: %s", averages)

    def _in_order(self) -> list[tuple[str, list[float]]]:
        return sorted(self._sums.items())

    def _add(self, name: str, value: float) -> None:
        if self._since is None:
            self._since = self._timer()
        both = self._sums[name]
        both[0] += value
        both[1] += 1


class NoTimings:
    """The port ports.process.Telemetry where nothing is measured: work that answers no request."""

    def measure(self, values: Mapping[str, float], *, layer: str | None = None) -> None:
        """Measures nothing."""

    def span(self, name: str, **facts: Any) -> AbstractContextManager[None]:  # noqa: ARG002 nothing is told
        return nullcontext()
