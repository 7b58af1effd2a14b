"""What gives a text away that speaks to the model: patterns, and what must be said beside them."""

import re
from typing import NamedTuple


class SuspiciousPattern(NamedTuple):
    """What gives a text away, in case-folded text, and the reason told to the reviewer."""

    reason: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...] = ()
    """One of them is in every text of this shape, so that most texts cost nothing; none: always look."""
    companions: tuple[re.Pattern[str], ...] = ()
    """What else must be in the same sentence."""
    is_negatable: bool = False
    """After "never" or "do not" it is ordinary advice."""


def form(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.MULTILINE)


def phrase(*alternatives: str) -> re.Pattern[str]:
    """Whole words; a blank stands for whatever separates two words."""
    words = "|".join(alternatives).replace(" ", r"[\W_]{1,3}")
    return re.compile(rf"\b(?:{words})\b")
