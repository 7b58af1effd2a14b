"""Queries of stored runs."""

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.learning.run import RunRecord
from memory_layer.errors import NotFound
from memory_layer.ports.collections import RunPage
from memory_layer.ports.process import Ports


def get_run(ports: Ports, principal: Principal, project: str, run_id: str) -> RunRecord:
    """Reads one run with its result.

    Raises:
        NotFound: there is none, or none that this caller may know of.
    """
    record = ports.store.learnings.run(principal.scope(project), run_id)
    if record is None or not viewer_of(principal).may_see(record.persona):
        raise NotFound(f"no run {run_id} in project {project}; list the runs to find its id")
    return record


def list_runs(
    ports: Ports, principal: Principal, project: str, *, after: tuple[str, str] | None, limit: int
) -> RunPage:
    """Reads a page of runs, newest first, without those of other personas."""
    page = ports.store.learnings.runs(principal.scope(project), after=after, limit=limit)
    viewer = viewer_of(principal)
    return RunPage(tuple(run for run in page.runs if viewer.may_see(run.persona)), page.next_key)
