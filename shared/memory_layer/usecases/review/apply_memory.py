"""Promotion of a reviewed memory to the tenant's shared project, linked to its origin (SPEC 6.34)."""

from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Final, Literal

from memory_layer.domain import access
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.memory import ENDED_STATUSES, LABELS_MAX, Memory, Relation, content_hash
from memory_layer.domain.time.resolve_times import with_times
from memory_layer.errors import Conflict, Forbidden, Invalid
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit
from memory_layer.usecases.ground.change_record import get_changeable, retry_on_conflict
from memory_layer.usecases.ground.embed import embed_memories

KNOWLEDGE_APPLIED = "knowledge.applied"
"""Published for a catalogue, with the shared record's name, kind and content."""

AppliedAs = Literal["memory", "context_document", "glossary_term", "tag", "property"]


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """Memory that the tenant shares now, and the memory that it was made of."""

    shared: Memory
    origin: Memory


def apply_memory(
    ports: Ports,
    principal: access.Principal,
    project: str,
    id: str,
    as_: AppliedAs,
    *,
    expected: int | None = None,
) -> SharedMemory:
    """Copies a reviewed memory into the tenant's shared project; after a change of it, another call updates the copy.

    The shared record's id is made of the original's, so that a repeated call makes no second one; each of
    both names the other in its relations.

    Raises:
        Forbidden: the caller is no reviewer.
        Invalid: the memory is shared already.
        NotFound, StaleVersion: as `get_changeable`.
        Conflict: nobody has reviewed the memory, it is out of use, or has no room for the link.
    """
    if not principal.is_reviewer:
        raise Forbidden(f"{id} is applied to the whole tenant by a reviewer")
    if project == access.SHARED_PROJECT:
        raise Invalid.at("/project", "this memory is shared with the whole tenant already")

    def attempt() -> SharedMemory:
        now = ports.clock.now()
        origin = get_changeable(ports, principal, project, id, expected)
        _refuse_unreviewed(origin)
        shared = _shared(ports, principal, origin, as_, now)
        return SharedMemory(shared, _linked(ports, principal, origin, shared, now))

    applied = retry_on_conflict(attempt)
    ports.bus.publish(KNOWLEDGE_APPLIED, _announced(applied, as_, principal))
    return applied


APPLIED: Final = "applied"
"""Verb of the changes that share a memory, on it and on the shared copy."""


def shared_id(project: str, id: str) -> str:
    return f"shr_{sha256(canonical_json([project, id]).encode()).hexdigest()[:32]}"


def _refuse_unreviewed(memory: Memory) -> None:
    if not memory.is_active:
        raise Conflict(f"{memory.id} is {memory.status}; only an active memory is applied")
    if not memory.is_trusted:
        raise Conflict(f"{memory.id} has been approved by nobody; approve it first, then apply it")
    if memory.persona is not None:
        raise Conflict(
            f"{memory.id} is for persona {memory.persona} alone; set persona to null, then apply it"
        )


def _refuse_ended(shared: Memory) -> None:
    if shared.status in ENDED_STATUSES:
        way_back = "undo that or restore a version there first"
        raise Conflict(f"{shared.id} in {access.SHARED_PROJECT} is {shared.status}; {way_back}")


def _shared(
    ports: Ports, principal: access.Principal, origin: Memory, as_: AppliedAs, now: datetime
) -> Memory:
    scope, id = principal.scope(access.SHARED_PROJECT), shared_id(origin.project, origin.id)
    stored = ports.store.memories.get(scope, id)
    last = stored.version if stored else ports.store.memories.last_versions(scope, [id]).get(id, 0)
    wanted = _copy(ports, principal, origin, id, as_, now)
    if stored is not None:
        _refuse_ended(stored)
        kept = {name: getattr(stored, name) for name in _EARNED_FIELDS}
        if replace(wanted, **kept, version=last) == stored:
            return stored
        wanted = replace(wanted, **kept | {"tier": "hot"})
    ((memory, vectors),) = embed_memories(ports.embedder, [replace(wanted, version=last + 1)])
    reason = f"{origin.project}/{origin.id}, version {origin.version}"
    before = stored.version if stored else 0
    change = Change(memory, before, APPLIED, principal.name, now, reason, vectors=vectors)
    ports.store.writer.commit(Commit(scope=scope, changes=(change,)))
    return memory


_EARNED_FIELDS = (
    *("created_by", "created_at", "approved_by", "approved_at", "outcome_score", "confidence", "unseconded"),
    "doubted",
    *("worked", "failed", "partial", "worked_weight", "failed_weight", "use_count", "last_used_at"),
    *("access_count", "last_accessed_at", "embedding_model", "embedding_text_hash", "tier", "pinned"),
    *("status", "status_reason", "superseded_by", "supersedes"),
)
"""Fields that a shared record has earned since it was made, and keeps when it follows its original."""


def _copy(
    ports: Ports, principal: access.Principal, origin: Memory, id: str, as_: AppliedAs, now: datetime
) -> Memory:
    """Builds the initial shared record: for everybody, approved by the caller, with no evidence yet."""
    policy = ports.store.projects.policy(principal.scope(access.SHARED_PROJECT))
    copied = {name: getattr(origin, name) for name in _COPIED_FIELDS}
    copied["detail"] = {**origin.detail, access.APPLIED_AS: as_}
    others = [link for link in origin.relations if link.type not in (access.APPLIED_TO, access.APPLIED_FROM)]
    link = Relation(access.APPLIED_FROM, f"{origin.project}/{origin.id}")
    copied["relations"] = (link, *others)[:LABELS_MAX]
    fields = admit(copied, policy).fields
    shared = Memory(
        id=id,
        tenant=origin.tenant,
        project=access.SHARED_PROJECT,
        content_hash=content_hash(fields["content"]),
        created_by=principal.name,
        approved_by=principal.name,
        approved_at=now,
        created_at=now,
        updated_at=origin.updated_at,
        **fields,
    )
    return with_times(shared)


_COPIED_FIELDS = (
    *(
        "type",
        "category",
        "dimension",
        "task_type",
        "content",
        "summary",
        "detail",
        "source",
        "source_run_id",
    ),
    *("source_runs", "tags", "entities", "relations", "relevance_score", "success_rate", "expires_at"),
    *("said_at", "valid_from", "valid_to"),
)


def _linked(
    ports: Ports, principal: access.Principal, origin: Memory, shared: Memory, now: datetime
) -> Memory:
    link = Relation(access.APPLIED_TO, f"{access.SHARED_PROJECT}/{shared.id}")
    if link in origin.relations:
        return origin
    if len(origin.relations) >= LABELS_MAX:
        raise Conflict(f"{origin.id} has {LABELS_MAX} relations already; take one out, then apply it again")
    memory = replace(origin, relations=(*origin.relations, link), version=origin.version + 1)
    change = Change(memory, origin.version, APPLIED, principal.name, now, f"to {link.target}")
    ports.store.writer.commit(Commit(scope=origin.scope, changes=(change,)))
    return memory


def _announced(applied: SharedMemory, as_: AppliedAs, principal: access.Principal) -> dict[str, object]:
    shared = applied.shared
    return {
        "tenant": shared.tenant,
        "id": shared.id,
        "as": as_,
        "origin": access.origin_of(shared),
        "content": shared.content,
        "entities": list(shared.entities),
        "applied_by": principal.name,
    }
