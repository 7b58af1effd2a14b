"""Blending of four ranked lists into one relevance per memory, corrected by evidence from the record itself."""

import math
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Generic, NamedTuple, TypeVar

from memory_layer.domain.policy import BlendMode

DEPTH = 100
"""Candidates of each list that count, and that an index returns (ADR-0004)."""

LEXICAL_WEIGHT = 0.4
"""Share of the keyword arm in each text, the rest being the cosine's; .3 to .5 is one plateau (ADR-0004)."""

CONTEXT_WEIGHT = 2.0
"""Weight of the text with its context where the content weighs 1; 1.5 to 3 is one plateau (ADR-0004)."""

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

_ASKS = re.compile(r"""[?\uff1f\u061f][\s"')\]}\u00bb\u2019\u201d\u300d\u300f]*\Z""")

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Arms(Generic[K]):
    """Raw scores of the candidates, for both texts of a record; each list holds the best of its kind.

    Args:
        content_lexical, context_lexical: BM25, >= 0, unbounded; matches only.
        content_semantic, context_semantic: cosine, -1..1.
    """

    content_lexical: Mapping[K, float] = field(default_factory=dict)
    content_semantic: Mapping[K, float] = field(default_factory=dict)
    context_lexical: Mapping[K, float] = field(default_factory=dict)
    context_semantic: Mapping[K, float] = field(default_factory=dict)


class Relevance(NamedTuple):
    """Relevance of a memory by arm; a tuple, because every recall makes hundreds.

    Args:
        semantic: relevance to the query, 0..1; 1 is the best that this query found in every list.
        lexical: part of it from the keyword arm, 0..1.
    """

    semantic: float
    lexical: float


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """Evidence from the re-read record about its worth as an answer.

    Args:
        is_question: its content asks instead of telling.
        days_from_period: days, >= 0, from its date to the period that the query names; None: it names none.
        says: amount that it says (`amount_said`), 0..1; None: not measured.
    """

    is_question: bool = False
    days_from_period: float | None = None
    says: float | None = None


def blend(arms: Arms[K], *, mode: BlendMode = "minmax") -> dict[K, Relevance]:
    """Blends the lists into one relevance per memory, so that neither arm's scale decides.

    Args:
        arms: raw scores; a list beyond its best `DEPTH` is ignored.
        mode: `minmax` scales each list from 0, its least score, to its best; `flag` sums cosine and a match flag.

    Returns:
        Relevance of every memory that is in any list.

    Source: ADR-0004, with the comparison of scalings, rank fusion and a match flag.
    """
    lists = (arms.content_lexical, arms.content_semantic, arms.context_lexical, arms.context_semantic)
    best = Arms(*map(_best, lists))
    return _by_flag(best) if mode == "flag" else _by_share(best)


def with_evidence(relevance: Relevance, evidence: AnswerEvidence) -> Relevance:
    """Corrects relevance by the record's evidence: less for questions and for short texts, more near the query's date.

    Source: ADR-0004, ADR-0012.
    """
    score = relevance.semantic * (QUESTION_FACTOR if evidence.is_question else 1.0)
    if evidence.says is not None:
        score = (score + SAYING_WEIGHT * evidence.says) / (1.0 + SAYING_WEIGHT)
    if evidence.days_from_period is not None:
        closeness = math.exp(-evidence.days_from_period / PERIOD_SCALE_DAYS)
        score = (score + PERIOD_WEIGHT * closeness) / (1.0 + PERIOD_WEIGHT)
    return Relevance(score, relevance.lexical)


def asks(content: str) -> bool:
    """Tests if a text ends in a question mark, of any script, closing quotes and brackets aside."""
    return _ASKS.search(content) is not None


def amount_said(content: str) -> float:
    """Amount that a text says, by its length: 0..1, 1 from SAYS_ENOUGH_CHARS on."""
    return min(1.0, math.log1p(len(content) / _WORD_CHARS) / math.log1p(SAYS_ENOUGH_CHARS / _WORD_CHARS))


@dataclass(frozen=True, slots=True)
class _Text(Generic[K]):
    """Share of one text in relevance, by arm.

    A text without a match has no keyword score, but every text has a cosine: an unlisted one counts as the list's last.
    """

    words: Mapping[K, float]
    meaning: Mapping[K, float]
    unlisted_meaning: float

    def holds(self, key: K) -> bool:
        return key in self.words or key in self.meaning


def _text(lexical: Mapping[K, float], semantic: Mapping[K, float], words: float, meaning: float) -> _Text[K]:
    meanings = _scaled(semantic, meaning)
    return _Text(_scaled(lexical, words), meanings, min(meanings.values(), default=0.0))


def _by_share(arms: Arms[K]) -> dict[K, Relevance]:
    words = LEXICAL_WEIGHT if arms.content_semantic or arms.context_semantic else 1.0
    near, far = 1.0 / (1.0 + CONTEXT_WEIGHT), CONTEXT_WEIGHT / (1.0 + CONTEXT_WEIGHT)
    content = _text(arms.content_lexical, arms.content_semantic, near * words, near * (1.0 - words))
    context = _text(arms.context_lexical, arms.context_semantic, far * words, far * (1.0 - words))
    relevance = {}
    for key in _keys(arms):
        lexical = content.words.get(key, 0.0)
        semantic = content.meaning.get(key, content.unlisted_meaning)
        if context.holds(key):
            lexical += context.words.get(key, 0.0)
            semantic += context.meaning.get(key, context.unlisted_meaning)
        else:  # A record without context is judged by its content alone.
            lexical, semantic = lexical / near, semantic / near
        relevance[key] = _relevance(lexical, semantic)
    return relevance


def _scaled(scores: Mapping[K, float], top: float) -> dict[K, float]:
    """Scales scores linearly, 0 to 0 and the best to `top`; below 0 counts as 0."""
    best = max(scores.values(), default=0.0)
    if best <= 0.0:
        return dict.fromkeys(scores, 0.0)
    factor = top / best
    return {key: factor * score if score > 0.0 else 0.0 for key, score in scores.items()}


def _by_flag(arms: Arms[K]) -> dict[K, Relevance]:
    return {
        key: _relevance(
            FLAG_MATCH_WEIGHT * (key in arms.content_lexical or key in arms.context_lexical),
            FLAG_COSINE_WEIGHT
            * max(0.0, arms.content_semantic.get(key, 0.0), arms.context_semantic.get(key, 0.0)),
        )
        for key in _keys(arms)
    }


def _relevance(lexical: float, semantic: float) -> Relevance:
    total = lexical + semantic
    return Relevance(min(1.0, total), lexical / total if total else 0.0)


def _best(scores: Mapping[K, float]) -> Mapping[K, float]:
    if len(scores) <= DEPTH:
        return scores
    return dict(nlargest(DEPTH, scores.items(), key=lambda item: item[1]))


def _keys(arms: Arms[K]) -> Iterable[K]:
    """Keys of all lists, in the order of the lists, so that equal scores keep their order from run to run."""
    return {**arms.content_lexical, **arms.content_semantic, **arms.context_lexical, **arms.context_semantic}
