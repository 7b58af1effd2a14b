"""Steps of sweeps: one page of a walk over projects and records, its report and its writes."""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.domain.memory import Memory, Ref, Scope, content_hash, is_stub
from memory_layer.domain.time.decay import due_at
from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.errors import (
    DamagedRecord,
    DamagedSettings,
    Malformed,
    MemoryLayerError,
    Unavailable,
    VersionConflict,
)
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.process import Ports

_log = logging.getLogger(__name__)

WALK_OVERLAP: Final = timedelta(days=1)
"""Overlap of a walk with the last one: a change may bear an earlier time than that of its write, clocks differ, and an
index lags."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepWalk:
    """State of a sweep that is handed to its next step.

    Args:
        at: time by which everything is judged: the beginning of this run.
        deadline: time at which the run is to end.
        since: time before which everything due is done; None: unknown.
        cursor: place at which the step before left off; None: the beginning.
        is_dry_run: nothing may be written; `did` counts the changes that would be.
        is_first_of_month: no walk of this month has come to its end yet.
        page_records: number of records of a page; None: the sweep's own.
        is_asked: a person asks for it.
        worked_out: results that a step leaves to later ones of this run, by kind and project, so that no page computes
            them anew.
    """

    name: SweepName
    at: datetime
    deadline: datetime
    since: datetime | None = None
    cursor: str | None = None
    is_dry_run: bool = False
    is_first_of_month: bool = False
    page_records: int | None = None
    is_asked: bool = False
    worked_out: dict[tuple[str, Scope], Any] = field(default_factory=dict, compare=False)

    @property
    def since_unless_all(self) -> datetime | None:
        """`since`; once a month None, for sweeps that look at everything cheaply: an error of `since` (a clock that was
        set back and has passed it again, an access, a lost event) then lasts for a month at most.
        """
        return None if self.is_first_of_month else self.since

    def page_size(self, usual: int) -> int:
        """Returns the records of the next page, where the sweep would take `usual`."""
        return usual if self.page_records is None else self.page_records

    @property
    def by(self) -> str:
        """Author of the sweep's changes."""
        return f"sweep {self.name}"

    def is_over(self, now: datetime) -> bool:
        """True once the time is up: a long step then ends early, and returns its cursor."""
        return now >= self.deadline


@dataclass(frozen=True, slots=True)
class StepReport:
    """Report of a step. `next_cursor` None: the walk has come to its end. `failed`: a sentence each."""

    next_cursor: str | None = None
    looked_at: int = 0
    did: Mapping[str, int] = field(default_factory=dict)
    failed: tuple[str, ...] = ()


Step = Callable[[Ports, SweepWalk], StepReport]
"""Function that does one page of a walk.

Raises:
    Unavailable: a service is down; the run ends, and the next one begins with the same page.
"""

ProjectStep = Callable[[Ports, SweepWalk, Scope], StepReport]
"""Function that does one page of one project: `SweepWalk.cursor` is a place inside it, and None at its beginning."""


RecordsStep = Callable[[Ports, SweepWalk, Sequence[Memory]], StepReport]
"""Function that does its work on some due records, of one or of many projects."""


def over_due_records(step: RecordsStep, page_records: int) -> Step:
    """Makes a step that goes through the due records of all projects. Args: page_records: of a page."""

    def through(ports: Ports, walk: SweepWalk) -> StepReport:
        limit = walk.page_size(page_records)
        page = ports.store.sweeps.due(walk.at, since=walk.since_unless_all, after=walk.cursor, limit=limit)
        done = step(ports, walk, page.memories)
        looked_at = len(page.memories) + len(page.damaged)
        failed = (*page.damaged, *done.failed)
        return replace(done, next_cursor=page.next_cursor, looked_at=looked_at, failed=failed)

    return through


def named_records_step(step: RecordsStep, scope: Scope, ids: Collection[str]) -> Step:
    """Makes a step that does its work on those of the named records of a project that are due."""

    def once(ports: Ports, walk: SweepWalk) -> StepReport:
        refs = [Ref(scope.project, id) for id in ids]
        found = ports.store.memories.get_many(scope.tenant, refs, with_bodies=False, with_accesses=False)
        done = step(ports, walk, [memory for memory in found.values() if _is_due(memory, walk.at)])
        lost = ports.store.memories.damaged_among(scope.tenant, [ref for ref in refs if ref not in found])
        told = tuple(_damaged(ref.project, ref.id) for ref in lost)
        return replace(done, looked_at=len(found) + len(lost), failed=(*told, *done.failed))

    def reported(ports: Ports, walk: SweepWalk) -> StepReport:
        return _done_or_told(lambda *_: once(ports, walk), ports, walk, scope)

    return reported


def _is_due(memory: Memory, at: datetime) -> bool:
    due = due_at(memory)
    return due is not None and due <= at


def over_projects(step: ProjectStep) -> Step:
    """Makes a step that goes through all projects, one after the other."""

    def through(ports: Ports, walk: SweepWalk) -> StepReport:
        before, inside = _place_of(walk.cursor)
        scope = Scope(*before) if inside is not None and before else _project_after(ports, before)
        if scope is None:
            return StepReport()
        done = _done_or_told(step, ports, replace(walk, cursor=inside), scope)
        return replace(done, next_cursor=_place(scope, done.next_cursor))

    return through


def project_step(step: ProjectStep, scope: Scope) -> Step:
    """Makes a step that goes through one project alone; its cursors are places inside it."""

    def inside(ports: Ports, walk: SweepWalk) -> StepReport:
        return _done_or_told(step, ports, walk, scope)

    return inside


DUE_PLACE: Final = "/freezing/"
"""Prefix of cursors into the list of due records, behind all projects; no tenant has such a name."""


def projects_then_due_records(projects: Step, due_records: Step) -> Step:
    """Makes a step that goes through all projects, and then through what is due in any of them."""

    def in_turn(ports: Ports, walk: SweepWalk) -> StepReport:
        if walk.cursor is None or not walk.cursor.startswith(DUE_PLACE):
            done = projects(ports, walk)
            return done if done.next_cursor is not None else replace(done, next_cursor=DUE_PLACE)
        done = due_records(ports, replace(walk, cursor=walk.cursor.removeprefix(DUE_PLACE) or None))
        cursor = None if done.next_cursor is None else f"{DUE_PLACE}{done.next_cursor}"
        return replace(done, next_cursor=cursor)

    return in_turn


def _done_or_told(step: ProjectStep, ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    """Does a step; one project's error goes into the report, and stops no other. Raises: Unavailable, Malformed"""
    try:
        return step(ports, walk, scope)
    except (DamagedRecord, DamagedSettings) as error:
        return StepReport(failed=(f"{scope.project}: {error.detail}",))
    except (Unavailable, Malformed):
        raise
    except MemoryLayerError as error:
        return StepReport(failed=(f"{scope.project}: {error.detail}",))
    except UNREADABLE as error:
        _log.exception("sweep %s of project %s", walk.name, scope.project)
        said = f"something there cannot be read ({type(error).__name__}); run: mem verify -p {scope.project}"
        return StepReport(failed=(f"{scope.project}: {said}",))


def _project_after(ports: Ports, before: Scope | None) -> Scope | None:
    return next(iter(ports.store.sweeps.projects(after=before, limit=1)), None)


_SEPARATOR: Final = "/"
"""Occurs in no name of a tenant or of a project."""


def _place(scope: Scope, inside: str | None) -> str:
    return _SEPARATOR.join((*scope, *(() if inside is None else (inside,))))


def _place_of(cursor: str | None) -> tuple[Scope | None, str | None]:
    """Project and inner place of a cursor. Raises: Malformed: no step has returned this cursor."""
    if cursor is None:
        return None, None
    tenant, *rest = cursor.split(_SEPARATOR, 2)
    if not rest:
        raise Malformed(f"{cursor!r} is no place in a walk over projects")
    return Scope(tenant, rest[0]), rest[1] if len(rest) == 2 else None


def sweep_change(
    walk: SweepWalk, before: Memory, after: Memory, verb: str, *, vectors: Vectors | None = None
) -> Change:
    """Builds a sweep's change of a record. Args: after: one version on; its `status_reason` is the change's reason."""
    reason = after.status_reason if after.status != before.status else None
    return Change(after, before.version, verb, walk.by, walk.at, reason, vectors)


def write(ports: Ports, walk: SweepWalk, changes: Sequence[Change]) -> StepReport:
    """Writes each change by itself; a concurrent write wins, and an error stops no other change.

    Raises:
        Unavailable: the store is down; some changes may be written.
    """
    sound = [change for change in changes if not _is_damaged(change.memory)]
    failed = [damage_sentence(change.memory) for change in changes if _is_damaged(change.memory)]
    errors: Sequence[MemoryLayerError | None] = [None] * len(sound)
    if not walk.is_dry_run:
        errors = ports.store.writer.commit_each(
            [Commit(scope=change.memory.scope, changes=(change,)) for change in sound]
        )
    did: Counter[str] = Counter()
    for change, error in zip(sound, errors, strict=True):
        if error is None:
            did[change.verb] += 1
        elif not isinstance(error, VersionConflict):
            failed.append(failure_sentence(change.memory, error))
    return StepReport(did=did, failed=tuple(failed))


def failure_sentence(memory: Memory, error: MemoryLayerError) -> str:
    """Sentence about a record whose change failed. Raises: Unavailable: the cause is not the record."""
    if isinstance(error, Unavailable):
        raise error
    return f"{memory.project}: {memory.id}: {error.detail}"


def _is_damaged(memory: Memory) -> bool:
    """True if the content does not match its hash: a change would seal it anew, and hide the damage."""
    return not is_stub(memory) and content_hash(memory.content) != memory.content_hash


def damage_sentence(memory: Memory) -> str:
    return f"{_damaged(memory.project, memory.id)}, and bring it back from a snapshot"


def _damaged(project: str, id: str) -> str:
    return f"{project}: {id} is damaged; run: mem verify -p {project}"
