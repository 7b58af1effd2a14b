"""Whether records that come in would close a ring of corrections with those that are there."""

from collections.abc import Collection, Iterable, Mapping
from itertools import chain, islice

from memory_layer.domain.correction_cycles import cycle_of
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.records import RecordStore

Pairs = tuple[tuple[str, str], ...]
"""What was superseded and by what."""

READ_CHUNK = 500


def corrections_of(memory: Memory) -> Pairs:
    """What a record says of its place in a chain of corrections."""
    after = ((memory.id, memory.superseded_by),) if memory.superseded_by else ()
    before = ((memory.supersedes, memory.id),) if memory.supersedes else ()
    return (*after, *before)


def closing_rings(
    store: RecordStore, scope: Scope, coming: Mapping[str, Pairs], replaced: Collection[str] = ()
) -> dict[str, Pairs]:
    """The records that would close a ring, each with its corrections in it.

    Args:
        coming: corrections by the record that tells them; one whose id is there already does not come in.
        replaced: ids whose records do come in, in the place of those that are there.
    """
    there = _linked(store, scope, chain.from_iterable(chain.from_iterable(coming.values())))
    written = {id: pairs for id, pairs in coming.items() if id in replaced or id not in there}
    standing = (pairs for id, pairs in there.items() if id not in replaced)
    ring = cycle_of(chain.from_iterable((*written.values(), *standing)))
    closing = {id: tuple(pair for pair in pairs if ring.issuperset(pair)) for id, pairs in written.items()}
    return {id: pairs for id, pairs in closing.items() if pairs}


def _linked(store: RecordStore, scope: Scope, ids: Iterable[str]) -> dict[str, Pairs]:
    """The corrections of those of the ids that are there, and of all that these lead to."""
    found: dict[str, Pairs] = {}
    waiting = seen = set(ids)
    while waiting:
        following: set[str] = set()
        for memory in _read(store, scope, waiting):
            found[memory.id] = corrections_of(memory)
            following.update(chain.from_iterable(found[memory.id]))
        waiting = following - seen
        seen = seen | waiting
    return found


def _read(store: RecordStore, scope: Scope, ids: Iterable[str]) -> Iterable[Memory]:
    remaining = iter(ids)
    while chunk := [Ref(scope.project, id) for id in islice(remaining, READ_CHUNK)]:
        yield from store.get_many(scope.tenant, chunk, with_bodies=False).values()
