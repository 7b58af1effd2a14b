"""What runs by the clock: which function, how often, with what. Standard library only.

Nothing does yet: a full rebuild of the index is started by hand. The sweeps will be entries here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A function called by EventBridge Scheduler; `expression` as there: `rate(15 minutes)`, `cron(0 3 * * ? *)`.

    `window_minutes` spreads the starts, `retries` and `max_age_s` bound what is tried again before the DLQ has it.
    """

    name: str
    function: str
    expression: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    window_minutes: int = 5
    retries: int = 3
    max_age_s: int = 3600


SCHEDULES: tuple[Schedule, ...] = ()
