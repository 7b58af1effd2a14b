"""Courtesy of a context to recalls: it takes much longer than one, and lets them pass before each of its steps."""

from collections.abc import Callable
from typing import Final

from memory_layer.ports.process import Turns

SHARE: Final = 0.1
"""Share of a context's time in which it may wait: under recalls without an end it still has the rest."""


class Courtesy:
    """Waiting time of one context, before whose steps it is called; in any of its threads.

    Args:
        budget_s: seconds of the context's time budget.
        timer: monotonic clock.
    """

    def __init__(self, turns: Turns, budget_s: float, timer: Callable[[], float]) -> None:
        self._turns, self._timer = turns, timer
        self._left_s = SHARE * budget_s

    def __call__(self) -> None:
        if self._left_s > 0.0:
            begun = self._timer()
            self._turns.let_pass(self._left_s)
            self._left_s -= self._timer() - begun
