"""Forget slowly what nobody uses, and take out of use what is refuted (SPEC 4.30, 7.10)."""

from __future__ import annotations

from memory_layer.domain.time.decay import decayed
from memory_layer.usecases.sweeps.expire_and_decay import over_due
from memory_layer.usecases.sweeps.retire import Turning
from memory_layer.usecases.sweeps.step import Step


def _verb(turning: Turning) -> str:
    if turning.after.status == turning.before.status:
        return "drifted"
    return "archived" if turning.after.status == "archived" else "deactivated"


decay_due: Step = over_due(decayed, _verb)
"""What has expired is left to the other sweep."""
