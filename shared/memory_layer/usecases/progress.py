"""How far a long piece of work is, and what its report names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Progress = Callable[[int, int], None]
"""Told again and again, with what is done and of how much; the latter may grow while the work goes on."""

NAMED_MAX: Final = 1_000
"""Ids that a report names at most: it has to fit into an operation."""


def untold(done: int, total: int) -> None:
    """For who does not want to know."""
