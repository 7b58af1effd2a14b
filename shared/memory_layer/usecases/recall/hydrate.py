"""Hydration of hits: ranking reads the rows alone; bodies are fetched for the hits that are shown."""

import logging
from collections.abc import Iterable
from typing import Final

from memory_layer.domain.memory import Memory, Ref, is_stub
from memory_layer.errors import Unavailable
from memory_layer.ports.records import MemoryStore

NO_BODIES: Final = "the words of some long memories cannot be fetched just now; those are left out"
LOST_BODIES: Final = "the words of some long memories are lost; those are left out: mem verify names them"


def damage_notes(damaged: Iterable[Ref]) -> tuple[str, ...]:
    """Note on records that were left out because they are damaged; none without them."""
    named = ", ".join(dict.fromkeys(ref.id for ref in damaged))
    return (f"{named}: damaged and left out: mem verify names what is broken",) if named else ()


_log = logging.getLogger(__name__)


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
