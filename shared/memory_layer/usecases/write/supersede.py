"""Supersession of a memory by a correction."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.lifecycle import supersede, supersession_obstacle
from memory_layer.domain.memory import Memory
from memory_layer.domain.proposals import only_proposes
from memory_layer.domain.remedies import give, omit
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.errors import Conflict, Invalid
from memory_layer.ports.commit import Change, Commit, IdempotencyRecord, Vectors
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit_reason
from memory_layer.usecases.ground.allowances import use_of_writes
from memory_layer.usecases.ground.change_record import check_seen, get_changeable, retry_on_conflict
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answer
from memory_layer.usecases.ground.open_proposals import with_open_proposals
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.propose import draft_correction, propose
from memory_layer.usecases.write.write_line import StoredMemory


def supersede_memory(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    said: Mapping[str, Any],
    *,
    reason: str | None = None,
    expected: int | None = None,
    seen: Mapping[str, int] | None = None,
    once: IdempotentRequest | None = None,
) -> StoredMemory | IdempotencyRecord:
    """Retires a memory in favour of another: a new one, or (with `id` alone) a stored one.

    Where the caller may only propose, both stay: the other one waits for a reviewer, who puts it in the first's place.

    Args:
        expected: the version of `id` that the caller has seen.
        seen: the version of the stored one that the caller has seen, by its id.

    Raises:
        NotFound, Forbidden, StaleVersion: as `get_changeable`, for either.
        Conflict: the memory is superseded already, the chain of supersessions would close a cycle, or a turn that
            stays has the position that was named.
        Invalid: neither content nor id was given; or the correction has expired already.
        Duplicate: another memory says this already; a correction may well be like the memory that it corrects.
    """

    reason = admit_reason(principal, reason, ports.store.projects.policy(principal.scope(project)))

    def attempt() -> StoredMemory | IdempotencyRecord:
        now, scope = ports.clock.now(), principal.scope(project)
        answer = earlier_answer(ports.store.requests, scope, once, now) if once else None
        return answer or _supersede(ports, principal, project, (id, expected), seen, said, reason, once, now)

    return retry_on_conflict(attempt)


def _supersede(
    ports: Ports,
    principal: Principal,
    project: str,
    looked_at: tuple[str, int | None],
    seen: Mapping[str, int] | None,
    said: Mapping[str, Any],
    reason: str | None,
    once: IdempotentRequest | None,
    now: datetime,
) -> StoredMemory:
    old = get_changeable(ports, principal, project, *looked_at, proposes=True)
    ended = supersession_obstacle(old)
    if ended is not None:
        raise Conflict(ended)
    successor, vectors, redacted = _successor(ports, principal, project, old, said, now)
    check_seen([successor], seen)
    if said.get("content") is not None and successor.has_expired(now):
        raise Invalid.at(
            "/expires_at", "the correction would be over already, so nothing was changed; name a later time"
        )
    is_new = said.get("content") is not None
    if only_proposes(principal, old):
        made = StoredMemory(successor, redacted, is_new=is_new)
        return propose(ports, principal, old, made, vectors, now, reason=reason, once=once)
    if is_new and not successor.is_active:
        raise Conflict(
            f"the correction would wait for review ({successor.status_reason}), so nothing was changed; store it with "
            "POST memories, and supersede by its id once a reviewer has approved it"
        )
    retired, installed, problem = supersede(old, successor, now, reason)
    if problem is not None:
        raise Conflict(problem)
    before = 0 if is_new else successor.version
    installed = replace(installed, version=successor.version if is_new else successor.version + 1)
    installed = with_open_proposals(ports, old, installed)
    stored = StoredMemory(installed, redacted, is_new=is_new)
    changes = (
        Change(retired, old.version, "superseded", principal.name, now, reason),
        Change(installed, before, "supersedes", principal.name, now, reason, vectors),
    )
    answer = once.answer(stored, now, memory_id=installed.id) if once else None
    uses = use_of_writes(principal, installed, ports.store.projects.policy(old.scope).limits, now)
    commit_change(
        ports, Commit(scope=old.scope, changes=changes, answer=answer, uses=uses), old, principal.name
    )
    return stored


def _successor(
    ports: Ports, principal: Principal, project: str, old: Memory, said: Mapping[str, Any], now: datetime
) -> tuple[Memory, Vectors | None, tuple[RedactionFinding, ...]]:
    if said.get("content") is None:
        if said.get("id") is None:
            raise Invalid.at("/content", "nothing is said to be true instead", give("/content"), give("/id"))
        if set(said) != {"id"}:
            raise Invalid.at(
                "/content",
                "of a memory that is there already nothing else can be said",
                give("/content"),
                omit(f"/{min(set(said) - {'id'})}"),
            )
        return get_changeable(ports, principal, project, said["id"]), None, ()
    return draft_correction(ports, principal, old, said, now)
