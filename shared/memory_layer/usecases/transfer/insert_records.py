"""Inserts of records into a project as they are: with their version, times and counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.process import Ports
from memory_layer.ports.records import MemoryStore
from memory_layer.usecases.ground.embed import embed_memories

CHUNK_RECORDS = 100
"""Records embedded in one call, and durable with one flush."""


@dataclass(frozen=True, slots=True)
class StoredUnderIds:
    """Records stored under some ids, and the last versions of those that were erased."""

    records: Mapping[str, Memory]
    erased: Mapping[str, int]

    def version_for(self, memory: Memory) -> int:
        """Version of a record to insert: its own, or the next after an erasure: a re-created id goes on counting."""
        return max(memory.version, self.erased.get(memory.id, 0) + 1)


def stored_under_ids(memories: MemoryStore, scope: Scope, ids: Sequence[str]) -> StoredUnderIds:
    """Reads, in a few round trips, the records under these ids, also those whose words cannot be read."""
    lying = memories.get_many(scope.tenant, [Ref(scope.project, id) for id in ids], with_bodies=False)
    whole = {memory.ref: memory for memory in memories.whole(list(lying.values()))}
    records = {ref.id: whole.get(ref, memory) for ref, memory in lying.items()}
    free = [id for id in ids if id not in records]
    return StoredUnderIds(records, memories.last_versions(scope, free) if free else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordInsert:
    """Record to insert. `before`: the version that it replaces, 0: none; `is_news`: see `Change`."""

    memory: Memory
    before: int = 0
    vectors: Vectors | None = None
    reason: str | None = None
    is_news: bool = False


def with_vectors(ports: Ports, placements: Sequence[RecordInsert]) -> list[RecordInsert]:
    """Embeds all inserts in one call, except those whose vectors are known."""
    unknown = [placement for placement in placements if placement.vectors is None]
    embedded = iter(embed_memories(ports.embedder, [placement.memory for placement in unknown]))
    ready = []
    for placement in placements:
        if placement.vectors is None:
            memory, vectors = next(embedded)
            placement = replace(placement, memory=memory, vectors=vectors)
        ready.append(placement)
    return ready


def insert_change(placement: RecordInsert, verb: str, by: str, at: datetime) -> Change:
    """Builds the store's change for an insert."""
    return Change(
        placement.memory,
        placement.before,
        verb,
        by,
        at,
        placement.reason,
        vectors=placement.vectors,
        is_news=placement.is_news,
        brings_accesses=True,
    )


def insert_each(
    ports: Ports, scope: Scope, placements: Sequence[RecordInsert], verb: str, by: str
) -> list[MemoryLayerError | None]:
    """Commits each insert in a transaction of its own, and returns the errors, in order."""
    if not placements:
        return []
    now = ports.clock.now()
    commits = [
        Commit(scope=scope, changes=(insert_change(placement, verb, by, now),)) for placement in placements
    ]
    return ports.store.writer.commit_each(commits)
