"""Evidence of an answer, on which abstention rests, and relevance of a hit: chances, alike for projects of any size.

All constants: ADR-0020, fitted on 12,000 questions to 869 projects
with a term for their size that was left out since.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log, log10
from typing import Final

EVIDENCE_FLOOR: Final = 0.2
"""Evidence from which on an answer stands: .25 hid right answers in projects of every size."""

PRIOR: Final = -2.8
NEARNESS_WEIGHT: Final = 14.9
LEAST_NEARNESS: Final = -0.15
COVERAGE_WEIGHT: Final = 3.9
MISSED_NAMES_WEIGHT: Final = -1.35
"""Log-odds of an answer: of none, by cosine above chance, by the square of the coverage, and by names that nobody
mentions. How many memories were searched counts in what chance reaches, and not once more beside it. Below the least
nearness a cosine tells no more: one word is far from every text, in a project of texts that are alike farther than
chance, and a text that says all of the question answers it."""

MISSED_LOG_ODDS: Final = -3.0
MISSED_FROM, MISSED_TO = 0.45, 0.55
"""Most log-odds of an answer none of whose hits says what the question names exactly, and the shares of the question
from and to which that takes effect: less is beside the point of the question, more is its point (ADR-0051)."""

ALIKE_BY_LANGUAGE: Final = 0.18
GERMAN_FROM: Final = 0.5
"""Cosine by which a German question is nearer to German texts than to English ones, whatever they say, and the share
of German among the first hits from which on it takes effect in full: the model learnt English. Of a question that is
said whole nothing is taken (ADR-0020)."""

NAMES_COUNT_FROM: Final = 3.0
"""Tenfolds of memories from which on names that none of them mentions count in full; among few they mean little."""

WORDS_OF_ONE, WORDS_PER_TENFOLD = 0.1, 0.1
"""Coverage from which on the words alone of a text without a vector answer: what chance covers grows with what is
searched (ADR-0004)."""

WORDS_WEIGHT: Final = 6.0
"""Log-odds by coverage beyond that, where meaning was not compared."""

HIT_PRIOR: Final = -2.7
ANSWER_WEIGHT: Final = 0.37
ANSWER_MAX: Final = 4.0
SHARE_WEIGHT: Final = 1.75
HIT_NEARNESS_WEIGHT: Final = 2.3
"""Log-odds of a hit: of none, by the log-odds of its answer within bounds, by its share of the best hit's relevance,
and by its own cosine above chance."""


@dataclass(frozen=True, slots=True)
class SearchFacts:
    """Facts of a search that the chances of its answer rest on.

    Args:
        nearness: highest cosine of a content with the question, above `abstention.chance_cosine`; 0: only words were
            compared.
        coverage: greatest share of the question that one of the first hits says (`question_words.coverage`), 0..1.
        searched: number of memories that could have been found.
        lacks_names: of the names in the question, none occurs in any of them.
        german: share of the first hits that are German as the question is, 0..1; 0 for questions in English.
    """

    nearness: float
    coverage: float
    searched: int
    lacks_names: bool = False
    german: float = 0.0

    @property
    def log_odds(self) -> float:
        """Log-odds that the project knows an answer."""
        tenfolds = log10(max(1, self.searched))
        missed = min(1.0, tenfolds / NAMES_COUNT_FROM) if self.lacks_names else 0.0
        by_language = ALIKE_BY_LANGUAGE * min(1.0, self.german / GERMAN_FROM) * (1.0 - self.coverage)
        return (
            PRIOR
            + NEARNESS_WEIGHT * max(LEAST_NEARNESS, self.nearness - by_language)
            + COVERAGE_WEIGHT * self.coverage**2
            + MISSED_NAMES_WEIGHT * missed
        )


def words_log_odds(coverage: float, searched: int) -> float:
    """Log-odds that a hit answers which could not be compared by meaning, since it has no vector: its words decide.

    Args:
        coverage: share of the question that it says, 0..1.
        searched: as `SearchFacts`.
    """
    by_chance = WORDS_OF_ONE + WORDS_PER_TENFOLD * log10(max(1, searched))
    return log(EVIDENCE_FLOOR / (1.0 - EVIDENCE_FLOOR)) + WORDS_WEIGHT * (coverage - by_chance)


def without_missed(log_odds: float, share: float) -> float:
    """Log-odds of an answer by what is left of its question: nearness to a text on another version tells nothing.

    Args:
        log_odds: by nearness and words.
        share: of the question, 0..1, that is tokens which it names exactly and no hit says (`SaidTokens.share_missed`).
    """
    counted = min(1.0, max(0.0, (share - MISSED_FROM) / (MISSED_TO - MISSED_FROM)))
    return log_odds - counted * max(0.0, log_odds - MISSED_LOG_ODDS)


def evidence(log_odds: float) -> float:
    """Chance that the project knows an answer, 0..1. Args: log_odds: `SearchFacts.log_odds`."""
    return _chance(log_odds)


def relevances(log_odds: float, shares: Iterable[float], nearness: Iterable[float]) -> list[float]:
    """Chance of each hit that it bears on the question, 0..1.

    Args:
        log_odds: of their answer.
        shares: their blended relevance, 0..1, where 1 is the best of this question (`Signals.semantic`).
        nearness: their cosine above chance, by the nearer of their texts; 0: unknown.
    """
    of_answer = HIT_PRIOR + ANSWER_WEIGHT * max(-ANSWER_MAX, min(ANSWER_MAX, log_odds))
    return [
        _chance(of_answer + SHARE_WEIGHT * share + HIT_NEARNESS_WEIGHT * near)
        for share, near in zip(shares, nearness, strict=True)
    ]


def _chance(log_odds: float) -> float:
    return 1.0 / (1.0 + exp(-max(-500.0, log_odds)))
