"""Neighbours of an item that waits for a person: what is in force and says nearly the same."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Final

from memory_layer.domain.access import Principal, review_viewer_of
from memory_layer.domain.conflicts.point_of_difference import point_of_difference
from memory_layer.domain.learning.staging import STAGED_ID_PREFIX
from memory_layer.domain.memory import ENDED_STATUSES, Memory
from memory_layer.domain.proposals import is_open
from memory_layer.errors import Forbidden, NotFound
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.open_proposals import open_proposals, places_of
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.learn.promote_learnings import memory_of
from memory_layer.usecases.write.near_duplicates import (
    PendingBatch,
    PendingRecord,
    StoredNear,
    find_near,
    search_near,
)
from memory_layer.usecases.write.near_verdicts import NearDuplicate

NEAR_MAX: Final = 3
"""Neighbours of one item: the nearest is looked at, and two more where that one is not the same."""


def near_review_item(ports: Ports, principal: Principal, project: str, id: str) -> list[NearDuplicate]:
    """Finds the active memories near to an item, as a write of its words would: at most 3, what says the same first.

    Before these stands what is proposed for its place, or what it is proposed for.

    Args:
        id: of a memory, or of a staged learning.

    Raises:
        Forbidden: the caller is no reviewer.
        NotFound: there is none, or none that this caller may know of.
    """
    if not principal.is_reviewer:
        raise Forbidden("what is near to an item is told to reviewers; use a token with that role")
    now = ports.clock.now()
    entry = (
        _staged_entry(ports, principal, project, id, now)
        if id.startswith(STAGED_ID_PREFIX)
        else _memory_entry(ports, principal, project, id)
    )
    (stored,) = search_near(ports, [entry], now)
    dimensions = 0 if entry.vectors is None else len(entry.vectors.content)
    linked = [_beside(ports, entry, one) for one in linked_by_proposal(ports, principal, entry.memory)]
    judged = find_near(ports, entry, PendingBatch(0, dimensions), now, stored)
    nearest = _nearest(ports, entry.memory, stored, {one.memory.id for one in judged})
    found = {one.memory.id: one for one in (*linked, *judged, *nearest)}
    return list(found.values())[:NEAR_MAX]


def linked_by_proposal(ports: Ports, principal: Principal, memory: Memory) -> list[Memory]:
    """Finds what is proposed for a memory's place, the newest first, and what it is proposed for itself."""
    proposed = reversed(open_proposals(ports, memory).values())
    places = (one for one in places_of(ports, memory) if one.status not in ENDED_STATUSES)
    viewer = review_viewer_of(principal)
    linked = {one.id: one for one in (*proposed, *(one for one in places if is_open(one, memory.id)))}
    return [one for one in linked.values() if viewer.may_see(one.persona)]


def _beside(ports: Ports, entry: PendingRecord, known: Memory) -> NearDuplicate:
    """Verdict on a memory that a proposal links to an item, however near their words are."""
    own, other = entry.vectors, ports.store.memories.vectors(known.scope, [known.id]).get(known.id)
    similarity = 0.0 if own is None or other is None else float(own.content @ other.content)
    point = point_of_difference(entry.memory.content, known.content)
    return NearDuplicate(known, similarity, point)


def _nearest(
    ports: Ports, memory: Memory, stored: StoredNear, known: Collection[str]
) -> Iterator[NearDuplicate]:
    """Yields what is near and neither the same nor a contradiction, the nearest first."""
    records = ports.store.memories.get_many(memory.tenant, stored.near) if stored.near else {}
    for ref in sorted(records, key=lambda one: (-stored.near[one], one)):
        record = records[ref]
        is_other = ref.project == memory.project and record.id not in (memory.id, *known)
        if is_other and record.is_active:
            point = point_of_difference(memory.content, record.content)
            yield NearDuplicate(record, stored.near[ref], point)


def _memory_entry(ports: Ports, principal: Principal, project: str, id: str) -> PendingRecord:
    memory = get_memory(ports, principal, project, id)
    stored = ports.store.memories.vectors(memory.scope, [id]).get(id)
    return PendingRecord(memory, stored) if stored is not None else _embedded(ports, memory)


def _staged_entry(ports: Ports, principal: Principal, project: str, id: str, now: datetime) -> PendingRecord:
    scope, viewer = principal.scope(project), review_viewer_of(principal)
    staged = ports.store.learnings.staged(scope, [id]).get(id)
    if staged is None or not viewer.may_see(staged.persona):
        raise NotFound(f"no staged learning {id} in project {project}; list the staging area for its id")
    return _embedded(ports, memory_of(ports, principal, scope, staged, now))


def _embedded(ports: Ports, memory: Memory) -> PendingRecord:
    ((embedded, vectors),) = embed_memories(ports.embedder, [memory])
    return PendingRecord(embedded, vectors)
