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
    """Pattern of whole words; a blank stands for whatever separates two words.

    No word has a character that separates words, and a repeated word with further characters is taken whole: where
    both could take a character, the time would grow with a power of the length of a run of it.
    """
    words = _REPEATED_WORD.sub(_taken_whole, "|".join(alternatives))
    words = _LETTER_OUTSIDE_CLASS.sub(lambda found: found[1] or r"[^\W_]", words)
    return re.compile(rf"\b(?:{words.replace(' ', _GAP)})\b")


_GAP = r"[\W_]{1,3}"
_REPEATED_WORD = re.compile(r"(?<=\(\?:)( ?)(\[\\w[^\]]+\]|\\S)(\{1,\d+\})( ?)(?=\)\{)")
"""Word that has further characters than letters, in a repeat, with the blank before or after it."""

_LETTER_OUTSIDE_CLASS = re.compile(r"(\[(?:\\.|[^\]\\])+\])|\\w")


def _taken_whole(found: re.Match[str]) -> str:
    before, letters, count, after = found.groups()
    return rf"{before}(?=[^\W_])(?>(?:(?!_){letters}){count}){after}"


def opening(*alternatives: str) -> re.Pattern[str]:
    """Pattern whose alternatives all begin at the beginning of a word, which is looked for once."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})", re.MULTILINE)
