"""Which memories are about the entities that a request names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_layer.domain.memory import Memory

_TAIL = re.compile(r"[^:/]+/?$")
_NAME_MIN_CHARS = 3


class Mentions:
    """Finds named entities in memories; made once for a request."""

    def __init__(self, entities: Iterable[str]) -> None:
        """Args: entities: URNs or plain names; blank ones are nothing."""
        self._words = {name: _word(name) for name in dict.fromkeys(entities) if name.strip()}

    def of(self, memory: Memory) -> list[str]:
        """The entities that a memory names: among its own, or by the last part of the URN in its words."""
        return [
            name
            for name, word in self._words.items()
            if name in memory.entities or (word is not None and word.search(memory.content))
        ]

    def missing(self, memories: Sequence[Memory]) -> list[str]:
        """The entities that none of these names."""
        named = {name for memory in memories for name in self.of(memory)}
        return [name for name in self._words if name not in named]


def _word(name: str) -> re.Pattern[str] | None:
    """Matches the name of an entity as a whole word; None for one too short to tell anything."""
    tail = match[0].rstrip("/") if (match := _TAIL.search(name.strip())) else ""
    if len(tail) < _NAME_MIN_CHARS:
        return None
    return re.compile(rf"(?<!\w){re.escape(tail)}(?!\w)", re.IGNORECASE)
