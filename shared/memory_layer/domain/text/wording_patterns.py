"""Patterns of wordings, written one a line, and the rules of categories that are made of them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from memory_layer.domain.memory import Category
from memory_layer.domain.text.wording_groups import grouped


class CategoryRule(NamedTuple):
    """Rule of a category, with the patterns that must all be found in a text, as written or in lower case.

    Args:
        hints: of which each text that the first pattern finds has one, and which are found faster; none: unknown.
    """

    category: Category
    patterns: tuple[re.Pattern[str], ...]
    is_cased: bool = False
    hints: tuple[str, ...] = ()

    @property
    def is_of_words(self) -> bool:
        """True if its wordings may stand anywhere in a text, in upper or lower case."""
        return not self.is_cased and self.patterns[0].pattern.startswith(r"\b")

    def holds(self, text: str, lowered: str) -> bool:
        subject = text if self.is_cased else lowered
        if self.hints and not any(map(subject.__contains__, self.hints)):
            return False
        return all(pattern.search(subject) for pattern in self.patterns)


def any_wording(rules: Sequence[CategoryRule]) -> re.Pattern[str]:
    """Pattern found in every lower-case text that one of the rules with `is_of_words` matches.

    Most texts are of no category: a search for all wordings at once takes half as long as one after the other, and
    half of that where only beginnings of words are tried, at which every wording begins.
    """
    return any_of_words([rule.patterns[0] for rule in rules if rule.is_of_words])


def any_of_words(patterns: Sequence[re.Pattern[str]]) -> re.Pattern[str]:
    """Pattern found in every text in which one of these is, all of `words`."""
    wordings = (pattern.pattern.removeprefix(_BEGIN).removesuffix(_END) for pattern in patterns)
    return re.compile(rf"(?<!\w)(?=\w)(?:{grouped(wordings)}){_WORD_ENDS}")


def _lines(wordings: str) -> str:
    return "|".join(line.strip() for line in wordings.splitlines() if line.strip())


def words(wordings: str) -> re.Pattern[str]:
    """Pattern of any of these wordings, one a line, as whole words."""
    return re.compile(f"{_BEGIN}{_lines(wordings)}{_END}")


_WORD_ENDS = r"(?!\w)"
_BEGIN, _END = r"\b(?:", f"){_WORD_ENDS}"


def opening_words(wordings: str) -> re.Pattern[str]:
    """Pattern of any of these wordings at the beginning of a line, after a bullet at most."""
    return re.compile(rf"^\W{{0,8}}(?:{_lines(wordings)})(?!\w)", re.MULTILINE)
