"""Run of a sweep: one at a time, from the place of the last run, until its deadline, with a report."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memory_layer.domain.time.sweep_state import FAILED_MAX, SweepName, SweepReport, SweepState
from memory_layer.errors import Malformed, MemoryLayerError, NotFound, Unavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps.expire_and_decay import SHARERS
from memory_layer.usecases.sweeps.lease import Lease, NoLease, take_lease
from memory_layer.usecases.sweeps.registry import SWEEPS
from memory_layer.usecases.sweeps.step import WALK_OVERLAP, Step, StepReport, SweepWalk


def run_sweep(
    ports: Ports,
    name: SweepName,
    *,
    holder: str,
    seconds: float,
    is_dry_run: bool = False,
    page_records: int | None = None,
    is_asked: bool = False,
) -> SweepReport:
    """Runs a sweep until its end, or until the time is up; a repeated run does nothing twice.

    Args:
        holder: name of the process that runs it, for others to know whom they wait for.
        seconds: time that it may take; a page that has begun is finished. At least one page is done.
        is_dry_run: begins at the beginning, writes nothing, and holds up nobody.
        page_records: number of records of a page; None: the sweep's own.
        is_asked: a person asks for it: what is done once a month is done now as well.

    Raises:
        NotFound: there is no such sweep.
        SweepRunning: somebody else runs it right now.
        Unavailable: its state cannot be read or written.
    """
    step = SWEEPS[sweep_named(name)]
    return run_step(
        ports,
        name,
        step,
        holder=holder,
        seconds=seconds,
        is_dry_run=is_dry_run,
        page_records=page_records,
        is_asked=is_asked,
    )


def run_step(
    ports: Ports,
    name: SweepName,
    step: Step,
    *,
    holder: str,
    seconds: float,
    is_dry_run: bool = False,
    page_records: int | None = None,
    state_name: str | None = None,
    is_asked: bool = False,
) -> SweepReport:
    """Runs a step of a sweep as `run_sweep` does. Args: state_name: of lease and cursor; None: the sweep's own."""
    at, kept_as = ports.clock.now(), state_name or name
    deadline = at + timedelta(seconds=seconds)
    states = [ports.store.sweeps.state(each) for each in (kept_as, *_sharers(kept_as))]
    lease = NoLease() if is_dry_run else take_lease(ports.store.sweeps, kept_as, holder, at, deadline)
    walk = SweepWalk(
        name=name,
        at=at,
        deadline=deadline,
        since=_since(states, at),
        cursor=lease.cursor,
        is_dry_run=is_dry_run,
        is_first_of_month=_is_first_of_month(states[0], at),
        page_records=page_records,
        is_asked=is_asked,
    )
    return _Run(ports, step, walk, lease).through()


def run_unleased(ports: Ports, name: SweepName, step: Step, *, seconds: float) -> SweepReport:
    """Runs a step that may be run twice at once, and keeps no state: what it does is in its report alone."""
    at = ports.clock.now()
    walk = SweepWalk(name=name, at=at, deadline=at + timedelta(seconds=seconds))
    return _Run(ports, step, walk, NoLease()).through()


def sweep_named(name: str) -> SweepName:
    """Checks the name of a sweep. Raises: NotFound: there is no such sweep."""
    for known in SWEEPS:
        if known == name:
            return known
    raise NotFound(f"there is no sweep {name}; there are: {', '.join(SWEEPS)}")


def _sharers(name: SweepName) -> tuple[SweepName, ...]:
    return tuple(other for other in SHARERS if name in SHARERS and other != name)


def _since(states: Sequence[SweepState | None], now: datetime) -> datetime | None:
    """Time before which nothing is left to do; None: unknown, also after the clock was set back."""
    walked = [state.walked_until for state in states if state is not None and state.walked_until is not None]
    is_known = len(walked) == len(states) and max(walked) <= now
    return min(walked) - WALK_OVERLAP if is_known else None


def _is_first_of_month(state: SweepState | None, now: datetime) -> bool:
    last = None if state is None else state.walked_until
    return last is None or (last.year, last.month) != (now.year, now.month)


class _Run:
    """Run of a sweep, page by page; its state is stored after each, so that a crash costs no more than a page."""

    def __init__(self, ports: Ports, step: Step, walk: SweepWalk, lease: Lease | NoLease) -> None:
        self._ports = ports
        self._step = step
        self._walk = walk
        self._lease = lease
        self._looked_at = 0
        self._did: Counter[str] = Counter()
        self._failed: list[str] = []
        self._failed_count = 0

    def through(self) -> SweepReport:
        cursor = self._walk.cursor
        while True:
            try:
                done = self._step(self._ports, replace(self._walk, cursor=cursor))
            except (Unavailable, Malformed) as error:
                return self._stop(cursor, error)
            except Exception as error:  # a defect: release the lease before it lapses
                self._stop(cursor, MemoryLayerError(type(error).__name__))
                raise
            self._count(done)
            cursor = done.next_cursor
            report = self._report(is_complete=cursor is None)
            if cursor is None or self._walk.is_over(report.ended_at):
                return self._end(cursor, report)
            if not self._lease.keep(cursor, report):
                return self._overtaken()

    def _stop(self, cursor: str | None, error: MemoryLayerError) -> SweepReport:
        """Ends a run because of an error; a malformed cursor is dropped, and the next run begins at the beginning."""
        self._fail(f"stopped: {error.detail}")
        report = self._report(is_stopped=True)
        return self._end(None if isinstance(error, Malformed) else cursor, report)

    def _end(self, cursor: str | None, report: SweepReport) -> SweepReport:
        return report if self._lease.end(cursor, report) else self._overtaken()

    def _overtaken(self) -> SweepReport:
        self._fail("stopped: it took so long that another process has taken over")
        return self._report(is_stopped=True)

    def _count(self, done: StepReport) -> None:
        self._looked_at += done.looked_at
        self._did.update(done.did)
        for sentence in done.failed:
            self._fail(sentence)

    def _fail(self, sentence: str) -> None:
        self._failed_count += 1
        self._failed += [sentence] if len(self._failed) < FAILED_MAX else []

    def _report(self, *, is_complete: bool = False, is_stopped: bool = False) -> SweepReport:
        walk = self._walk
        return SweepReport(
            name=walk.name,
            started_at=walk.at,
            ended_at=self._ports.clock.now(),
            is_dry_run=walk.is_dry_run,
            is_complete=is_complete,
            is_stopped=is_stopped,
            looked_at=self._looked_at,
            did=dict(self._did),
            failed=tuple(self._failed),
            failed_count=self._failed_count,
        )
