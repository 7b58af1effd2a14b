"""Lists of open pairs, which wait for a person, with both memories as they are now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory_layer.domain.access import Principal, Viewer, review_viewer_of
from memory_layer.domain.conflicts.pair import Pair, PairKind
from memory_layer.domain.lifecycle import not_valid_because
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.process import Ports

PAGES_MAX: Final = 5
"""Pages read for one answer: most of their pairs may not stand any more; the answer is then shorter than asked for."""


@dataclass(frozen=True, slots=True)
class OpenPair:
    """Pair and its two memories, in the order of its ids."""

    pair: Pair
    memories: tuple[Memory, Memory]

    @property
    def id(self) -> str:
        return self.pair.id


@dataclass(frozen=True, slots=True)
class OpenPairPage:
    """Page of open pairs, oldest first, with the key of the next page (None: this was the last).

    A page may hold fewer than asked for, even none, and name a next one all the same.
    """

    items: tuple[OpenPair, ...]
    next_key: tuple[str, str] | None
    damaged: tuple[str, ...] = ()
    """Ids of the pairs and memories that cannot be read as they were written, for which pairs are left out."""


def list_pairs(
    ports: Ports,
    principal: Principal,
    project: str,
    kind: PairKind,
    *,
    after: tuple[str, str] | None,
    limit: int,
) -> OpenPairPage:
    """Lists open pairs of two memories in use, visible to the caller, and unchanged since the pair was found."""
    scope, viewer, now = principal.scope(project), review_viewer_of(principal), ports.clock.now()
    found: list[OpenPair] = []
    damaged: list[str] = []
    for _ in range(PAGES_MAX):
        room = limit - len(found)
        page = ports.store.pairs.page(scope, kind, "open", viewer, after=after, limit=room)
        found += pairs_still_open(ports, scope, page.pairs, viewer, now)
        named = [Ref(project, id) for pair in page.pairs for id in pair.ids]
        lost = ports.store.memories.damaged_among(scope.tenant, named) if named else ()
        damaged += [*page.damaged, *(ref.id for ref in lost)]
        after = page.next_key
        if after is None or len(found) >= limit:
            break
    return OpenPairPage(tuple(found), after, tuple(dict.fromkeys(damaged)))


def pairs_still_open(
    ports: Ports, scope: Scope, pairs: Sequence[Pair], viewer: Viewer, now: datetime
) -> list[OpenPair]:
    """Filters pairs that still stand, with their memories, which are read at once."""
    refs = list(dict.fromkeys(Ref(scope.project, id) for pair in pairs for id in pair.ids))
    memories = ports.store.memories.get_many(scope.tenant, refs) if refs else {}
    by_id = {ref.id: memory for ref, memory in memories.items() if viewer.may_see(memory.persona)}
    return [each for pair in pairs if (each := _standing(pair, by_id, now)) is not None]


def _standing(pair: Pair, memories: Mapping[str, Memory], now: datetime) -> OpenPair | None:
    one, other = (memories.get(id) for id in pair.ids)
    if one is None or other is None:
        return None
    said = (one.content_hash, other.content_hash)
    in_use = all(
        memory.is_active and not memory.has_expired(now) and not_valid_because(memory, now) is None
        for memory in (one, other)
    )
    return OpenPair(pair, (one, other)) if in_use and said == pair.content_hashes else None
