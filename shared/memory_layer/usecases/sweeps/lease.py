"""Lease of a sweep: one process runs it at a time, and loses it after a crash."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from memory_layer.domain.time.sweep_state import SweepName, SweepReport, SweepState
from memory_layer.errors import SweepRunning, VersionConflict
from memory_layer.ports.maintenance import SweepStore

GRACE: Final = timedelta(minutes=1)
"""Time beyond its deadline that a run may take for the page that it has begun."""

LEASE_MAX: Final = timedelta(hours=1)
"""Longest lease; one that seems to last longer was taken before the clock was set back, and binds nobody."""


def take_lease(sweeps: SweepStore, name: SweepName, holder: str, now: datetime, deadline: datetime) -> Lease:
    """Takes the lease of a sweep, from the place where the last run left off.

    Raises:
        SweepRunning: somebody else has the lease.
    """
    before = sweeps.state(name) or SweepState(name=name, version=0)
    if _is_held(before, now):
        raise _running(before)
    began_at = now if before.cursor is None else min(before.walk_began_at or now, now)
    taken = replace(
        before,
        holder=holder,
        leased_until=_until(now, deadline),
        walk_began_at=began_at,
        is_whole=before.is_whole if before.cursor is not None else True,
        version=before.version + 1,
    )
    try:
        sweeps.put_state(taken)
    except VersionConflict as error:
        raise _running(sweeps.state(name) or taken) from error
    return Lease(sweeps, taken, deadline)


def _is_held(state: SweepState, now: datetime) -> bool:
    return state.leased_until is not None and now < state.leased_until <= now + LEASE_MAX


def _until(now: datetime, deadline: datetime) -> datetime:
    return min(max(now, deadline) + GRACE, now + LEASE_MAX)


def _running(state: SweepState) -> SweepRunning:
    until = (
        "a moment ago" if state.leased_until is None else f"until {state.leased_until:%H:%M:%S} UTC at most"
    )
    return SweepRunning(
        f"sweep {state.name} is run by {state.holder or 'somebody else'}, {until}; run it again then"
    )


class Lease:
    """Sweep's state, held by the process that runs it."""

    def __init__(self, sweeps: SweepStore, state: SweepState, deadline: datetime) -> None:
        self._sweeps = sweeps
        self._state = state
        self._deadline = deadline

    @property
    def cursor(self) -> str | None:
        """Place at which the run before left off."""
        return self._state.cursor

    def keep(self, cursor: str, report: SweepReport) -> bool:
        """Notes that a page is done; returns False if another process took the lease over."""
        return self._put(report, cursor=cursor, leased_until=_until(report.ended_at, self._deadline))

    def end(self, cursor: str | None, report: SweepReport) -> bool:
        """Releases the lease. Args: cursor: the place for the next run; None: the beginning."""
        state = self._state
        if not report.is_complete:
            return self._put(report, cursor=cursor, holder=None, leased_until=None)
        is_whole = state.is_whole and report.failed_count == 0
        return self._put(
            report,
            cursor=None,
            holder=None,
            leased_until=None,
            walk_began_at=None,
            walked_until=state.walk_began_at if is_whole else state.walked_until,
        )

    def _put(self, report: SweepReport, **changed: Any) -> bool:
        whole = self._state.is_whole and report.failed_count == 0
        state = replace(
            self._state, last_report=report, is_whole=whole, version=self._state.version + 1, **changed
        )
        try:
            self._sweeps.put_state(state)
        except VersionConflict:
            return False
        self._state = state
        return True


class NoLease:
    """Lease of a run that holds up nobody, a dry one for instance: it begins at the beginning, and stores nothing."""

    cursor: str | None = None

    def keep(self, cursor: str, report: SweepReport) -> bool:  # noqa: ARG002 nothing is kept
        return True

    def end(self, cursor: str | None, report: SweepReport) -> bool:  # noqa: ARG002 nothing is kept
        return True
