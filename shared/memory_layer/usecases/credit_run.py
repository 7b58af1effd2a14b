"""A run's verdict goes to the memories that it says it used, and to no others (SPEC 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory_layer.domain.access import SHARED_PROJECT, Principal, viewer_of
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.run import RunRecord
from memory_layer.errors import Forbidden, Invalid, NotFound
from memory_layer.ports import Ports
from memory_layer.usecases.report_outcome import Report, report_outcome


def known_ids(ports: Ports, principal: Principal, project: str, ids: Sequence[str]) -> tuple[str, ...]:
    """Those of the ids that name a memory which this caller may see, each once: nothing else is kept of a run."""
    viewer = viewer_of(principal)
    stored = _found(ports, principal.tenant, project, dict.fromkeys(ids))
    return tuple(memory.id for memory in stored if viewer.may_see(memory.persona))


def credit_run(ports: Ports, principal: Principal, project: str, record: RunRecord) -> int:
    """Report the run's outcome on each memory that it cites, once.

    Returns:
        How many memories got the verdict.
    """
    report = Report(result=record.outcome, run_id=record.run_id, is_run_credit=True)
    found = _found(ports, principal.tenant, project, record.memories_used)
    return sum(_credited(ports, principal, memory.ref, report) for memory in found)


def _found(ports: Ports, tenant: str, project: str, ids: Iterable[str]) -> list[Memory]:
    """In the order of the ids; the project's own goes before one of the same id that the tenant shares."""
    choices = [(Ref(project, id), Ref(SHARED_PROJECT, id)) for id in ids]
    stored = ports.store.get_many(tenant, {ref for pair in choices for ref in pair})
    first = (next((stored[ref] for ref in pair if ref in stored), None) for pair in choices)
    return [memory for memory in first if memory is not None]


def _credited(ports: Ports, principal: Principal, ref: Ref, report: Report) -> bool:
    try:
        report_outcome(ports, principal, ref.project, ref.id, report)
    except (NotFound, Forbidden, Invalid):  # gone meanwhile, or its own project's rules refuse the run's name
        return False
    return True
