"""Confirmation that a stale or doubted memory still holds."""

from datetime import datetime

from memory_layer.domain.access import Principal
from memory_layer.domain.lifecycle import confirm
from memory_layer.domain.memory import Memory
from memory_layer.errors import Conflict
from memory_layer.ports.commit import Change, Commit, IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit_reason
from memory_layer.usecases.ground.change_record import get_changeable, retry_on_conflict
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answer
from memory_layer.usecases.review.settle_proposal import overruled_by
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.draft import readmit_on_return


def confirm_memory(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    *,
    reason: str | None = None,
    expected: int | None = None,
    once: IdempotentRequest | None = None,
) -> Memory | IdempotencyRecord:
    """Confirms a memory: a stale one is recalled again, a doubt is settled; an active, undoubted one stays as it is.

    Its words may have been changed while it was stale: an agent's are screened once more.

    Raises:
        NotFound, Forbidden, StaleVersion: as `get_changeable`.
        Conflict: the memory is neither stale nor active.
    """
    scope = principal.scope(project)
    reason = admit_reason(principal, reason, ports.store.projects.policy(scope))

    def attempt() -> Memory | IdempotencyRecord:
        now = ports.clock.now()
        answer = earlier_answer(ports.store.requests, scope, once, now) if once else None
        return answer or _confirm(ports, principal, project, id, reason, expected, once, now)

    return retry_on_conflict(attempt)


def _confirm(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    reason: str | None,
    expected: int | None,
    once: IdempotentRequest | None,
    now: datetime,
) -> Memory:
    before = get_changeable(ports, principal, project, id, expected)
    after, problem = confirm(before, now, by_agent=principal.is_agent)
    if problem is not None:
        raise Conflict(problem)
    changes: tuple[Change, ...] = ()
    if after is not before:
        after = readmit_on_return(principal, after, ports.store.projects.policy(before.scope))
        changes = (Change(after, before.version, "confirmed", principal.name, now, reason),)
    if principal.is_reviewer and before.doubted is not None and after.doubted is None:
        why = f"{principal.name} confirmed {id} instead"
        changes = (*changes, *overruled_by(ports, principal.name, before, now, why))
    answer = once.answer(after, now, memory_id=id) if once else None
    if changes or answer:
        commit = Commit(scope=before.scope, changes=changes, answer=answer)
        commit_change(ports, commit, before, principal.name)
    return after
