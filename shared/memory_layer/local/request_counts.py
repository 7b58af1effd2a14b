"""Counts of requests in this process, and of what recalls answered, for `/metrics` and for a line each in the log.

Source: text exposition format 0.0.4 of Prometheus.
"""

from __future__ import annotations

import json
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import Final, TextIO

from memory_layer.domain.fields import rfc3339

BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
RECALL: Final = "recall"

Gauge = tuple[str, str, float | None]
"""Name, meaning, and value; None: it is not known now."""

Counter = tuple[str, str, float]
"""Name, meaning, and value, which only grows while the process lives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredRequest:
    """Answered request: nothing of what a caller wrote.

    Args:
        operation: id in openapi.json; empty: none of it.
        summary: first members of a recall's answer, else nothing.
    """

    request_id: str
    method: str
    operation: str
    status: int
    seconds: float
    summary: Mapping[str, object] = field(default_factory=dict)


class RequestCounts:
    """Counts since the process began. Args: log: takes a line of JSON a request; None: no lines."""

    def __init__(self, log: TextIO | None = None) -> None:
        self._log = log
        self._lock = Lock()
        self._answered: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS_S) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._recalls: defaultdict[str, int] = defaultdict(int)

    def note(self, request: AnsweredRequest) -> None:
        """Counts a request, and logs it where that was asked for."""
        with self._lock:
            self._answered[request.operation, request.status] += 1
            self._buckets[request.operation][bisect_left(BUCKETS_S, request.seconds)] += 1
            self._seconds[request.operation] += request.seconds
            for name in ("degraded", "abstained"):
                self._recalls[name] += bool(request.summary.get(name))
        if self._log is not None:
            print(_line(request), file=self._log, flush=True)

    def text(self, gauges: Iterable[Gauge], counters: Iterable[Counter] = ()) -> str:
        """Exposition of all counts. Args: gauges: values of now, beside them; counters: counts of other parts."""
        with self._lock:
            lines = [*self._requests(), *self._durations(), *self._of_recalls()]
        return "\n".join([*lines, *_of_counters(counters), *_of_gauges(gauges), ""])

    def _requests(self) -> Iterator[str]:
        yield from _head("memory_layer_requests_total", "counter", "Requests by operation and status.")
        for (operation, status), count in sorted(self._answered.items()):
            yield f'memory_layer_requests_total{{operation="{operation}",status="{status}"}} {count}'

    def _durations(self) -> Iterator[str]:
        name = "memory_layer_request_duration_seconds"
        yield from _head(name, "histogram", "Seconds from the request to its answer, by operation.")
        for operation, counts in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip((*BUCKETS_S, "+Inf"), counts, strict=True):
                total += count
                yield f'{name}_bucket{{operation="{operation}",le="{bound}"}} {total}'
            yield f'{name}_sum{{operation="{operation}"}} {self._seconds[operation]:.6f}'
            yield f'{name}_count{{operation="{operation}"}} {total}'

    def _of_recalls(self) -> Iterator[str]:
        for kind, meaning in (
            ("degraded", "Recalls without the index or the embedder."),
            ("abstained", "Recalls that found nothing relevant."),
        ):
            yield from _head(f"memory_layer_recalls_{kind}_total", "counter", meaning)
            yield f"memory_layer_recalls_{kind}_total {self._recalls[kind]}"


def _of_counters(counters: Iterable[Counter]) -> Iterator[str]:
    for name, meaning, value in counters:
        yield from _head(name, "counter", meaning)
        yield f"{name} {value:g}"


def _of_gauges(gauges: Iterable[Gauge]) -> Iterator[str]:
    for name, meaning, value in gauges:
        if value is not None:
            yield from _head(name, "gauge", meaning)
            yield f"{name} {value:g}"


def _head(name: str, kind: str, meaning: str) -> tuple[str, str]:
    return f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"


def _line(request: AnsweredRequest) -> str:
    return json.dumps(
        {
            "time": rfc3339(datetime.now(UTC)),
            "request_id": request.request_id,
            "method": request.method,
            "operation": request.operation or None,
            "status": request.status,
            "ms": round(1_000 * request.seconds, 1),
        }
    )


def request_log(is_asked: bool) -> TextIO | None:
    """Stream of the request log: stderr, as stdout has the ready line; None: nobody asked for one."""
    return sys.stderr if is_asked else None
