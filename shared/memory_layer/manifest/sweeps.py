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
        project_step: the same of its step in one project; None: it goes by what is due alone.
        projects_together: projects of one message where they are queued: 1 where one may take minutes.
        records_step: the same of its step on records that are due by the clock, where it goes by these (as well).
        is_monthly: it does its work once a month, and looks every day if that is done.
    """

    name: str
    minutes: int
    purpose: str
    step: str
    project_step: str | None = None
    projects_together: int = 1
    records_step: str | None = None
    is_monthly: bool = False


DECLARED_SWEEPS: Final[Mapping[str, Sweep]] = {
    sweep.name: sweep
    for sweep in (
        Sweep(
            name="expiry",
            minutes=HOUR,
            purpose="archives what has expired",
            step="expire_and_decay.expire_due",
            records_step="expire_and_decay.expire_records",
        ),
        Sweep(
            name="decay",
            minutes=DAY,
            purpose="lets scores that nobody confirms drift to 0, and takes out what is refuted",
            step="expire_and_decay.decay_due",
            records_step="expire_and_decay.decay_records",
        ),
        Sweep(
            name="staleness",
            minutes=HOUR,
            purpose="goes on with events of which not all memories were looked through",
            step="mark_stale.sweep_staleness",
            project_step="mark_stale.apply_open_events",
            projects_together=50,
        ),
        Sweep(
            name="backfill",
            minutes=15,
            purpose="makes the vectors that memories lack",
            step="backfill.backfill",
            project_step="backfill.backfill_page",
            projects_together=50,
        ),
        Sweep(
            name="reconcile",
            minutes=DAY,
            purpose="holds the search index against the records, and brings it right",
            step="reconcile.reconcile",
            project_step="reconcile.reconcile_page",
        ),
        Sweep(
            name="consolidate",
            minutes=7 * DAY,
            purpose="finds memories that contradict each other or say the same (mem conflicts, mem duplicates)",
            step="consolidate.consolidate",
            project_step="consolidate.consolidate_page",
        ),
        Sweep(
            name="tiering",
            minutes=DAY,
            purpose="moves what is seldom recalled out of its row (warm), and what is too much out of recall (cold)",
            step="tiering.move_tiers",
            project_step="tiering.move_page_between_tiers",
            records_step="tiering.freeze_records",
        ),
        Sweep(
            name="snapshot",
            minutes=DAY,
            purpose="puts aside the projects that have changed, and removes old snapshots",
            step="snapshot.snapshot_projects",
            project_step="snapshot.snapshot_part",
        ),
        Sweep(
            name="verify",
            minutes=DAY,
            purpose="reads everything once a month, heals what has a sound copy, and names the rest",
            step="verify_stored.verify_stored",
            project_step="verify_stored.verify_page",
            is_monthly=True,
        ),
    )
}
"""SPEC 7.9 to 7.16, and 7.30; a test holds names and periods to its rows."""
