"""Which memories are about the entities that a request names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

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
        said = memory.content.lower() if self._words else ""
        return [
            name
            for name, word in self._words.items()
            if name in memory.entities or (word is not None and _says(said, word))
        ]

    def missing(self, memories: Sequence[Memory]) -> list[str]:
        """The entities that none of these names."""
        named = {name for memory in memories for name in self.of(memory)}
        return [name for name in self._words if name not in named]


def _word(name: str) -> str | None:
    """The name of an entity as its own word, in small letters; None for one too short to tell anything."""
    tail = match[0].rstrip("/") if (match := _TAIL.search(name.strip())) else ""
    return tail.lower() if len(tail) >= _NAME_MIN_CHARS else None


def _says(text: str, word: str) -> bool:
    """Whether a text has it as a whole word. To make 64 expressions takes 20 ms: only what is there is looked at."""
    return word in text and _whole(word).search(text) is not None


@lru_cache(maxsize=256)
def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
