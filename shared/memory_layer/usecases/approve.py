"""A reviewer's word on one memory."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from memory_layer.domain.access import Principal
from memory_layer.domain.lifecycle import Transition, approve, reject
from memory_layer.domain.memory import Memory
from memory_layer.errors import Conflict, Forbidden
from memory_layer.ports import Change, Commit, Ports
from memory_layer.usecases.changing import get_changeable, until_written
from memory_layer.usecases.gate import admit


def approve_memory(
    ports: Ports, principal: Principal, project: str, id: str, *, expected: int | None = None
) -> Memory:
    """Vouch for it: confidence 1.0, recalled again if it was pending, quarantined, stale or inactive.

    Raises:
        Forbidden: the caller is no reviewer.
        NotFound, StaleVersion: as `get_changeable`.
        Conflict: its status cannot be lifted so.
    """
    return _decided(
        ports,
        principal,
        project,
        id,
        "approved",
        lambda memory, now: approve(memory, principal.name, now),
        expected=expected,
    )


def reject_memory(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    *,
    reason: str | None = None,
    expected: int | None = None,
) -> Memory:
    """Out of recall, with the reviewer's reason.

    Raises:
        Forbidden, NotFound, StaleVersion, Conflict: as `approve_memory`.
    """
    cleaned = admit({"reason": reason}, ports.store.policy(principal.scope(project))).fields["reason"]
    return _decided(
        ports,
        principal,
        project,
        id,
        "rejected",
        lambda memory, now: reject(memory, principal.name, now, cleaned),
        reason=cleaned,
        expected=expected,
    )


def _decided(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    verb: str,
    decision: Callable[[Memory, datetime], Transition],
    *,
    reason: str | None = None,
    expected: int | None = None,
) -> Memory:
    if not principal.is_reviewer:
        raise Forbidden(f"{id} is approved or rejected by a reviewer")

    def attempt() -> Memory:
        before, now = get_changeable(ports, principal, project, id, expected), ports.clock.now()
        after, problem = decision(before, now)
        if problem is not None:
            raise Conflict(problem)
        if after is not before:
            change = Change(after, before.version, verb, principal.name, now, reason)
            ports.store.commit(Commit(scope=before.scope, changes=(change,)))
        return after

    return until_written(attempt)
