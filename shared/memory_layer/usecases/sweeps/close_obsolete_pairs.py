"""Open pairs that nobody will be shown again: one of the two says something else for good, or is out of use."""

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


def drop_fallen(ports: Ports, walk: SweepWalk, scope: Scope) -> int:
    """Of a project, as many as there is time for; how many were dropped.

    Only what had fallen before `walk.since`: what comes back into force after that is a change, and is compared again.
    """
    if walk.since is None:
        return 0
    dropped = 0
    for pairs in _open_pages(ports, scope):
        fallen = _fallen(ports, scope, pairs, walk.since)
        dropped += len(fallen) if walk.is_dry_run else sum(ports.store.drop_pairs(fallen))
        if walk.is_over(ports.clock.now()):
            break
    return dropped


def _open_pages(ports: Ports, scope: Scope) -> Iterator[Sequence[Pair]]:
    for kind in get_args(PairKind):
        after: tuple[str, str] | None = None
        while True:
            page = ports.store.pair_page(scope, kind, "open", EVERYONE, after=after, limit=PAGE_PAIRS)
            yield page.pairs
            after = page.next_key
            if after is None:
                break


def _fallen(ports: Ports, scope: Scope, pairs: Sequence[Pair], since: datetime) -> list[Pair]:
    refs = list(dict.fromkeys(Ref(scope.project, id) for pair in pairs for id in pair.ids))
    found = ports.store.get_many(scope.tenant, refs, with_bodies=False) if refs else {}
    memories = {ref.id: memory for ref, memory in found.items()}
    gone = _ended_before(ports, scope, memories, since)
    return [pair for pair in pairs if any(_is_over(*one, memories, gone, since) for one in _halves(pair))]


def _halves(pair: Pair) -> Iterator[tuple[str, str]]:
    """Each id with the hash of what it said when the pair was found."""
    return zip(pair.ids, pair.content_hashes, strict=True)


def _is_over(
    id: str, said: str, memories: Mapping[str, Memory], gone: Collection[str], since: datetime
) -> bool:
    memory = memories.get(id)
    return memory is not None and (id in gone or (memory.content_hash != said and memory.updated_at < since))


def _ended_before(ports: Ports, scope: Scope, memories: Mapping[str, Memory], since: datetime) -> set[str]:
    """Out of use ever since."""
    gone: set[str] = set()
    for status in ENDED_STATUSES:
        ids = [id for id, memory in memories.items() if memory.status == status]
        found = ports.store.in_status_since(scope, ids, status) if ids else {}
        gone |= {id for id, version in found.items() if version.at < since}
    return gone
