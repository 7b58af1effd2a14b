"""Takeover of an id by a person: what an agent stored under it first gives way, and stays in its history."""

from collections.abc import Mapping
from typing import Any

from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.memory import LEARNING_ID_PREFIX, Memory
from memory_layer.domain.rollback.exclusions import TAKEN_OVER
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit
from memory_layer.usecases.ground.allowances import use_of_writes
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.draft import draft_memory, refuse_future
from memory_layer.usecases.write.turn_positions import PositionLimit, refuse_taken_position
from memory_layer.usecases.write.write_line import StoredMemory


def may_take_over(principal: Principal, held: Memory) -> bool:
    """Tells whether a person may have the id of a memory: an agent's, that nobody vouches for, and by itself."""
    is_kept = principal.is_agent or held.is_trusted or held.project == SHARED_PROJECT
    is_of_a_chain = held.supersedes is not None or held.superseded_by is not None
    is_taught = held.id.startswith(LEARNING_ID_PREFIX)
    return not (is_kept or is_of_a_chain or is_taught or held.status in ("superseded", "rejected"))


def take_over(ports: Ports, principal: Principal, held: Memory, said: Mapping[str, Any]) -> StoredMemory:
    """Stores a new memory under the id of another: nothing of that one is left but its versions.

    Raises:
        Invalid, Forbidden, Conflict: as `remember`.
        VersionConflict: the other one was changed meanwhile.
    """
    now, policy = ports.clock.now(), ports.store.projects.policy(held.scope)
    refuse_future(said.get("said_at"), now)
    admitted = admit(said, policy)
    draft = draft_memory(principal, held.scope, admitted, policy, now, id=held.id, version=held.version + 1)
    PositionLimit(ports.store.sessions, held.scope).refuse_beyond(draft.memory)
    refuse_taken_position(ports, principal, draft.memory, leaves=held.id)
    ((memory, vectors),) = embed_memories(ports.embedder, [draft.memory])
    change = Change(memory, held.version, TAKEN_OVER, principal.name, now, vectors=vectors)
    uses = use_of_writes(principal, memory, policy.limits, now)
    commit_change(ports, Commit(scope=held.scope, changes=(change,), uses=uses), held, principal.name)
    return StoredMemory(memory, draft.redacted)
