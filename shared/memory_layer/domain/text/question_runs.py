"""Runs of a question's words in a text: how much of the question stands side by side, and what is said beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from math import ceil
from typing import Final

from memory_layer.domain.text.analyzer import is_run_of_characters, terms_of, words_in
from memory_layer.domain.text.repeated_question import (
    FEWEST_TERMS,
    FEWEST_WORDS,
    SPAN_SHARE,
    AskedQuestion,
    terms_in,
)

FEWEST_IN_RUN: Final = 2
"""Words of the text, and of the question, from which on a run counts: one alone is a name that any text on the subject
has."""

RUN_SHARE: Final = 0.5
"""Share of the question's words that its fullest run has to hold (ADR-0054)."""


@dataclass(frozen=True, slots=True)
class QuestionRuns:
    """Runs of a question's words in a text; those without terms do not count, and a compound counts once.

    Args:
        held: words of the question that the fullest run holds.
        asked: words of the question.
        rest: words of the text beside all runs.
    """

    held: int
    asked: int
    rest: str

    @property
    def hold_all(self) -> bool:
        """True: one run holds the whole question; of one with fewer than three words many an answer does."""
        return self.held == self.asked >= FEWEST_TERMS

    @property
    def hold_most(self) -> bool:
        """True: one run holds nearly the whole of a question that is long enough to be told from its subject."""
        return self.held >= max(FEWEST_WORDS, SPAN_SHARE * self.asked)


def fewest_held(asked: int) -> int:
    """Words that the fullest run has to hold. Args: asked: words of the question that have terms."""
    return max(FEWEST_IN_RUN, min(FEWEST_TERMS, asked - 1), ceil(RUN_SHARE * asked))


def runs_of(question: AskedQuestion, text: str) -> QuestionRuns | None:
    """Runs of the question's words, small ones of the question between them or not; None: none holds enough.

    An answer has its own words between the question's: side by side these stand where they are listed.
    """
    asked = len(question.named)
    fewest = fewest_held(asked)
    if _count_held(question, terms_in(text)) < fewest:
        return None
    held, rest = 0, []
    for words, count in _groups(question, words_in(text)):
        held = max(held, count)
        if not count:
            rest += words
    return QuestionRuns(held, asked, " ".join(rest)) if held >= fewest else None


def stands_around(question: AskedQuestion, text: str, context: str) -> bool:
    """Tests if nearly the whole question stands in runs in a text and around it, at least one of them around it."""
    fewest = max(FEWEST_IN_RUN, ceil(SPAN_SHARE * len(question.named)))
    if _count_held(question, terms_in(text) | terms_in(context)) < fewest:
        return False
    around = _terms_in_runs(question, context)
    return bool(around) and _count_held(question, around | _terms_in_runs(question, text)) >= fewest


def beside_runs(question: AskedQuestion, text: str) -> str:
    """Words of a text beside all runs of the question's words."""
    groups = _groups(question, words_in(text))
    return " ".join(chain.from_iterable(words for words, count in groups if not count))


def _terms_in_runs(question: AskedQuestion, text: str) -> frozenset[str]:
    """Terms of the question that stand in runs in a text."""
    in_runs = chain.from_iterable(words for words, count in _groups(question, words_in(text)) if count)
    return question.terms.intersection(chain.from_iterable(map(terms_of, in_runs)))


def _count_held(question: AskedQuestion, terms: frozenset[str]) -> int:
    """Number of the question's words that these terms hold, whole or in all their parts."""
    if question.terms.isdisjoint(terms):
        return 0
    return sum(word[0] in terms or (len(word) > 1 and terms.issuperset(word[1:])) for word in question.named)


def _groups(question: AskedQuestion, words: list[str]) -> Iterator[tuple[list[str], int]]:
    """Words of a text in groups, each with the number of the question's words in it if it is a run."""
    for is_asked, group in groupby(words, _is_word_of(question)):
        said = list(group)
        yield said, _count_in_run(question, said) if is_asked else 0


def _is_word_of(question: AskedQuestion) -> Callable[[str], bool]:
    """Test for a word of the question; a clause without blanks is none, as whatever it says goes with it."""
    terms, words = question.terms, frozenset(question.words)
    return lambda word: (
        not is_run_of_characters(word) and (not terms.isdisjoint(terms_of(word)) or word.casefold() in words)
    )


def _count_in_run(question: AskedQuestion, words: list[str]) -> int:
    """Number of the question's words in words side by side; 0 where these are too few to be a run."""
    each = [terms for word in words if (terms := question.terms.intersection(terms_of(word)))]
    count = _count_held(question, frozenset().union(*each))
    return count if min(len(each), count) >= FEWEST_IN_RUN else 0
