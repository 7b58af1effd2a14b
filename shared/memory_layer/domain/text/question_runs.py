"""Runs of a question's terms in a text: how much of the question stands side by side, and what is said beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Final

from memory_layer.domain.text.analyzer import terms_of, words_in
from memory_layer.domain.text.repeated_question import (
    FEWEST_TERMS,
    FEWEST_WORDS,
    SPAN_SHARE,
    AskedQuestion,
    terms_in,
)

FEWEST_IN_RUN: Final = 2
"""Words, and terms, from which on a run counts: one alone is a name that any text on the subject has."""

RUN_SHARE: Final = 0.5
"""Share of the question's terms that its fullest run has to hold (ADR-0054)."""


@dataclass(frozen=True, slots=True)
class QuestionRuns:
    """Runs of a question's terms in a text.

    Args:
        held: terms of the question that the fullest run holds.
        asked: terms of the question.
        rest: words of the text beside all runs.
    """

    held: int
    asked: int
    rest: str

    @property
    def hold_all(self) -> bool:
        """True: one run holds the whole question; of one with fewer than three terms many an answer does."""
        return self.held == self.asked >= FEWEST_TERMS

    @property
    def hold_most(self) -> bool:
        """True: one run holds nearly the whole of a question that is long enough to be told from its subject."""
        return self.held >= max(FEWEST_WORDS, SPAN_SHARE * self.asked)


def fewest_held(asked: int) -> int:
    """Terms that the fullest run has to hold. Args: asked: terms of the question."""
    return max(FEWEST_IN_RUN, min(FEWEST_TERMS, asked - 1), ceil(RUN_SHARE * asked))


def runs_of(question: AskedQuestion, text: str) -> QuestionRuns | None:
    """Runs of the question's terms, small words of the question between them or not; None: none holds enough.

    An answer has its own words between the question's: side by side these stand where they are listed.
    """
    asked = question.terms
    fewest = fewest_held(len(asked))
    if len(asked & terms_in(text)) < fewest:
        return None
    held, rest = 0, []
    for words, terms in _groups(question, words_in(text)):
        if terms:
            held = max(held, len(terms))
        else:
            rest += words
    return QuestionRuns(held, len(asked), " ".join(rest)) if held >= fewest else None


def _groups(question: AskedQuestion, words: list[str]) -> Iterator[tuple[list[str], frozenset[str]]]:
    """Words of a text in groups, each with the terms of the question in it if it is a run."""
    for is_asked, group in groupby(words, _is_word_of(question)):
        said = list(group)
        yield said, _terms_of_run(question, said) if is_asked else frozenset()


def _is_word_of(question: AskedQuestion) -> Callable[[str], bool]:
    terms, words = question.terms, frozenset(question.words)
    return lambda word: not terms.isdisjoint(terms_of(word)) or word.casefold() in words


def _terms_of_run(question: AskedQuestion, words: list[str]) -> frozenset[str]:
    """Terms of the question in words side by side; none where these are too few to be a run."""
    each = [terms for word in words if (terms := question.terms.intersection(terms_of(word)))]
    terms = frozenset().union(*each)
    return terms if min(len(each), len(terms)) >= FEWEST_IN_RUN else frozenset()
