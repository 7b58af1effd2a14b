"""Pattern of suspicious text that addresses the model, with the companions that must occur beside it."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple


class LatePattern:
    """Pattern that is compiled when a text is first searched for it: hints leave most out, and a process starts sooner.

    Args:
        alternatives: sources, any of which may match.
    """

    _flags = re.MULTILINE

    def __init__(self, *alternatives: str) -> None:
        self._alternatives = alternatives

    @property
    def pattern(self) -> str:
        """Source of the whole."""
        return "|".join(self._alternatives)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text)


class _Phrase(LatePattern):
    _flags = re.NOFLAG

    @property
    def pattern(self) -> str:
        words = _REPEATED_WORD.sub(_taken_whole, super().pattern)
        words = _LETTER_OUTSIDE_CLASS.sub(lambda found: found[1] or r"[^\W_]", words)
        return rf"\b(?:{words.replace(' ', _GAP)})\b"


class _Opening(LatePattern):
    @property
    def pattern(self) -> str:
        return rf"\b(?:{super().pattern})"


class SuspiciousPattern(NamedTuple):
    """Pattern of suspicious text, for case-folded text, and the reason given to the reviewer."""

    reason: str
    pattern: LatePattern
    hints: tuple[str, ...] = ()
    """Hints of which every text of this shape has one, so that most texts cost nothing; empty: always search."""
    companions: tuple[LatePattern, ...] = ()
    """Patterns that must all match in the same sentence."""
    is_negatable: bool = False
    """A match after "never" or "do not" is ordinary advice."""
    reads_lines: bool = False
    """Some of it stands at the beginning of a line, or over two of them."""
    unless: LatePattern | None = None
    """Sentences that match this have the pattern for an ordinary reason."""


def any_of(words: str) -> tuple[str, ...]:
    """Hints of a pattern. Args: words: parted by bars."""
    return tuple(words.split("|"))


def form(*alternatives: str) -> LatePattern:
    return LatePattern(*alternatives)


def phrase(*alternatives: str) -> LatePattern:
    """Pattern of whole words; a blank stands for whatever separates two words.

    No word has a character that separates words, and a repeated word with further characters is taken whole: where
    both could take a character, the time would grow with a power of the length of a run of it.
    """
    return _Phrase(*alternatives)


_GAP = r"[\W_]{1,3}"
_REPEATED_WORD = re.compile(r"(?<=\(\?:)( ?)(\[\\w[^\]]+\]|\\S)(\{1,\d+\})( ?)(?=\)\{)")
"""Word that has further characters than letters, in a repeat, with the blank before or after it."""

_LETTER_OUTSIDE_CLASS = re.compile(r"(\[(?:\\.|[^\]\\])+\])|\\w")


def _taken_whole(found: re.Match[str]) -> str:
    before, letters, count, after = found.groups()
    return rf"{before}(?=[^\W_])(?>(?:(?!_){letters}){count}){after}"


def opening(*alternatives: str) -> LatePattern:
    """Pattern whose alternatives all begin at the beginning of a word, which is looked for once."""
    return _Opening(*alternatives)
