"""Stages of a request: the time that it spent in each part of the backend, for its log line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from threading import Lock
from time import perf_counter
from typing import Any, Literal, cast

from memory_layer.ports.process import Ports

Stage = Literal["embed", "search", "read", "write"]
"""Embedding of texts; calls of the index; reads of records; commits, and notes of what a recall showed."""


class StageTimes:
    """Sums of one request. Calls side by side add up, so that their sum may be more than the request took.

    Args:
        timer: seconds from anywhere, only differences count.
    """

    def __init__(self, timer: Callable[[], float] = perf_counter) -> None:
        self._timer = timer
        self._sums: defaultdict[Stage, float] = defaultdict(float)
        self._lock = Lock()

    def milliseconds(self) -> dict[str, float]:
        """Milliseconds by stage; a stage that was not entered is missing."""
        return {stage: round(1_000 * seconds, 1) for stage, seconds in self._sums.items()}

    def around(self, ports: Ports) -> Ports:
        """Ports whose calls are timed."""
        store = ports.store
        timed = replace(
            store,
            memories=self._timed(store.memories, "read"),
            writer=self._timed(store.writer, "write"),
            receipts=self._timed(store.receipts, "write"),
        )
        return replace(
            ports,
            store=timed,
            index=self._timed(ports.index, "search"),
            embedder=self._timed(ports.embedder, "embed"),
        )

    def _timed(self, port: Any, stage: Stage) -> Any:
        return cast("Any", _TimedPort(port, stage, self))

    def call(self, stage: Stage, do: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Calls a function and adds its time to a stage, also where it fails."""
        started = self._timer()
        try:
            return do(*given, **named)
        finally:
            with self._lock:
                self._sums[stage] += self._timer() - started


class _TimedPort:
    """Port with every call of it timed; its other attributes are as they are."""

    def __init__(self, port: Any, stage: Stage, times: StageTimes) -> None:
        self._port = port
        self._stage = stage
        self._times = times

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if not callable(found):
            return found

        @wraps(found)
        def timed(*given: Any, **named: Any) -> Any:
            return self._times.call(self._stage, found, *given, **named)

        return timed
