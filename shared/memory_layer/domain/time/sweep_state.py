"""What every sweep has: a name, a lease, a place to go on from, and a report of what it did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

SweepName = Literal[
    "expiry", "decay", "staleness", "backfill", "reconcile", "consolidate", "tiering", "snapshot"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """What one run of a sweep did.

    Args:
        looked_at: records, events or projects, whatever the sweep walks over.
        did: how many of each verb, e.g. {"expired": 3}; in a dry run, how many it would have.
        failed: what could not be done, a sentence each, at most FAILED_MAX; the next run tries again.
        failed_count: how many those were in truth.
        is_complete: the walk came to its end; else the next run goes on from where this one stopped.
        is_stopped: it did not run out of time, but a part was down, or another process took over.
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
    """Who runs a sweep until when, where it goes on, and what it last did.

    Args:
        holder: who has the lease; None: nobody.
        leased_until: when the lease lapses, whether or not its holder has said that it is done.
        cursor: where the next run goes on; None: from the beginning.
        walk_began_at: when the walk began that `cursor` is a place in.
        is_whole: nothing of this walk failed so far.
        walked_until: when the last walk began that came to its end and was whole: what was due before is done.
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
