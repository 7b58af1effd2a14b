"""Sweeps, declared once: name, period, purpose and step of each. Standard library only.

The registry of steps, the schedules of cloud and laptop, `mem sweep` and the tests of the rules loop over this.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

HOUR: Final = 60
DAY: Final = 24 * HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Sweep: work over all projects that is done again and again.

    Args:
        minutes: between two runs.
        purpose: what it does, for `mem sweep`.
        step: module and name of its step in usecases/sweeps.
    """

    name: str
    minutes: int
    purpose: str
    step: str


DECLARED_SWEEPS: Final[Mapping[str, Sweep]] = {
    sweep.name: sweep
    for sweep in (
        Sweep(
            name="expiry",
            minutes=HOUR,
            purpose="archives what has expired",
            step="expire_and_decay.expire_due",
        ),
        Sweep(
            name="decay",
            minutes=DAY,
            purpose="lets scores that nobody confirms drift to 0, and takes out what is refuted",
            step="expire_and_decay.decay_due",
        ),
        Sweep(
            name="staleness",
            minutes=HOUR,
            purpose="goes on with events of which not all memories were looked through",
            step="mark_stale.sweep_staleness",
        ),
        Sweep(
            name="backfill",
            minutes=15,
            purpose="makes the vectors that memories lack",
            step="backfill.backfill",
        ),
        Sweep(
            name="reconcile",
            minutes=DAY,
            purpose="holds the search index against the records, and brings it right",
            step="reconcile.reconcile",
        ),
        Sweep(
            name="consolidate",
            minutes=7 * DAY,
            purpose="finds memories that contradict each other or say the same (mem conflicts, mem duplicates)",
            step="consolidate.consolidate",
        ),
        Sweep(
            name="tiering",
            minutes=DAY,
            purpose="moves what is seldom recalled out of its row (warm), and what is too much out of recall (cold)",
            step="tiering.move_tiers",
        ),
        Sweep(
            name="snapshot",
            minutes=DAY,
            purpose="puts aside the projects that have changed, and removes old snapshots",
            step="snapshot.snapshot_projects",
        ),
        Sweep(
            name="verify",
            minutes=DAY,
            purpose="reads everything once a month, heals what has a sound copy, and names the rest",
            step="verify_stored.verify_stored",
        ),
    )
}
"""SPEC 7.9 to 7.16, and 7.30; a test holds names and periods to its rows."""
