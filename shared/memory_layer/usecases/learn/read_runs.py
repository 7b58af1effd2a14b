"""Queries of stored runs: one, with its iterations or without; and those that say some words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory_layer.domain.access import Principal, Viewer, viewer_of
from memory_layer.domain.learning.run import RunRecord, RunStatus
from memory_layer.domain.memory import TaskType
from memory_layer.domain.text.analyzer import distinct_terms
from memory_layer.errors import NotFound
from memory_layer.ports.collections import RunPage
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.run_history import RunHistories

SCANNED_MAX: Final = 1_000
"""Most runs that one page of a filtered list looks through; the next page goes on behind them."""

SCANNED_AT_A_TIME: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Filter of runs.

    Args:
        query: words that the run says in its objective or its iterations, all of them, in any form.
        status: how it ended.
        task_type: of its objective.
    """

    query: str | None = None
    status: RunStatus | None = None
    task_type: TaskType | None = None

    def matches(self, run: RunRecord) -> bool:
        """Tells if a run is asked for; one of an earlier release is searched by its objective alone."""
        is_asked = self.status in (None, run.status) and self.task_type in (None, run.task_type)
        if not is_asked or self.query is None:
            return is_asked
        terms = distinct_terms(self.query)
        return terms <= set(run.words) or terms <= distinct_terms(run.objective)

    @property
    def is_empty(self) -> bool:
        return self == RunFilter()

    @property
    def bound(self) -> list[str | None]:
        """What of the filter binds a cursor: nothing, for a list of all."""
        return [] if self.is_empty else [self.query, self.status, self.task_type]


@dataclass(frozen=True, slots=True)
class RunHistory:
    """Run with its iterations. Args: steps: None: it is older than histories are."""

    record: RunRecord
    steps: Sequence[Mapping[str, Any]] | None


def get_run(ports: Ports, principal: Principal, project: str, run_id: str) -> RunRecord:
    """Reads one run with its result.

    Raises:
        NotFound: there is none, or none that this caller may know of.
    """
    record = ports.store.learnings.run(principal.scope(project), run_id)
    if record is None or not viewer_of(principal).may_see(record.persona):
        raise NotFound(f"no run {run_id} in project {project}; list the runs to find its id")
    return record


def get_history(ports: Ports, principal: Principal, project: str, run_id: str) -> RunHistory:
    """Reads one run with all its iterations.

    Raises:
        NotFound: as `get_run`.
        StoreUnavailable: the iterations are lost or damaged, or cannot be read now.
    """
    record = get_run(ports, principal, project, run_id)
    return RunHistory(record, RunHistories(ports.blobs, principal.scope(project)).read(record))


def list_runs(
    ports: Ports,
    principal: Principal,
    project: str,
    *,
    after: tuple[str, str] | None,
    limit: int,
    asked: RunFilter = RunFilter(),
) -> RunPage:
    """Reads a page of runs, newest first, without those of other personas.

    A page of a filtered list may hold fewer than `limit`, even none, and still name a next page.
    """
    viewer, scope = viewer_of(principal), principal.scope(project)
    if asked.is_empty:
        page = ports.store.learnings.runs(scope, after=after, limit=limit)
        return RunPage(_shown(page.runs, viewer, asked), page.next_key)
    found: list[RunRecord] = []
    for _ in range(SCANNED_MAX // SCANNED_AT_A_TIME):
        page = ports.store.learnings.runs(
            scope, after=after, limit=min(SCANNED_AT_A_TIME, limit - len(found))
        )
        found += _shown(page.runs, viewer, asked)
        after = page.next_key
        if after is None or len(found) >= limit:
            break
    return RunPage(tuple(found), after)


def _shown(runs: Sequence[RunRecord], viewer: Viewer, asked: RunFilter) -> tuple[RunRecord, ...]:
    return tuple(run for run in runs if viewer.may_see(run.persona) and asked.matches(run))
