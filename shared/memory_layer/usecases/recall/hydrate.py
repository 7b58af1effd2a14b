"""Hydration of hits: ranking reads the rows alone; bodies are fetched for the hits that are shown."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from memory_layer.domain.memory import Memory, Ref, is_stub
from memory_layer.domain.ranking import RankedMemory
from memory_layer.errors import Unavailable
from memory_layer.ports.records import MemoryStore

NO_BODIES: Final = "the words of some long memories cannot be fetched just now; those are left out"
LOST_BODIES: Final = "the words of some long memories are lost; those are left out: mem verify names them"


def damage_notes(damaged: Iterable[Ref]) -> tuple[str, ...]:
    """Note on records that were left out because they are damaged; none without them."""
    named = ", ".join(dict.fromkeys(ref.id for ref in damaged))
    return (f"{named}: damaged and left out: mem verify names what is broken",) if named else ()


_log = logging.getLogger(__name__)


class HydratedHits(NamedTuple):
    """Hits with all their words, best first, and notes on those left out."""

    hits: list[RankedMemory]
    notes: tuple[str, ...] = ()


def hydrate_first(memories: MemoryStore, ranked: Sequence[RankedMemory], limit: int) -> HydratedHits:
    """Hydrates the first `limit` hits that can be read; one that cannot leaves its place to the next."""
    shown: list[RankedMemory] = []
    notes: tuple[str, ...] = ()
    at = 0
    while len(shown) < limit and at < len(ranked):
        chunk = ranked[at : at + limit - len(shown)]
        found, more_notes = hydrate_shown(memories, [item.memory for item in chunk])
        words = {memory.ref: memory for memory in found}
        shown += [replace(item, memory=words[item.memory.ref]) for item in chunk if item.memory.ref in words]
        notes, at = (*notes, *more_notes), at + len(chunk)
    return HydratedHits(shown, notes)


def hydrate_shown(memories: MemoryStore, read: Iterable[Memory]) -> tuple[list[Memory], tuple[str, ...]]:
    """Hydrates memories as `hydrate_records` does, and reads their access counts, which an answer tells."""
    found, notes = hydrate_records(memories, read)
    return memories.counted(found), notes


def hydrate_records(memories: MemoryStore, read: Iterable[Memory]) -> tuple[list[Memory], tuple[str, ...]]:
    """Hydrates the memories that can be read; a note says if those are not all."""
    asked = list(read)
    try:
        found = memories.whole(asked)
        return found, () if len(found) == len(asked) else (LOST_BODIES,)
    except Unavailable as error:
        _log.warning("no bodies: %s", error.detail)
        return [memory for memory in asked if not is_stub(memory)], (NO_BODIES,)
