"""Sweeps project by project: a walk that queues projects, or what is due in each, and runs of what was queued.

A project that is large, slow or broken then holds up no other, and a queue's workers sweep many side by side. Runs of a
whole project have a state of their own; runs of some due records are short, and need none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from memory_layer.domain.memory import Scope
from memory_layer.domain.time.sweep_state import SweepName, SweepReport, SweepState
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps import step as steps
from memory_layer.usecases.sweeps.registry import PROJECT_STEPS, RECORDS_STEPS
from memory_layer.usecases.sweeps.run_sweep import run_step, run_unleased, sweep_named
from memory_layer.usecases.sweeps.step import Step, StepReport, SweepWalk

PROJECTS_LISTED: Final = 500
"""Projects of one page of the walk that queues them."""

RECORDS_LISTED: Final = 1_000
"""Due records of one page of that walk."""

RECORDS_TOGETHER: Final = 200
"""Due records of one message: seconds of work, and some 10 KB of the 256 KB that a message holds."""

QUEUED, RECORDS_QUEUED = "projects queued", "due records queued"


class SweepPart(NamedTuple):
    """Part of a sweep that is queued: one project. Args: ids: its due records that are meant; None: all of it."""

    scope: Scope
    ids: tuple[str, ...] | None = None


Send = Callable[[Sequence[Sequence[SweepPart]]], None]
"""Puts messages into the queue of sweeps, each with the parts of one. Raises: Unavailable: it is not taken."""


def queue_projects(ports: Ports, name: SweepName, send: Send, *, holder: str, seconds: float) -> SweepReport:
    """Queues every project for a sweep, or what is due in each; what an earlier walk left off, it goes on with.

    Args:
        holder, seconds: as `run_sweep`.

    Raises:
        NotFound, SweepRunning, Unavailable: as `run_sweep`.
    """
    return run_step(ports, name, _queueing(sweep_named(name), send), holder=holder, seconds=seconds)


def _queueing(name: SweepName, send: Send) -> Step:
    if name not in RECORDS_STEPS:
        return _queueing_projects(name, send)
    if name not in PROJECT_STEPS:
        return _queueing_due_records(send)
    return steps.projects_then_due_records(_queueing_projects(name, send), _queueing_due_records(send))


def _queueing_projects(name: SweepName, send: Send) -> Step:
    together = DECLARED_SWEEPS[name].projects_together

    def step(ports: Ports, walk: SweepWalk) -> StepReport:
        after = None if walk.cursor is None else _scope_of(walk.cursor)
        found = ports.store.sweeps.projects(after=after, limit=PROJECTS_LISTED)
        if found and not walk.is_dry_run:
            parts = [SweepPart(scope) for scope in found]
            send([parts[start : start + together] for start in range(0, len(parts), together)])
        has_next = len(found) == PROJECTS_LISTED
        did = {QUEUED: len(found)} if found else {}
        return StepReport("/".join(found[-1]) if has_next else None, len(found), did)

    return step


def _queueing_due_records(send: Send) -> Step:
    def step(ports: Ports, walk: SweepWalk) -> StepReport:
        page = ports.store.sweeps.due_names(
            walk.at, since=walk.since_unless_all, after=walk.cursor, limit=RECORDS_LISTED
        )
        if page.names and not walk.is_dry_run:
            send(list(_messages(page.names)))
        did = {RECORDS_QUEUED: len(page.names)} if page.names else {}
        return StepReport(page.next_cursor, len(page.names), did)

    return step


def _messages(names: Sequence[tuple[Scope, str]]) -> Iterator[list[SweepPart]]:
    """Due records by project, so many in a message; projects with few of them share one."""
    message: list[SweepPart] = []
    room = RECORDS_TOGETHER
    for part in _parts(names):
        if len(part.ids or ()) > room:
            yield message
            message, room = [], RECORDS_TOGETHER
        message.append(part)
        room -= len(part.ids or ())
    if message:
        yield message


def _parts(names: Sequence[tuple[Scope, str]]) -> Iterator[SweepPart]:
    by_project: defaultdict[Scope, list[str]] = defaultdict(list)
    for scope, id in names:
        by_project[scope].append(id)
    for scope, ids in by_project.items():
        for start in range(0, len(ids), RECORDS_TOGETHER):
            yield SweepPart(scope, tuple(ids[start : start + RECORDS_TOGETHER]))


def _scope_of(cursor: str) -> Scope:
    tenant, _, project = cursor.partition("/")
    return Scope(tenant, project)


def run_part(
    ports: Ports, name: SweepName, part: SweepPart, *, due: datetime, holder: str, seconds: float
) -> SweepReport | None:
    """Sweeps what a message names: a project as `run_project_sweep` does, or some of its due records at once.

    Raises:
        NotFound, SweepRunning, Unavailable: as `run_sweep`.
    """
    if part.ids is None:
        return run_project_sweep(ports, name, part.scope, due=due, holder=holder, seconds=seconds)
    step = steps.named_records_step(RECORDS_STEPS[sweep_named(name)], part.scope, part.ids)
    return run_unleased(ports, name, step, seconds=seconds)


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
    step = steps.project_step(PROJECT_STEPS[sweep_named(name)], scope)
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
