"""Storage of proposals: the words as a memory of their own, and the doubt that names them, in one transaction."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.doubt import DOUBTED
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.proposals import proposed
from memory_layer.domain.remedies import Remedy
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.domain.time.resolve_times import said_at_of_correction
from memory_layer.errors import Conflict, Duplicate, IdTaken
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit, refuse_reserved_id, refuse_store_id
from memory_layer.usecases.ground.allowances import use_of_proposals
from memory_layer.usecases.ground.change_record import made_hot
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.recall.redact_answers import as_shown
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.draft import draft_memory, refuse_future
from memory_layer.usecases.write.near_duplicates import PendingBatch, PendingRecord, find_twin
from memory_layer.usecases.write.turn_positions import PositionLimit, refuse_taken_position
from memory_layer.usecases.write.write_line import StoredMemory, WriteLine

PROPOSED = "proposed"


def propose(
    ports: Ports,
    principal: Principal,
    old: Memory,
    made: StoredMemory,
    vectors: Vectors | None,
    now: datetime,
    *,
    reason: str | None = None,
    once: IdempotentRequest | None = None,
) -> StoredMemory:
    """Stores words for a trusted memory's place beside it; that one stays in use, doubted.

    Raises:
        Conflict: there is no room for another proposal, or for one more of this principal.
        TooMany: the principal has proposed, or written, as much as it may in an hour.
    """
    waiting = [Ref(old.project, id) for id in old.doubted.proposals] if old.doubted else []
    others = ports.store.memories.get_many(old.tenant, waiting, with_bodies=False) if waiting else {}
    found = proposed(old, made.memory, principal.name, now, others.values())
    if isinstance(found, str):
        raise Conflict(found)
    doubted, words = found
    words = words if made.is_new else replace(words, version=words.version + 1)
    before = 0 if made.is_new else made.memory.version
    by = principal.name
    stored = replace(made, memory=words, proposed_for=old.id)
    changes = (
        Change(doubted, old.version, DOUBTED, by, now, reason),
        Change(words, before, PROPOSED, by, now, reason, vectors),
    )
    answer = once.answer(stored, now, memory_id=words.id) if once else None
    limits = ports.store.projects.policy(old.scope).limits
    uses = use_of_proposals(principal, old.scope, limits, now)
    commit_change(ports, Commit(scope=old.scope, changes=changes, answer=answer, uses=uses), old, by)
    return stored


def propose_line(
    ports: Ports, principal: Principal, line: WriteLine, old: Memory, now: datetime
) -> StoredMemory:
    """Proposes a new memory in the place of its twin. Raises: Conflict: another turn has its position."""
    if line.draft.displaced is not None:
        raise line.draft.displaced
    made = StoredMemory(line.memory, line.draft.redacted)
    return propose(ports, principal, made_hot(old), made, line.entry.vectors, now, once=line.asked.once)


def propose_change(
    ports: Ports, principal: Principal, old: Memory, said: Mapping[str, Any], now: datetime
) -> StoredMemory:
    """Proposes a memory that says what an update of a trusted one would make it say."""
    kept: dict[str, Any] = {"content": old.content, "detail": old.detail}
    if said.get("content", old.content) == old.content:
        kept["summary"] = old.summary
    fields = {**kept, **{name: value for name, value in said.items() if name != "active"}}
    memory, vectors, redacted = draft_correction(ports, principal, old, fields, now)
    return propose(ports, principal, old, StoredMemory(memory, redacted), vectors, now)


def draft_correction(
    ports: Ports, principal: Principal, old: Memory, said: Mapping[str, Any], now: datetime
) -> tuple[Memory, Vectors | None, tuple[RedactionFinding, ...]]:
    """Drafts a new memory in the place of another: about the same thing, unless the caller says otherwise.

    Raises:
        IdTaken, Conflict, Invalid: as for any new memory.
        Duplicate: another memory says this already.
    """
    fields = {name: value for name, value in said.items() if name != "id"}
    inherited = {name: getattr(old, name) for name in _INHERITED if name not in fields}
    inherited["said_at"] = said_at_of_correction(old, said["content"], now)
    refuse_future(fields.get("said_at"), now)
    policy = ports.store.projects.policy(old.scope)
    id = said.get("id") or ports.new_id("mem_")
    refuse_reserved_id(id)
    refuse_store_id(id)
    if said.get("id") is not None and ports.store.memories.get(old.scope, id) is not None:
        raise IdTaken(id)
    version = ports.store.memories.last_versions(old.scope, [id]).get(id, 0) + 1
    admitted = admit({**inherited, **fields}, policy)
    draft = draft_memory(principal, old.scope, admitted, policy, now, id=id, version=version)
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
