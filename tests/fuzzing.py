"""Examples of property tests: the same ones at every run, or at random and more of them (`make fuzz`)."""

from __future__ import annotations

import os
from typing import Final

from hypothesis import HealthCheck, settings

TIMES: Final = int(os.environ.get("FUZZ") or 0)
"""The factor of a run at random; 0: not at random."""


def examples(few: int) -> int:
    """The number of examples to try where a test run tries few."""
    return few * max(1, TIMES)


def load_profile() -> None:
    """Nothing depends on how fast this machine is just now."""
    unchecked = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)
    settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=unchecked)
    settings.register_profile(
        "random",
        settings.get_profile("same"),
        derandomize=False,
        max_examples=examples(100),
        print_blob=True,
    )
    settings.load_profile("random" if TIMES else "same")
