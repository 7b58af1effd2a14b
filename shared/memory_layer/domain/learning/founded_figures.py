"""Figures that enough independent runs stand behind: how well an approach worked is told from three on.

Source: SPEC 4.36, 10.3.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from memory_layer.domain.learning.voices import VOICES_MIN, named_voices
from memory_layer.domain.memory import LEARNING_ID_PREFIX, Memory
from memory_layer.domain.text_rules import read_letters

_MEASURED: Final = frozenset(
    {
        *("effectiveness", "voices", "successrate", "seenin", "sourceruns", "occurrences"),
        *("successfuliterations", "failediterations", "completediterations", "alliterations"),
    }
)
"""Details that the store computes from runs, in small letters and digits alone."""

_APPROVAL: Final = frozenset(
    {"approvedby", "approvedat", "reviewedby", "reviewedat", "verifiedby", "standing", "isapproved"}
)
"""Details that read like what the store tells of a person's approval."""

_NO_LETTER: Final = re.compile(r"[\W_]+")


def is_measured(memory: Memory) -> bool:
    """Tells whether runs taught a memory: nobody else may take its id, and reviewers alone change its figures."""
    return memory.id.startswith(LEARNING_ID_PREFIX)


def runs_too_few(memory: Memory) -> int | None:
    """Independent runs behind the figure of a strategy, where they are too few to tell it; None: it is told.

    What a reviewer approved is told, and what a person said that no reported run has changed. Runs are counted by
    their voices; of what was taught before voices were kept, or in another store, by their names. What an agent wrote
    beside the runs has none, whatever it names.
    """
    voices = named_voices(memory.detail.get("voices"))
    if memory.is_approved or (memory.is_trusted and not voices):
        return None
    if not (memory.is_trusted or is_measured(memory)):
        return 0
    runs = len(voices or memory.source_runs)
    return runs if runs < VOICES_MIN else None


def founded_detail(memory: Memory) -> Mapping[str, Any]:
    """Detail of a memory without the figures that too few runs stand behind.

    What runs taught loses the effectiveness of a strategy; what an agent wrote, of whatever type, all that the store
    measures else, and what reads like its word of an approval.
    """
    if memory.is_trusted or is_measured(memory):
        if memory.type != "strategy" or runs_too_few(memory) is None:
            return memory.detail
        return {name: fact for name, fact in memory.detail.items() if name != "effectiveness"}
    return _unclaimed(memory.detail)


def _unclaimed(detail: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: _without_claims(fact) for name, fact in detail.items() if not _is_measure(name)}


def _without_claims(fact: Any) -> Any:
    if isinstance(fact, Mapping):
        return _unclaimed(fact)
    return [_without_claims(one) for one in fact] if isinstance(fact, list | tuple) else fact


def _is_measure(name: str) -> bool:
    return any(_NO_LETTER.sub("", read_letters(part)) in _MEASURED | _APPROVAL for part in name.split("."))
