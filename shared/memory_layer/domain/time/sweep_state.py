"""State of a sweep (name, lease, cursor) and the report of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

SweepName = str
"""Name of a sweep that manifest/sweeps.py declares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """Report of one run of a sweep.

    Args:
        looked_at: records, events or projects, whatever the sweep walks over.
        did: number of changes by verb, e.g. {"expired": 3}; in a dry run, of those it would have made.
        failed: failures, a sentence each, at most FAILED_MAX; the next run tries again.
        failed_count: number of all failures, those beyond FAILED_MAX included.
        is_complete: the walk came to its end; else the next run continues from its stop.
        is_stopped: a part was down, or another process took over; the run did not run out of time.
    """

    name: SweepName
    started_at: datetime
    ended_at: datetime
    is_dry_run: bool = False
    is_complete: bool = False
    is_stopped: bool = False
    looked_at: int = 0
    did: Mapping[str, int] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    failed_count: int = 0


FAILED_MAX = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepState:
    """Lease of a sweep, cursor of its walk, and its last report.

    Args:
        holder: process that holds the lease; None: nobody.
        leased_until: end of the lease, released by its holder or not.
        cursor: place where the next run continues; None: the beginning.
        walk_began_at: start of the walk that `cursor` is a place in.
        is_whole: nothing of this walk failed so far.
        walked_until: start of the last walk that was complete and whole: all that was due before is done.
        version: +1 at every change, from 1.
    """

    name: SweepName
    holder: str | None = None
    leased_until: datetime | None = None
    cursor: str | None = None
    walk_began_at: datetime | None = None
    is_whole: bool = True
    walked_until: datetime | None = None
    last_report: SweepReport | None = None
    version: int = 1
