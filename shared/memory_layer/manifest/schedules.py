"""Schedules of functions that run by the clock, with period and input. Standard library only.

In the cloud each entry is a schedule of EventBridge Scheduler; on a laptop `mem serve` uses the same list.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Schedule by which EventBridge Scheduler calls a function every `minutes`.

    `window_minutes` spreads the starts; `retries` and `max_age_s` bound the retries before a call goes to the DLQ.
    """

    name: str
    function: str
    minutes: int
    detail: Mapping[str, Any] = field(default_factory=dict)
    window_minutes: int = 5
    retries: int = 3
    max_age_s: int = 3600

    @property
    def expression(self) -> str:
        """Rate expression of EventBridge Scheduler."""
        return f"rate({self.minutes} minutes)" if self.minutes > 1 else "rate(1 minute)"


HOUR: Final = 60
DAY: Final = 24 * HOUR

SWEEP_MINUTES: Final[Mapping[str, int]] = {
    "expiry": HOUR,
    "decay": DAY,
    "staleness": HOUR,
    "backfill": 15,
    "reconcile": DAY,
    "consolidate": 7 * DAY,
    "tiering": DAY,
    "snapshot": DAY,
    "verify": DAY,
}
"""Period of each sweep of usecases/sweeps/registry.py (SPEC 7.9 to 7.16, 7.30); a test holds the two together."""

SCHEDULES: Final = tuple(
    Schedule(name=name, function="sweep", minutes=minutes, detail={"sweep": name})
    for name, minutes in SWEEP_MINUTES.items()
)
