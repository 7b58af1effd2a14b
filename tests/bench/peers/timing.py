"""How long a search takes, asked one after the other as an agent would."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

WARM_UP = 10
TOP = 10
"""Results that every product is asked for."""

Search = Callable[[str], int]
"""From a question to the number of memories found, their texts read."""


def time_searches(search: Search, questions: Sequence[str]) -> dict[str, float]:
    """p50 and p95 in milliseconds, after a warm-up.

    Raises:
        RuntimeError: a question found fewer memories than asked for, so the search did not do its work.
    """
    for question in questions[:WARM_UP]:
        search(question)
    times_ms = []
    for question in questions:
        started = time.perf_counter()
        found = search(question)
        times_ms.append((time.perf_counter() - started) * 1000)
        if found < TOP:
            raise RuntimeError(f"{found} memories found for {question!r}, {TOP} were asked for")
    return {"p50": float(np.percentile(times_ms, 50)), "p95": float(np.percentile(times_ms, 95))}
