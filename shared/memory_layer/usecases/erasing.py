"""How one record is erased, and what the ledger says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memory_layer.domain.memory import Memory
from memory_layer.ports import Commit, Erasure, Ports
from memory_layer.usecases.echoes import echoes_of, silence


@dataclass(frozen=True, slots=True)
class Erasing:
    """The commit that erases a record.

    Args:
        echoes: by id, the version up to which a neighbour may have heard it.
    """

    commit: Commit
    echoes: Mapping[str, int]


def erasing(ports: Ports, memory: Memory, by: str) -> Erasing:
    """Wherever it stood, and whatever it said there. Args: memory: as it is stored."""
    versions = [memory, *(version.memory for version in ports.store.history(memory.scope, memory.id))]
    turns = echoes_of(ports, versions)
    said = {version.content for version in versions}
    erasure = Erasure(memory.id, memory.version, tuple(turn.id for turn in turns))
    quiet = silence(ports, turns, said, by, "neighbour erased")
    return Erasing(
        Commit(scope=memory.scope, erasures=(erasure,), changes=quiet),
        {turn.id: turn.version for turn in turns},
    )
