"""Circuit breaker: a pure state machine that stops asking a part that does not answer, until it does again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

OPENS_AT: Final = 2
"""Failures in a row, of which a slow one counts for two: who waited seconds once need not do so again."""

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 30.0
"""Seconds without a call: twice as many each time that the probe fails, up to this."""

_DOUBLINGS: Final = 5
"""Doublings that reach the longest pause: an outage of hours counts on, and no power of it is taken."""

Permission = Literal["call", "probe", "refuse"]


@dataclass(frozen=True, slots=True)
class CircuitBreaker:
    """State of a breaker; the time is an argument, in seconds of a clock that never goes back.

    Closed it lets every call through. After failures in a row it is open and refuses all until a pause is over; then it
    is half-open and lets one call through, the probe, whose end decides. A probe of which nothing is heard for a pause
    makes room for the next one.

    Args:
        failures: in a row, slow ones twice.
        opened: times that it opened since it was closed; 0: it is closed.
        open_until: when the next probe may go.

    Source: Nygard, Release It!, 2nd edition, 2018, Circuit Breaker.
    """

    failures: int = 0
    opened: int = 0
    open_until: float = 0.0

    @property
    def is_open(self) -> bool:
        return self.opened > 0

    @property
    def pause_s(self) -> float:
        """Seconds of the pause that runs; 0 while it is closed."""
        if not self.opened:
            return 0.0
        return min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(self.opened - 1, _DOUBLINGS))

    def seconds_left(self, now: float) -> float:
        """Seconds until a call may go through, at least 0."""
        return max(0.0, self.open_until - now) if self.is_open else 0.0

    def asked(self, now: float) -> tuple[Permission, CircuitBreaker]:
        """Decides on a call, and returns the state after the decision."""
        if not self.is_open:
            return "call", self
        if now < self.open_until:
            return "refuse", self
        return "probe", replace(self, open_until=now + self.pause_s)

    def succeeded(self) -> CircuitBreaker:
        return CircuitBreaker()

    def failed(self, now: float, *, is_slow: bool) -> CircuitBreaker:
        """State after a call that failed. Args: is_slow: by waiting in vain, not by an answer."""
        failures = self.failures + (2 if is_slow else 1)
        if failures < OPENS_AT:
            return replace(self, failures=failures)
        opened = replace(self, failures=failures, opened=self.opened + 1)
        return replace(opened, open_until=now + opened.pause_s)
