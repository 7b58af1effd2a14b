"""Words that are written in one and in two: a question says `log in` or `lock file`, a text `login` and `lockfile`."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from memory_layer.domain.text.analyzer import STOP_WORDS, terms_of, words_in

PARTICLES: Final = frozenset({"back", "down", "in", "off", "on", "out", "over", "up"})
WORDS_MAX: Final = 32
"""A longer question says a thing in many words, and its pairs would be as many."""

_SHORTEST: Final = 3


def with_compounds(question: str) -> str:
    """Question with the words behind it that two neighbours of it are in one; most are no words, and find nothing."""
    words = words_in(question)
    if len(words) > WORDS_MAX:
        return question
    return " ".join((question, *(word for pair in pairwise(words) for word in in_one(*pair))))


def in_one(first: str, second: str) -> tuple[str, ...]:
    """Two words written in one: `file name` as `filename`, `logged in` also as `login`; empty: they make none."""
    head, tail = first.lower(), second.lower()
    if not _may_begin(head) or not (tail in PARTICLES or _may_begin(tail)):
        return ()
    stems = terms_of(head)[:1] if tail in PARTICLES else ()
    return tuple(dict.fromkeys(f"{start}{tail}" for start in (head, *stems)))


def _may_begin(word: str) -> bool:
    return len(word) >= _SHORTEST and word.isalpha() and word not in STOP_WORDS
