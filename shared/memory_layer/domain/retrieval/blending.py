"""Blending of four ranked lists into one relevance per candidate, corrected by evidence from the record itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.policy import BlendMode

if TYPE_CHECKING:
    Column = NDArray[np.float64]

DEPTH = 100
"""Candidates of each list that count, and that an index returns (ADR-0004)."""

LEXICAL_WEIGHT = 0.4
"""Share of the keyword arm in each text, the rest being the cosine's; .3 to .5 is one plateau (ADR-0004)."""

LEXICAL_WEIGHT_ALONE = 0.5
"""Share of the keyword arm in a content without context: a note's own words are all that it has (ADR-0004)."""

LEAST_KEYWORD_PART = 0.1
KEYWORD_PART_BY_MATCH = 2.5
"""Part of that share for a question whose best match says next to nothing of it, and what the match adds: the whole is
reached where a text of average length says four fifths, by rarity, of the words that any text holds (ADR-0004)."""

CONTEXT_WEIGHT = 2.0
"""Weight of the text with its context where the content weighs 1; 1.5 to 3 is one plateau (ADR-0004)."""

EXACT_LEXICAL_WEIGHT = 0.85
"""Share of the keyword arm where the words searched for are a version: what a question on a release means is near to
the lines of all releases (ADR-0051)."""

QUESTION_FACTOR = 0.9
"""Factor for questions, which share a query's words and answer nothing; .8 to .95 is one plateau (ADR-0004)."""

PERIOD_WEIGHT = 0.25
PERIOD_SCALE_DAYS = 7.0
"""Weight of the closeness to a period that the query names, where all else weighs 1 (ADR-0004): an event of a
day is told within days of it."""

SAYING_WEIGHT = 0.15
SAYS_ENOUGH_CHARS = 240
"""Weight of the amount that a turn says, where all else weighs 1 (ADR-0012): `That's great!` is near to much and
answers nothing. On a log scale, flat from some forty words on: a long document wins nothing by its length."""

_WORD_CHARS = 6

FLAG_COSINE_WEIGHT, FLAG_MATCH_WEIGHT = 0.6, 0.4
"""Weights of cosine and of any keyword match at all. Source: Persona-Scoped Memory, hybrid ranking."""


@dataclass(slots=True, eq=False)
class Relevances:
    """Relevance of n candidates, by arm.

    Args:
        semantic: relevance to the query, 0..1; 1 is the best that this query found in every list; shape (n,).
        lexical: part of it from the keyword arm, 0..1; shape (n,).
    """

    semantic: Column
    lexical: Column

    def take(self, rows: NDArray[np.intp]) -> Relevances:
        return Relevances(self.semantic[rows], self.lexical[rows])


@dataclass(slots=True, eq=False)
class AnswerEvidence:
    """Evidence of n records about their worth as an answer.

    Args:
        is_question: the content asks instead of telling; shape (n,), boolean.
        says: amount that a turn says (`amount_said`), 0..1; NaN: not measured; shape (n,).
        days_from_period: days, >= 0, from the record's date to the period that the query names; None: it names none.
        own_day: credit for a day in that period that no words tell, below 0 for one of the source; shape (n,).
    """

    is_question: NDArray[np.bool_]
    says: Column
    days_from_period: Column | None = None
    own_day: Column | float = 0.0


def keyword_part(scores: Column, held: float) -> float:
    """Part of the keyword arm's share in contents alone that a question gives it, 0..1.

    Who asks in words of his own shares one or two of them with some text by accident; as every list counts as a share
    of its best, that match would weigh as much as one that says all.

    Args:
        scores: BM25 of contents; shape (n,); NaN where one has no word.
        held: `abstention.WordCounts.weight` of the question; 0: no text holds a word of it, or none was counted.
    """
    if held <= 0.0:
        return 1.0
    best = float(np.fmax.reduce(scores, initial=0.0))
    return min(1.0, LEAST_KEYWORD_PART + KEYWORD_PART_BY_MATCH * best / held)


def blend(
    scores: Column,
    *,
    mode: BlendMode = "minmax",
    words_only: NDArray[np.bool_] | None = None,
    is_exact: bool = False,
    keywords: float = 1.0,
) -> Relevances:
    """Blends the lists into one relevance per candidate, so that neither arm's scale decides.

    Args:
        scores: raw scores of BM25 and cosine over contents, then over contents with context: the order of
            candidates.LISTS, each its best `DEPTH`; shape (4 or more, n); NaN where a list lacks a candidate.
        words_only: candidates without a vector, whose words stand for both arms; shape (n,); None: none.
        is_exact: the words searched for are a version, or a single word that some text says.
        keywords: `keyword_part` of the question.
        mode: `minmax` scales each list from 0, its least score, to its best; `flag` sums cosine and a match flag.

    Source: ADR-0004, with the comparison of scalings, rank fusion and a match flag.
    """
    return _by_flag(scores) if mode == "flag" else _by_share(scores, words_only, keywords, is_exact=is_exact)


def with_told_days(relevances: Relevances, told: Column, weight: float) -> Relevances:
    """Counts the days that records tell of as the words of the query that name its period, which they mean.

    Args:
        told: share of them in the period, > 0 to 1; NaN: none; shape (n,).
        weight: of the words that name the period, 0..1, where all words of the query weigh 1.
    """
    said, meant = (1.0 - weight) * relevances.semantic, weight * np.nan_to_num(told)
    total = said + meant
    lexical = np.divide(said * relevances.lexical + meant, total, out=np.zeros(len(total)), where=total > 0.0)
    return Relevances(total, lexical)


def with_evidence(relevances: Relevances, evidence: AnswerEvidence) -> Relevances:
    """Corrects relevance by the records' evidence: less for questions and for short texts, more near the query's date.

    Source: ADR-0004, ADR-0012.
    """
    score = relevances.semantic + evidence.own_day
    score = np.where(evidence.is_question, score * QUESTION_FACTOR, score)
    said = (score + SAYING_WEIGHT * evidence.says) / (1.0 + SAYING_WEIGHT)
    score = np.where(np.isnan(said), score, said)
    if evidence.days_from_period is not None:
        closeness = np.exp(-evidence.days_from_period / PERIOD_SCALE_DAYS)
        score = (score + PERIOD_WEIGHT * closeness) / (1.0 + PERIOD_WEIGHT)
    return Relevances(score, relevances.lexical)


def amount_said(chars: NDArray[np.integer]) -> Column:
    """Amount that texts say, by their length: 0..1, 1 from SAYS_ENOUGH_CHARS on."""
    enough = np.log1p(SAYS_ENOUGH_CHARS / _WORD_CHARS)
    return np.asarray(np.minimum(1.0, np.log1p(np.maximum(0, chars) / _WORD_CHARS) / enough))


def _by_share(
    scores: Column, words_only: NDArray[np.bool_] | None, keywords: float, *, is_exact: bool
) -> Relevances:
    """Shares of both texts; a text without a match has no keyword score, but every text has a cosine: one that a list
    lacks counts as the list's last, and a record without context is judged by its content alone."""
    is_listed = ~np.isnan(scores)
    weights = (EXACT_LEXICAL_WEIGHT,) * 2 if is_exact else (LEXICAL_WEIGHT, LEXICAL_WEIGHT_ALONE)
    words, whole = weights if is_listed[1::2].any() else (1.0, 1.0)
    alone: Column | float = whole if is_exact or whole == 1.0 else keywords * whole
    near, far = 1.0 / (1.0 + CONTEXT_WEIGHT), CONTEXT_WEIGHT / (1.0 + CONTEXT_WEIGHT)
    lexical = _scaled(scores[0], 1.0, unlisted_as_last=False)
    semantic = _scaled(scores[1], 1.0, unlisted_as_last=True)
    has_context = is_listed[2] | is_listed[3]
    far_lexical = _scaled(scores[2], far * words, unlisted_as_last=False)
    far_semantic = _scaled(scores[3], far * (1.0 - words), unlisted_as_last=True)
    if words_only is not None:
        other_arm = (1.0 - words) / words
        semantic = np.where(words_only, lexical * other_arm, semantic)
        far_semantic = np.where(words_only, far_lexical * other_arm, far_semantic)
        alone = np.where(words_only, whole, alone)
    return _relevances(
        np.where(has_context, near * words * lexical + far_lexical, alone * lexical),
        np.where(has_context, near * (1.0 - words) * semantic + far_semantic, (1.0 - alone) * semantic),
    )


def _scaled(scores: Column, top: float, *, unlisted_as_last: bool) -> Column:
    """Scales scores linearly, 0 to 0 and the best to `top`; below 0 counts as 0."""
    best = np.fmax.reduce(scores, initial=-np.inf)
    if best <= 0.0:
        return np.zeros(len(scores))
    scaled = top * (np.maximum(scores, 0.0) / best)  # `top / best` is infinite for the least of scores
    last = np.fmin.reduce(scaled) if unlisted_as_last else 0.0
    return np.where(np.isnan(scaled), last, scaled)


def _by_flag(scores: Column) -> Relevances:
    is_match = ~(np.isnan(scores[0]) & np.isnan(scores[2]))
    cosine = np.fmax(np.fmax(scores[1], scores[3]), 0.0)
    return _relevances(FLAG_MATCH_WEIGHT * is_match, FLAG_COSINE_WEIGHT * cosine)


def _relevances(lexical: Column, semantic: Column) -> Relevances:
    total = lexical + semantic
    share = np.divide(lexical, total, out=np.zeros(len(total)), where=total > 0.0)
    return Relevances(np.minimum(1.0, total), share)
