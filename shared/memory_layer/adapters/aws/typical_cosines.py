"""How alike each project's contents are anyway, measured now and then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_layer.domain.abstention import SAMPLE, typical_cosine
from memory_layer.domain.memory import Scope

LIFETIME = timedelta(minutes=10)
GROWTH = 1.5
"""Measured again, too, once a project has grown by half, as the RAM index does."""

_MOST_PROJECTS = 10_000

SAMPLE_SIZE = SAMPLE


@dataclass(frozen=True, slots=True)
class Measured:
    """A typical cosine: of how many vectors, and when."""

    cosine: float
    vectors: int
    at: datetime

    def holds(self, now: datetime, vectors: int) -> bool:
        return self.at <= now < self.at + LIFETIME and vectors <= GROWTH * self.vectors


class TypicalCosines:
    """Those that this process has measured; threads may share it."""

    def __init__(self) -> None:
        self._measured: dict[Scope, Measured] = {}

    def of(self, scope: Scope) -> Measured | None:
        return self._measured.get(scope)

    def measure(self, scope: Scope, sample: Sequence[Sequence[float]], total: int, now: datetime) -> Measured:
        """Keep what a sample of `total` vectors says."""
        import numpy as np  # late: who reads a record need not load it

        measured = Measured(typical_cosine(np.array(sample, np.float32)), total, now)
        if len(self._measured) >= _MOST_PROJECTS:
            self._measured.clear()
        self._measured[scope] = measured
        return measured
