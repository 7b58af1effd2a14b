"""Sweeps project by project: a walk that queues the projects, and runs of one project, each with a state of its own.

A project that is large, slow or broken then holds up no other, and a queue's workers sweep many side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from memory_layer.domain.memory import Scope
from memory_layer.domain.time.sweep_state import SweepName, SweepReport, SweepState
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps.registry import PROJECT_STEPS
from memory_layer.usecases.sweeps.run_sweep import run_step, sweep_named
from memory_layer.usecases.sweeps.step import Step, StepReport, SweepWalk, project_step

PROJECTS_LISTED: Final = 500
"""Projects of one page of the walk that queues them."""

QUEUED: Final = "projects queued"

Send = Callable[[Sequence[Sequence[Scope]]], None]
"""Puts messages into the queue of sweeps, each with the projects of one. Raises: Unavailable: it is not taken."""


def is_by_project(name: SweepName) -> bool:
    """True if the sweep is queued project by project where there is a queue."""
    return DECLARED_SWEEPS[sweep_named(name)].projects_together is not None


def queue_projects(ports: Ports, name: SweepName, send: Send, *, holder: str, seconds: float) -> SweepReport:
    """Queues every project for a sweep; what an earlier walk left off, it goes on with.

    Args:
        holder, seconds: as `run_sweep`.

    Raises:
        NotFound, SweepRunning, Unavailable: as `run_sweep`.
    """
    together = DECLARED_SWEEPS[sweep_named(name)].projects_together or 1
    return run_step(ports, name, _queueing(send, together), holder=holder, seconds=seconds)


def _queueing(send: Send, together: int) -> Step:
    def step(ports: Ports, walk: SweepWalk) -> StepReport:
        after = None if walk.cursor is None else _scope_of(walk.cursor)
        found = ports.store.sweeps.projects(after=after, limit=PROJECTS_LISTED)
        if found and not walk.is_dry_run:
            send([found[start : start + together] for start in range(0, len(found), together)])
        has_next = len(found) == PROJECTS_LISTED
        did = {QUEUED: len(found)} if found else {}
        return StepReport("/".join(found[-1]) if has_next else None, len(found), did)

    return step


def _scope_of(cursor: str) -> Scope:
    tenant, _, project = cursor.partition("/")
    return Scope(tenant, project)


def run_project_sweep(
    ports: Ports, name: SweepName, scope: Scope, *, due: datetime, holder: str, seconds: float
) -> SweepReport | None:
    """Sweeps one project until its end, or until the time is up: the next run goes on inside it.

    Args:
        due: time at which it was queued: a project that was swept since is left alone.
        holder, seconds: as `run_sweep`.

    Returns:
        The report; None: somebody has swept it since.

    Raises:
        NotFound, SweepRunning, Unavailable: as `run_sweep`.
    """
    state_name = project_state_name(name, scope)
    if _is_swept(ports.store.sweeps.state(state_name), due):
        return None
    step = project_step(PROJECT_STEPS[sweep_named(name)], scope)
    return run_step(
        ports, name, _for_month(name, step), holder=holder, seconds=seconds, state_name=state_name
    )


def project_state_name(name: SweepName, scope: Scope) -> str:
    """Name of the state of a sweep in one project; no sweep and no tenant has a slash in its name."""
    return f"{name}/{scope.tenant}/{scope.project}"


def _is_swept(state: SweepState | None, due: datetime) -> bool:
    last = None if state is None else state.last_report
    return last is not None and last.is_complete and last.started_at >= due


def _for_month(name: SweepName, step: Step) -> Step:
    """Step of a sweep that does its work once a month and project, and nothing in between."""
    return partial(_first_of_month, step) if DECLARED_SWEEPS[name].is_monthly else step


def _first_of_month(step: Step, ports: Ports, walk: SweepWalk) -> StepReport:
    is_due = walk.is_first_of_month or walk.is_dry_run
    return step(ports, walk) if is_due else StepReport()
