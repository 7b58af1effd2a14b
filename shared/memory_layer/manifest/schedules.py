"""Schedules of functions that run by the clock, with period and input. Standard library only.

In the cloud each entry is a schedule of EventBridge Scheduler; on a laptop `mem serve` goes by the same sweeps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from memory_layer.manifest.sweeps import DECLARED_SWEEPS


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


CANARY_MINUTES: Final = 5

SCHEDULES: Final = (
    *(
        Schedule(name=sweep.name, function="sweep", minutes=sweep.minutes, detail={"sweep": sweep.name})
        for sweep in DECLARED_SWEEPS.values()
    ),
    Schedule(
        name="canary",
        function="canary",
        minutes=CANARY_MINUTES,
        window_minutes=0,
        retries=0,  # the next flight is soon, and its alarm counts missing ones
        max_age_s=60,
    ),
)
