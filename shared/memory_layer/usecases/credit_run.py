"""A run's verdict goes to the memories that it says it used, and to no others (SPEC 4)."""

from __future__ import annotations

from collections.abc import Sequence

from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.memory import Ref
from memory_layer.domain.run import RunRecord
from memory_layer.errors import NotFound
from memory_layer.ports import Ports
from memory_layer.usecases.report_outcome import Report, report_outcome


def credit_run(ports: Ports, principal: Principal, project: str, record: RunRecord) -> int:
    """Report the run's outcome on each memory that it cites, once.

    An id is one of the project's, else one of those that the tenant shares; one that is in neither, or that
    this caller may not see, gets nothing.

    Returns:
        How many memories got the verdict.
    """
    report = Report(result=record.outcome, run_id=record.run_id, is_run_credit=True)
    found = _found(ports, principal.tenant, project, record.memories_used)
    return sum(_credited(ports, principal, ref, report) for ref in found)


def _found(ports: Ports, tenant: str, project: str, ids: Sequence[str]) -> list[Ref]:
    """One of each, in the order of the ids; the project's own goes before a shared one of the same id."""
    choices = [(Ref(project, id), Ref(SHARED_PROJECT, id)) for id in ids]
    stored = ports.store.get_many(tenant, {ref for pair in choices for ref in pair})
    return [ref for pair in choices if (ref := next((ref for ref in pair if ref in stored), None))]


def _credited(ports: Ports, principal: Principal, ref: Ref, report: Report) -> bool:
    try:
        report_outcome(ports, principal, ref.project, ref.id, report)
    except NotFound:
        return False
    return True
