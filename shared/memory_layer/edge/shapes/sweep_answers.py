"""Results and states of sweeps, as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_layer.domain.time.sweep_state import SweepReport, SweepState
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.manifest.sweeps import Sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepStateAnswer:
    """State of a sweep.

    Args:
        every_minutes: between two runs.
        holder: the process that runs it now.
    """

    name: str
    every_minutes: int
    running: bool
    holder: str | None
    last_report: SweepReport | None


def report_json(report: SweepReport) -> dict[str, Any]:
    return document(report)


def state_json(name: str, state: SweepState | None, minutes: int, now: datetime) -> dict[str, Any]:
    """State of a sweep. Args: minutes: between two runs."""
    is_running = _is_running(state, now)
    answer = SweepStateAnswer(
        name=name,
        every_minutes=minutes,
        running=is_running,
        holder=state.holder if state is not None and is_running else None,
        last_report=None if state is None else state.last_report,
    )
    return document(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepCounts:
    """Report of a sweep's last run in numbers: its sentences name what belongs to other tenants.

    Args:
        started_at, ended_at: when it ran.
        is_complete: the walk came to its end; else the next run goes on from there.
        looked_at: records, events or projects, whatever the sweep walks over.
        did: number of changes by verb.
        failed_count: what could not be done, and is tried again.
    """

    started_at: datetime
    ended_at: datetime
    is_complete: bool
    looked_at: int
    did: Mapping[str, int]
    failed_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepAnswer:
    """Sweep: work over all projects that is done again and again.

    Args:
        name: as `mem sweep` calls it.
        purpose: what it does.
        every_minutes: between two runs.
        is_running: a process has taken it up.
        last_report: what it last did; null: it never ran.
    """

    name: str
    purpose: str
    every_minutes: int
    is_running: bool
    last_report: SweepCounts | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepsAnswer:
    """All sweeps. Args: sweeps: in the order in which they are declared."""

    sweeps: Sequence[SweepAnswer]


def sweeps_json(found: Sequence[tuple[Sweep, SweepState | None]], now: datetime) -> dict[str, Any]:
    return document(SweepsAnswer(sweeps=[_sweep_answer(sweep, state, now) for sweep, state in found]))


def _sweep_answer(sweep: Sweep, state: SweepState | None, now: datetime) -> SweepAnswer:
    report = None if state is None else state.last_report
    return SweepAnswer(
        name=sweep.name,
        purpose=sweep.purpose,
        every_minutes=sweep.minutes,
        is_running=_is_running(state, now),
        last_report=None if report is None else answer_from(SweepCounts, report),
    )


def _is_running(state: SweepState | None, now: datetime) -> bool:
    return state is not None and state.leased_until is not None and state.leased_until > now
