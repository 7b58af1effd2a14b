"""Pattern of suspicious text that addresses the model, with the companions that must occur beside it."""

import re
from typing import NamedTuple


class SuspiciousPattern(NamedTuple):
    """Pattern of suspicious text, for case-folded text, and the reason given to the reviewer."""

    reason: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...] = ()
    """Hints of which every text of this shape has one, so that most texts cost nothing; empty: always search."""
    companions: tuple[re.Pattern[str], ...] = ()
    """Patterns that must all match in the same sentence."""
    is_negatable: bool = False
    """A match after "never" or "do not" is ordinary advice."""
    unless: re.Pattern[str] | None = None
    """Sentences that match this have the pattern for an ordinary reason."""


def any_of(words: str) -> tuple[str, ...]:
    """Hints of a pattern. Args: words: parted by bars."""
    return tuple(words.split("|"))


def form(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.MULTILINE)


def phrase(*alternatives: str) -> re.Pattern[str]:
    """Pattern of whole words; a blank stands for whatever separates two words."""
    words = "|".join(alternatives).replace(" ", r"[\W_]{1,3}")
    return re.compile(rf"\b(?:{words})\b")


def opening(*alternatives: str) -> re.Pattern[str]:
    """Pattern whose alternatives all begin at the beginning of a word, which is looked for once."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})", re.MULTILINE)
