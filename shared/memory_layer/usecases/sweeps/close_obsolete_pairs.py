"""Removal of open pairs that are obsolete: a memory of the pair was changed for good, or is out of use."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, get_args

from memory_layer.domain.conflicts.pair import Pair, PairKind
from memory_layer.domain.memory import ENDED_STATUSES, Memory, Ref, Scope
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.entity_memories import EVERYONE
from memory_layer.usecases.sweeps.step import SweepWalk

DROPPED: Final = "pairs dropped"

PAGE_PAIRS: Final = 100


def drop_obsolete_pairs(ports: Ports, walk: SweepWalk, scope: Scope) -> int:
    """Drops obsolete pairs of a project, as many as there is time for, and returns their number.

    Only pairs obsolete before `walk.since`: a memory that comes back later is a change, and is compared again.
    """
    if walk.since is None:
        return 0
    dropped = 0
    for pairs in _open_pages(ports, scope):
        obsolete = _obsolete(ports, scope, pairs, walk.since)
        dropped += len(obsolete) if walk.is_dry_run else sum(ports.store.pairs.drop(obsolete))
        if walk.is_over(ports.clock.now()):
            break
    return dropped


def _open_pages(ports: Ports, scope: Scope) -> Iterator[Sequence[Pair]]:
    for kind in get_args(PairKind):
        after: tuple[str, str] | None = None
        while True:
            page = ports.store.pairs.page(scope, kind, "open", EVERYONE, after=after, limit=PAGE_PAIRS)
            yield page.pairs
            after = page.next_key
            if after is None:
                break


def _obsolete(ports: Ports, scope: Scope, pairs: Sequence[Pair], since: datetime) -> list[Pair]:
    refs = list(dict.fromkeys(Ref(scope.project, id) for pair in pairs for id in pair.ids))
    found = ports.store.memories.get_many(scope.tenant, refs, with_bodies=False) if refs else {}
    memories = {ref.id: memory for ref, memory in found.items()}
    ended = _ended_before(ports, scope, memories, since)
    return [pair for pair in pairs if any(_is_over(*one, memories, ended, since) for one in _halves(pair))]


def _halves(pair: Pair) -> Iterator[tuple[str, str]]:
    """Each id with its content hash at the time when the pair was found."""
    return zip(pair.ids, pair.content_hashes, strict=True)


def _is_over(
    id: str, content_hash: str, memories: Mapping[str, Memory], ended: Collection[str], since: datetime
) -> bool:
    memory = memories.get(id)
    if memory is None:
        return False
    return id in ended or (memory.content_hash != content_hash and memory.updated_at < since)


def _ended_before(ports: Ports, scope: Scope, memories: Mapping[str, Memory], since: datetime) -> set[str]:
    """Ids of memories that are out of use since before this time."""
    ended: set[str] = set()
    for status in ENDED_STATUSES:
        ids = [id for id, memory in memories.items() if memory.status == status]
        found = ports.store.history.in_status_since(scope, ids, status) if ids else {}
        ended |= {id for id, version in found.items() if version.at < since}
    return ended
