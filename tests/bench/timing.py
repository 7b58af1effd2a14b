"""Time of calls by the clock on the wall and by the processor, of all threads of the process; and its memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

Figures = dict[str, float]


def timed(calls: Iterable[Callable[[], object]]) -> tuple[list[float], list[float]]:
    """Milliseconds of each call: by the wall, and of processor."""
    wall, processor = [], []
    for call in calls:
        begun, worked = time.perf_counter(), time.process_time()
        call()
        processor.append((time.process_time() - worked) * 1000)
        wall.append((time.perf_counter() - begun) * 1000)
    return wall, processor


def measured(name: str, calls: Iterable[Callable[[], object]]) -> Figures:
    """p50 and p95 of calls, as figures of this name."""
    return percentiles(name, *timed(calls))


def percentiles(name: str, wall: Sequence[float], processor: Sequence[float]) -> Figures:
    return {
        f"{name} p50 ms": float(np.percentile(wall, 50)),
        f"{name} p95 ms": float(np.percentile(wall, 95)),
        f"{name} processor p50 ms": float(np.percentile(processor, 50)),
        f"{name} processor p95 ms": float(np.percentile(processor, 95)),
    }


def process_memory(pid: int | str = "self") -> dict[str, int]:
    """Bytes in RAM: private (RssAnon), and of mapped files (RssFile)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    found = dict(line.split(":", 1) for line in lines if line.startswith(("RssAnon", "RssFile")))
    return {name: int(value.split()[0]) * 1024 for name, value in found.items()}


def processor_seconds(pid: int) -> float:
    """Processor time that a process and those it waited for have taken."""
    import os

    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
