"""Export of runs as training data, newest first, page by page: redacted, and of what the caller may see."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from memory_layer.domain.access import Principal, Viewer, viewer_of
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.learning.run import RunRecord, ShownMemory
from memory_layer.domain.learning.trajectory import (
    Step,
    Trajectory,
    TrajectoryList,
    TrajectoryMemory,
    TrajectoryShape,
    messages_json,
    preference_json,
    rejected_for,
    trajectory_json,
)
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.rollback.exclusions import Exclusion, is_excluded
from memory_layer.domain.safety.quarantine import suspicion
from memory_layer.domain.safety.redaction import redact_json
from memory_layer.errors import DamagedRecord, Forbidden
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.rollback_ledger import TO_HOLD, RollbackLedger, exclusions_in
from memory_layer.usecases.ground.run_history import RunHistories, step_without
from memory_layer.usecases.learn.read_runs import RunFilter, list_runs

PAGE_MAX_BYTES: Final = 4_000_000
"""Bytes after which a page ends, with the line that reaches them."""

COMPARED_MAX: Final = 1_000
"""Latest runs among which a failed one of the same task is looked for."""


@dataclass(frozen=True, slots=True)
class RunExport:
    """Page of exported runs. Args: lines: JSON, one a line; next_key: where the next page goes on, None: the last."""

    lines: tuple[str, ...]
    next_key: tuple[str, str] | None


def export_runs(
    ports: Ports,
    principal: Principal,
    project: str,
    shape: TrajectoryShape,
    *,
    after: tuple[str, str] | None,
    limit: int,
    asked: RunFilter = RunFilter(),  # noqa: B008 frozen
) -> RunExport:
    """Exports a page of runs that have ended, without those that a rollback has taken back.

    What reads like an order to a model is left out of iterations, and a run whose objective does; one whose iterations
    are lost or damaged says so (`damaged`), and makes no pair.

    Args:
        shape: whole trajectories, conversations, or pairs of one that worked and one that failed.
        limit: runs looked at, at most; a page may have fewer lines.

    Raises:
        Forbidden: the caller is no reviewer: what all agents did is told to reviewers alone.
        Conflict: the ledger of rollbacks is damaged.
        StoreUnavailable: iterations of a run cannot be read now.
    """
    if not principal.is_reviewer:
        raise Forbidden("training data of all runs is for reviewers; use a token with that role")
    export = _Export(ports, principal, principal.scope(project))
    page = list_runs(ports, principal, project, after=after, limit=limit, asked=asked)
    lines: list[str] = []
    size = 0
    for run in page.runs:
        told = [json.dumps(line, ensure_ascii=False) for line in export.lines(run, shape)]
        lines, size = [*lines, *told], size + sum(len(line.encode()) for line in told)
        if size >= PAGE_MAX_BYTES and run is not page.runs[-1]:
            return RunExport(tuple(lines), (rfc3339(run.received_at), run.run_id))
    return RunExport(tuple(lines), page.next_key)


@dataclass
class _Export:
    ports: Ports
    principal: Principal
    scope: Scope
    _latest: Sequence[RunRecord] | None = field(default=None)
    _exclusions: Sequence[Exclusion] | None = field(default=None)

    def lines(self, run: RunRecord, shape: TrajectoryShape) -> Iterator[Any]:
        """Lines of one run: one, or none where it has no pair or has not ended."""
        if run.result is None or not self._may_teach(run):
            return
        if shape == "preferences":
            yield from self._pair(run)
            return
        told = trajectory_json if shape == "trajectories" else messages_json
        yield self._redacted(told(self._trajectory(run)))

    def _pair(self, run: RunRecord) -> Iterator[Any]:
        rejected = rejected_for(run, self._others())
        pair = [] if rejected is None else [self._trajectory(one) for one in (run, rejected)]
        if pair and not any(one.is_damaged for one in pair):
            yield self._redacted(preference_json(*pair))

    def _may_teach(self, run: RunRecord) -> bool:
        """Tells if a run may be taught: no rollback has taken it back, and its objective is no order to a model."""
        if self._exclusions is None:
            self._exclusions = exclusions_in(RollbackLedger(self.ports.blobs, self.scope).all(), TO_HOLD)
        is_taken_back = is_excluded(self._exclusions, run.created_by, run.received_at)
        return not is_taken_back and suspicion(run.objective) is None

    def _redacted(self, line: dict[str, Any]) -> Any:
        return redact_json(line, self.ports.store.projects.policy(self.scope).privacy_mode)[0]

    def _others(self) -> Sequence[RunRecord]:
        """Latest runs that the caller may see, read once."""
        if self._latest is None:
            page = self.ports.store.learnings.runs(self.scope, after=None, limit=COMPARED_MAX)
            viewer = viewer_of(self.principal)
            self._latest = [run for run in page.runs if viewer.may_see(run.persona) and self._may_teach(run)]
        return self._latest

    def _trajectory(self, run: RunRecord) -> Trajectory:
        steps = self._steps(run)
        cited = [ShownMemory(self.scope.project, id, 0) for id in run.memories_used]
        shown = tuple(
            TrajectoryList(one.recall_id, one.at, tuple(self._told(one.memories, one.at)))
            for one in run.shown
        )
        return Trajectory(run, steps, shown, tuple(self._told(cited, run.received_at)))

    def _steps(self, run: RunRecord) -> Sequence[Step] | None:
        """Iterations without orders; None: they are lost or damaged."""
        try:
            steps = RunHistories(self.ports.blobs, self.scope).read(run) or []
        except DamagedRecord:
            return None
        return [step_without(step, _reads_like_an_order) for step in steps]

    def _told(self, memories: Iterable[ShownMemory], at: datetime) -> Iterator[TrajectoryMemory]:
        """Memories in the words that they had then, where they are still there for this caller."""
        asked = list(memories)
        then = self._then(asked, at)
        for one in asked:
            memory = then.get(Ref(one.project, one.id))
            content = None if memory is None else memory.content
            version = one.version or (0 if memory is None else memory.version)
            yield TrajectoryMemory(one.project, one.id, version, content)

    def _then(self, memories: Iterable[ShownMemory], at: datetime) -> Mapping[Ref, Memory]:
        by_project: defaultdict[str, list[str]] = defaultdict(list)
        for one in memories:
            by_project[one.project].append(one.id)
        viewer = viewer_of(self.principal)
        found = (
            self.ports.store.history.at(Scope(self.scope.tenant, project), ids, at)
            for project, ids in by_project.items()
        )
        return {
            memory.ref: memory
            for of_project in found
            for memory in of_project.values()
            if _may_read(viewer, memory)
        }


def _reads_like_an_order(text: str) -> bool:
    return suspicion(text) is not None


def _may_read(viewer: Viewer, memory: Memory) -> bool:
    """Tells if a caller may read the words of a memory as they were: none that was held back as an order."""
    return viewer.may_see(memory.persona) and memory.status != "quarantined"
