"""How one record is erased, and what the ledger says of it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.domain.memory import Memory
from memory_layer.errors import BodyFrozen, StoreUnavailable
from memory_layer.ports.commit import Commit, Erasure
from memory_layer.ports.records import Ports
from memory_layer.usecases.write.commit_change import echoes_of, silence

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Erasing:
    """The commit that erases a record.

    Args:
        echoes: by id, the version up to which a neighbour may have heard it.
        newest: when the last of all these was stored, by a clock that may have been set back since.
    """

    commit: Commit
    echoes: Mapping[str, int]
    newest: datetime


def erasing(ports: Ports, memory: Memory, by: str) -> Erasing:
    """Wherever it stood, and whatever it said there. Args: memory: as it is stored; a stub will do."""
    versions = [memory, *_earlier(ports, memory)]
    turns = echoes_of(ports, versions)
    said = {version.content for version in versions}
    erasure = Erasure(memory.id, memory.version, tuple(turn.id for turn in turns))
    quiet = silence(ports, turns, said, by, "neighbour erased")
    return Erasing(
        Commit(scope=memory.scope, erasures=(erasure,), changes=quiet),
        {turn.id: turn.version for turn in turns},
        max(each.created_at for each in (memory, *turns)),
    )


def _earlier(ports: Ports, memory: Memory) -> list[Memory]:
    """A history that cannot be read any more is erased all the same."""
    try:
        return [version.memory for version in ports.store.history(memory.scope, memory.id)]
    except (*UNREADABLE, BodyFrozen, StoreUnavailable):
        _log.exception("the history of %s cannot be read; it is erased as it is", memory.id)
        return []
