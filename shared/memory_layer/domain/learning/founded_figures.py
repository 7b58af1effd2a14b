"""Figures that enough independent runs stand behind: how well an approach worked is told from three on.

Source: SPEC 4.36, 10.3.
"""

from collections.abc import Mapping
from typing import Any

from memory_layer.domain.learning.voices import VOICES_MIN, named_voices
from memory_layer.domain.memory import Memory


def runs_too_few(memory: Memory) -> int | None:
    """Independent runs behind the figure of a strategy, where they are too few to tell it; None: it is told.

    What a reviewer approved is told, and what a person said that no reported run has changed. Runs are counted by
    their voices; of what was taught before voices were kept, or in another store, by their names.
    """
    voices = named_voices(memory.detail.get("voices"))
    if memory.is_approved or (memory.is_trusted and not voices):
        return None
    runs = len(voices or memory.source_runs)
    return runs if runs < VOICES_MIN else None


def founded_detail(memory: Memory) -> Mapping[str, Any]:
    """Detail of a memory, of a strategy without the effectiveness that too few runs stand behind."""
    if memory.type != "strategy" or "effectiveness" not in memory.detail or runs_too_few(memory) is None:
        return memory.detail
    return {name: fact for name, fact in memory.detail.items() if name != "effectiveness"}
