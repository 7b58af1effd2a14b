"""Detection of incoming records that would close a cycle of supersessions with stored ones."""

from collections.abc import Collection, Iterable, Mapping
from itertools import chain, islice

from memory_layer.domain.correction_cycles import records_in_cycles
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.records import MemoryStore

Pairs = tuple[tuple[str, str], ...]
"""Ids of superseded records, each with its successor's."""

READ_CHUNK = 500


def supersession_links(memory: Memory) -> Pairs:
    """Links of a record in a chain of supersessions."""
    after = ((memory.id, memory.superseded_by),) if memory.superseded_by else ()
    before = ((memory.supersedes, memory.id),) if memory.supersedes else ()
    return (*after, *before)


def cycle_closing_records(
    memories: MemoryStore, scope: Scope, coming: Mapping[str, Pairs], replaced: Collection[str] = ()
) -> dict[str, Pairs]:
    """Incoming records that would close a cycle, each with its links in it.

    Args:
        coming: links by the id of the record that has them; a record whose id is stored already does not come in.
        replaced: ids whose records do come in, in the place of the stored ones.
    """
    there = _linked(memories, scope, chain.from_iterable(chain.from_iterable(coming.values())))
    written = {id: pairs for id, pairs in coming.items() if id in replaced or id not in there}
    standing = (pairs for id, pairs in there.items() if id not in replaced)
    ring = records_in_cycles(chain.from_iterable((*written.values(), *standing)))
    closing = {id: tuple(pair for pair in pairs if ring.issuperset(pair)) for id, pairs in written.items()}
    return {id: pairs for id, pairs in closing.items() if pairs}


def _linked(memories: MemoryStore, scope: Scope, ids: Iterable[str]) -> dict[str, Pairs]:
    """Links of the stored records among the ids, and of all records that these lead to."""
    found: dict[str, Pairs] = {}
    waiting = seen = set(ids)
    while waiting:
        following: set[str] = set()
        for memory in _read(memories, scope, waiting):
            found[memory.id] = supersession_links(memory)
            following.update(chain.from_iterable(found[memory.id]))
        waiting = following - seen
        seen = seen | waiting
    return found


def _read(memories: MemoryStore, scope: Scope, ids: Iterable[str]) -> Iterable[Memory]:
    remaining = iter(ids)
    while chunk := [Ref(scope.project, id) for id in islice(remaining, READ_CHUNK)]:
        yield from memories.get_many(scope.tenant, chunk, with_bodies=False).values()
