"""The words of what a recall shows: ranked by what lies in the rows, fetched for the hits alone."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from memory_layer.domain.memory import Memory, is_stub
from memory_layer.domain.ranking import RankedMemory
from memory_layer.errors import Unavailable
from memory_layer.ports.records import RecordStore

NO_BODIES: Final = "the words of some long memories cannot be fetched just now; those are left out"
LOST: Final = "the words of some long memories are lost; those are left out: mem verify names them"

_log = logging.getLogger(__name__)


class HydratedHits(NamedTuple):
    """Hits with all their words, best first, and what had to be left out."""

    hits: list[RankedMemory]
    notes: tuple[str, ...] = ()


def first_whole(store: RecordStore, ranked: Sequence[RankedMemory], limit: int) -> HydratedHits:
    """The first of these that can be read; one that cannot leaves its place to the next."""
    shown: list[RankedMemory] = []
    notes: tuple[str, ...] = ()
    at = 0
    while len(shown) < limit and at < len(ranked):
        chunk = ranked[at : at + limit - len(shown)]
        found, told = whole_or_told(store, [item.memory for item in chunk])
        words = {memory.ref: memory for memory in found}
        shown += [replace(item, memory=words[item.memory.ref]) for item in chunk if item.memory.ref in words]
        notes, at = (*notes, *told), at + len(chunk)
    return HydratedHits(shown, notes)


def whole_or_told(store: RecordStore, memories: Iterable[Memory]) -> tuple[list[Memory], tuple[str, ...]]:
    """With all their words; those that can be read, and a note if that is not all."""
    asked = list(memories)
    try:
        found = store.whole(asked)
        return found, () if len(found) == len(asked) else (LOST,)
    except Unavailable as error:
        _log.warning("no bodies: %s", error.detail)
        return [memory for memory in asked if not is_stub(memory)], (NO_BODIES,)
