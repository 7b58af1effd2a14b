"""Approval, rejection and putting aside of one memory by a reviewer."""

from collections.abc import Callable, Mapping
from datetime import datetime

from memory_layer.domain.access import Principal
from memory_layer.domain.lifecycle import StatusChange, approve, archive, reject
from memory_layer.domain.memory import ENDED_STATUSES, Memory
from memory_layer.errors import Conflict, Forbidden
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit_reason
from memory_layer.usecases.ground.archival_cause import ARCHIVED
from memory_layer.usecases.ground.change_record import get_changeable, retry_on_conflict
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.review.settle_proposal import settled_proposal
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.forget import archived_by


def approve_memory(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    *,
    expected: int | None = None,
    seen: Mapping[str, int] | None = None,
    once: IdempotentRequest | None = None,
) -> Memory:
    """Approves a memory: confidence 1.0, recalled again if it was pending, quarantined, stale or inactive.

    A proposal takes the place of the memory that it was proposed for; a rejected one leaves that without this doubt.

    Args:
        expected: the version of `id` that the caller has seen.
        seen: versions of memories that it is proposed for, by id, as the caller has seen them: all whose place it
            takes; None: any, at any version.

    Raises:
        Forbidden: the caller is no reviewer.
        NotFound, StaleVersion: as `get_changeable`, for any of them.
        Conflict: approval does not lift its status.
        InFlight: the idempotency key was used meanwhile; read its answer.
    """
    return _decided(
        ports,
        principal,
        project,
        id,
        "approved",
        lambda memory, now: approve(memory, principal.name, now),
        expected=expected,
        seen=seen,
        once=once,
    )


def reject_memory(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    *,
    reason: str | None = None,
    expected: int | None = None,
    once: IdempotentRequest | None = None,
) -> Memory:
    """Rejects a memory: out of recall, with the reviewer's reason.

    Raises:
        Forbidden, NotFound, StaleVersion, Conflict, InFlight: as `approve_memory`.
    """
    cleaned = _admitted(ports, principal, project, reason)
    return _decided(
        ports,
        principal,
        project,
        id,
        "rejected",
        lambda memory, now: reject(memory, principal.name, now, cleaned),
        reason=cleaned,
        expected=expected,
        once=once,
    )


def put_aside(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    *,
    reason: str | None = None,
    expected: int | None = None,
    once: IdempotentRequest | None = None,
) -> Memory:
    """Archives a memory that waits for review, without a verdict on it; a memory out of use stays as it is.

    Raises:
        Forbidden, NotFound, StaleVersion, InFlight: as `approve_memory`.
    """
    cleaned = _admitted(ports, principal, project, reason)

    def aside(memory: Memory, _: datetime) -> StatusChange:
        ended = memory.status in ENDED_STATUSES
        return StatusChange(memory if ended else archive(memory, cleaned or archived_by(principal.name)))

    return _decided(
        ports, principal, project, id, ARCHIVED, aside, reason=cleaned, expected=expected, once=once
    )


def _admitted(ports: Ports, principal: Principal, project: str, reason: str | None) -> str | None:
    return admit_reason(principal, reason, ports.store.projects.policy(principal.scope(project)))


def _decided(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    verb: str,
    decision: Callable[[Memory, datetime], StatusChange],
    *,
    reason: str | None = None,
    expected: int | None = None,
    seen: Mapping[str, int] | None = None,
    once: IdempotentRequest | None = None,
) -> Memory:
    if not principal.is_reviewer:
        raise Forbidden(f"only a reviewer approves or rejects {id}")

    def attempt() -> Memory:
        before, now = get_changeable(ports, principal, project, id, expected), ports.clock.now()
        after, problem = decision(before, now)
        if problem is not None:
            raise Conflict(problem)
        after, others = settled_proposal(ports, principal.name, before, after, now, seen=seen)
        change = Change(after, before.version, verb, principal.name, now, reason)
        changes = () if after is before else (*others, change)
        answer = once.answer(after, now, memory_id=id) if once else None
        if changes or answer:
            commit = Commit(scope=before.scope, changes=changes, answer=answer)
            commit_change(ports, commit, before, principal.name)
        return after

    return retry_on_conflict(attempt)
