"""Supersession of a memory by a correction."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.lifecycle import supersede, supersession_obstacle
from memory_layer.domain.memory import Memory
from memory_layer.domain.remedies import Remedy, give, omit
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.domain.time.resolve_times import said_at_of_change
from memory_layer.errors import Conflict, Duplicate, IdTaken, Invalid
from memory_layer.ports.commit import Change, Commit, IdempotencyRecord, Vectors
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit
from memory_layer.usecases.ground.allowances import use_of_writes
from memory_layer.usecases.ground.change_record import get_changeable, retry_on_conflict
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answer
from memory_layer.usecases.recall.redact_answers import as_shown
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.draft import draft_memory
from memory_layer.usecases.write.near_duplicates import PendingBatch, PendingRecord, find_twin
from memory_layer.usecases.write.remember import StoredMemory
from memory_layer.usecases.write.turn_positions import PositionLimit, refuse_taken_position


def supersede_memory(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    said: Mapping[str, Any],
    *,
    reason: str | None = None,
    once: IdempotentRequest | None = None,
) -> StoredMemory | IdempotencyRecord:
    """Retires a memory in favour of another: a new one, or (with `id` alone) a stored one.

    Raises:
        NotFound, Forbidden: as `get_changeable`.
        Conflict: the memory is superseded already, the chain of supersessions would close a cycle, or a turn that
            stays has the position that was named.
        Invalid: neither content nor id was given; or the correction has expired already.
        Duplicate: another memory says this already; a correction may well be like the memory that it corrects.
    """

    reason = admit({"reason": reason}, ports.store.projects.policy(principal.scope(project))).fields["reason"]

    def attempt() -> StoredMemory | IdempotencyRecord:
        now, scope = ports.clock.now(), principal.scope(project)
        answer = earlier_answer(ports.store.requests, scope, once, now) if once else None
        return answer or _supersede(ports, principal, project, id, said, reason, once, now)

    return retry_on_conflict(attempt)


def _supersede(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    said: Mapping[str, Any],
    reason: str | None,
    once: IdempotentRequest | None,
    now: datetime,
) -> StoredMemory:
    old = get_changeable(ports, principal, project, id)
    ended = supersession_obstacle(old)
    if ended is not None:
        raise Conflict(ended)
    successor, vectors, redacted = _successor(ports, principal, project, old, said, now)
    if said.get("content") is not None and successor.has_expired(now):
        raise Invalid.at(
            "/expires_at", "the correction would be over already, so nothing was changed; name a later time"
        )
    if said.get("content") is not None and not successor.is_active:
        raise Conflict(
            f"the correction would wait for review ({successor.status_reason}), so nothing was changed; store it with "
            "POST memories, and supersede by its id once a reviewer has approved it"
        )
    retired, installed, problem = supersede(old, successor, now, reason)
    if problem is not None:
        raise Conflict(problem)
    is_new = said.get("content") is not None
    before = 0 if is_new else successor.version
    installed = replace(installed, version=successor.version if is_new else successor.version + 1)
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
    fields = {name: value for name, value in said.items() if name != "id"}
    inherited = {name: getattr(old, name) for name in _INHERITED if name not in fields}
    inherited["said_at"] = said_at_of_change(old, said["content"], now)
    policy = ports.store.projects.policy(old.scope)
    id = said.get("id") or ports.new_id("mem_")
    if said.get("id") is not None and ports.store.memories.get(old.scope, id) is not None:
        raise IdTaken(id)
    draft = draft_memory(
        principal,
        old.scope,
        admit({**inherited, **fields}, policy),
        policy,
        now,
        id=id,
        version=ports.store.memories.last_versions(old.scope, [id]).get(id, 0) + 1,
    )
    PositionLimit(ports.store.sessions, old.scope).refuse_beyond(draft.memory)
    refuse_taken_position(ports, principal, draft.memory, leaves=old.id)
    ((memory, vectors),) = embed_memories(ports.embedder, [draft.memory])
    _refuse_twin(ports, PendingRecord(replace(memory, supersedes=old.id), vectors), now)
    return memory, vectors, draft.redacted


def _refuse_twin(ports: Ports, correction: PendingRecord, now: datetime) -> None:
    """Refuses a correction that another memory says already: that memory supersedes by its id, and needs no copy."""
    nothing_else = PendingBatch(0, ports.embedder.dimensions)
    twin = find_twin(ports, correction, nothing_else, now) if correction.memory.is_active else None
    if twin is not None and twin.differs_in is None:
        mode = ports.store.projects.policy(twin.memory.scope).privacy_mode
        raise Duplicate(
            as_shown(twin.memory, mode),
            twin.similarity,
            remedies=(
                Remedy("/id", (twin.memory.id,), action=f"supersede {correction.memory.supersedes} by it"),
            ),
        )


_INHERITED = ("type", "category", "dimension", "task_type", "persona", "tags", "entities", "relations")
"""Fields that a correction inherits unless it sets them: it is about the same thing."""
