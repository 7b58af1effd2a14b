"""How long a search takes, asked one after the other as an agent would, and how much of the truth it finds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from tests.bench.peers.dataset import Dataset

WARM_UP = 10
TOP = 10
"""Results that every product is asked for."""

Search = Callable[[str], list[str]]
"""From a question to the texts of the memories found."""


def time_searches(search: Search, questions: Sequence[str], *, least: int = TOP) -> dict[str, float]:
    """p50 and p95 in milliseconds, after a warm-up.

    Args:
        least: memories that every question finds; fewer for a product that leaves out what does not bear on it.

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
        if len(found) < least:
            raise RuntimeError(f"{len(found)} memories found for {question!r}, {TOP} were asked for")
    return {"p50": float(np.percentile(times_ms, 50)), "p95": float(np.percentile(times_ms, 95))}


def share_of_exact(search: Search, dataset: Dataset) -> float:
    """Mean share of the exact nearest neighbours that a search finds, 0..1: what an approximate index gives up."""
    cosines = dataset.question_vectors @ dataset.vectors.T
    nearest = np.argpartition(-cosines, TOP, axis=1)[:, :TOP]
    shares = [
        len({dataset.texts[row] for row in rows} & set(search(question))) / TOP
        for question, rows in zip(dataset.questions, nearest, strict=True)
    ]
    return float(np.mean(shares))
