"""Credit of a run: its verdict goes to the memories that it cites, and to no others (SPEC 4.27)."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice

from memory_layer.domain.access import SHARED_PROJECT, Principal, viewer_of
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.memory import Memory, Ref
from memory_layer.errors import Forbidden, Invalid, NotFound
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.note_findings import note_findings
from memory_layer.usecases.learn.report_outcome import (
    JudgedMemory,
    OutcomeReport,
    draft_outcome,
    report_outcome,
)

GONE = (NotFound, Forbidden, Invalid)
"""Errors for a memory erased meanwhile, or whose own project's rules refuse the run's name."""

CHUNK = 100


def known_ids(ports: Ports, principal: Principal, project: str, ids: Sequence[str]) -> tuple[str, ...]:
    """Filters ids to those of memories that this caller may see, each once: nothing else is kept of a run."""
    viewer = viewer_of(principal)
    stored = _found(ports, principal.tenant, project, dict.fromkeys(ids))
    return tuple(memory.id for memory in stored if viewer.may_see(memory.persona))


def credit_run(ports: Ports, principal: Principal, project: str, record: RunRecord) -> int:
    """Reports the run's outcome on each memory that it cites, once.

    Returns:
        The number of memories that got the verdict; 0 for a run without one.
    """
    if record.verdict is None:
        return 0
    report = OutcomeReport(result=record.verdict, run_id=record.run_id, is_run_credit=True)
    found = [memory.ref for memory in _found(ports, principal.tenant, project, record.memories_used)]
    refs = iter(found)
    return sum(
        _credited(ports, principal, chunk, report) for chunk in iter(lambda: [*islice(refs, CHUNK)], [])
    )


def _found(ports: Ports, tenant: str, project: str, ids: Iterable[str]) -> list[Memory]:
    """Reads memories in the order of the ids; the project's own goes before one of that id that the tenant shares."""
    choices = [(Ref(project, id), Ref(SHARED_PROJECT, id)) for id in ids]
    stored = ports.store.memories.get_many(tenant, {ref for pair in choices for ref in pair})
    first = (next((stored[ref] for ref in pair if ref in stored), None) for pair in choices)
    return [memory for memory in first if memory is not None]


def _credited(ports: Ports, principal: Principal, refs: Sequence[Ref], report: OutcomeReport) -> int:
    """Counts the memories that got the verdict; written together, but for turns, whose neighbours change with them."""
    now = ports.clock.now()
    judged = [one for ref in refs if (one := _judged(ports, principal, ref, report, now)) is not None]
    plain = [(one.after.ref, one.commit) for one in judged if one.commit and one.before.position is None]
    errors = ports.store.writer.commit_each([commit for _, commit in plain])
    written = {ref for (ref, _), error in zip(plain, errors, strict=True) if error is None}
    each = [(one.commit, [one.before]) for one in judged if one.commit and one.after.ref in written]
    note_findings(ports, each)
    waiting = [one.after.ref for one in judged if one.commit and one.after.ref not in written]
    return len(judged) - len(waiting) + sum(_reported(ports, principal, ref, report) for ref in waiting)


def _judged(
    ports: Ports, principal: Principal, ref: Ref, report: OutcomeReport, now: datetime
) -> JudgedMemory | None:
    try:
        return draft_outcome(ports, principal, principal.scope(ref.project), ref.id, report, now)
    except GONE:
        return None


def _reported(ports: Ports, principal: Principal, ref: Ref, report: OutcomeReport) -> bool:
    try:
        report_outcome(ports, principal, ref.project, ref.id, report)
    except GONE:
        return False
    return True
