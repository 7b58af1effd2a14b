"""Words that belong together: `A uses X and B uses Y` is another fact than `A uses Y and B uses X`."""

import re
from collections import Counter
from typing import Final

from memory_layer.domain.conflicts.wording import HEAD, bare, read_wording

_BETWEEN: Final = re.compile(
    r"[,;]?\s+(?:and|while|whereas|but|und|w\u00e4hrend|aber)\s+(?:the\s+)?|[,;]\s+", re.IGNORECASE
)
_PARTS_MAX: Final = 12
_WORDS_MIN: Final = 2
"""Fewest words of a part that says something of something."""


def are_paired_otherwise(one: str, other: str) -> bool:
    """Tells whether two texts of the same words divide into as many statements, and put them together otherwise.

    What stands elsewhere as a whole (`Build it, then test it`) is no other pairing; nor is a list of single words.
    """
    mine, theirs = _statements(one), _statements(other)
    if mine is None or theirs is None or len(mine) != len(theirs) or mine == theirs:
        return False
    return _all_words(mine) == _all_words(theirs) and Counter(mine) != Counter(theirs)


def _statements(text: str) -> list[tuple[str, ...]] | None:
    """Words of each part of a text, sorted; None: it is not made of several statements."""
    parts = _BETWEEN.split(bare(text))
    if not 1 < len(parts) <= _PARTS_MAX:
        return None
    told = [
        tuple(sorted(word for word, _ in read_wording(part).told if not word.startswith(HEAD)))
        for part in parts
    ]
    return told if all(len(words) >= _WORDS_MIN for words in told) else None


def _all_words(statements: list[tuple[str, ...]]) -> Counter[str]:
    return Counter(word for words in statements for word in words)
