"""Profile `assembly`: priorities and order of the offers, and the matching of named entities."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.attribution import said_moment
from memory_layer.domain.context.fragments import AssemblyRequest, Offer, chars4
from memory_layer.domain.context.learned_priority import Signals as LearnedSignals
from memory_layer.domain.context.learned_priority import correction
from memory_layer.domain.memory import Memory, to_thousandths
from memory_layer.domain.policy import PriorityWeights
from memory_layer.domain.ranking import RECENCY_SCALE_DAYS, RELEVANCE_MARGIN
from memory_layer.domain.safety.text_caches import kept_by_text

_TAIL = re.compile(r"[^:/]+/?$")
_NAME_MIN_CHARS = 3


class EntityMatcher:
    """Matcher of named entities in memories; made once for a request."""

    def __init__(self, entities: Iterable[str]) -> None:
        """Args: entities: URNs or plain names; blank ones are ignored."""
        self._words = {name: _word(name) for name in dict.fromkeys(entities) if name.strip()}

    def of(self, memory: Memory) -> list[str]:
        """Entities that a memory names: among its own, or by the last part of the URN in its content."""
        if not self._words:
            return []
        content = memory.content.lower()
        return [
            name
            for name, word in self._words.items()
            if name in memory.entities or (word is not None and _says(content, word))
        ]

    def missing(self, memories: Sequence[Memory]) -> list[str]:
        """Entities that none of these memories names."""
        named = {name for memory in memories for name in self.of(memory)}
        return [name for name in self._words if name not in named]


def _word(name: str) -> str | None:
    """Last part of an entity's name in lower case; None for one too short to identify it."""
    tail = match[0].rstrip("/") if (match := _TAIL.search(name.strip())) else ""
    return tail.lower() if len(tail) >= _NAME_MIN_CHARS else None


def _says(text: str, word: str) -> bool:
    """Tells whether a text has a whole word; the substring test goes first: compiling 64 expressions takes 20 ms."""
    return word in text and _whole(word).search(text) is not None


@kept_by_text(256)
def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")


UNAPPROVED_SHARE: Final = 0.5
"""Share of credibility left to a run's or learning's memory that nobody approved (SPEC 3.17)."""


class ScoredOffer(NamedTuple):
    """Ranked offer, with what speaks for it, all 0..1, thousandths where nothing else is said.

    Args:
        at: its index among the offers.
        fit: its coherence with those placed before, not rounded.
        weighing: of its class.
    """

    at: int
    offer: Offer
    relevance: float
    recency: float
    credibility: float
    fit: float
    weighing: _Weighing

    @property
    def coherence(self) -> float:
        return to_thousandths(self.fit)

    @property
    def priority(self) -> float:
        """Plain weighted sum."""
        weights = self.weighing.weights
        priority = (
            weights.relevance * self.relevance
            + weights.recency * self.recency
            + weights.credibility * self.credibility
            + weights.coherence * self.fit
        )
        return to_thousandths(min(1.0, priority))

    @property
    def signals(self) -> LearnedSignals:
        """Its standing by the fixed weights, and its features (context.learned_priority)."""
        signals = (self.relevance, self.recency, self.credibility)
        standing = self.weighing.standing(signals) + self.weighing.pull * self.fit
        return tuple([round(1_000 * value) for value in (standing, *_features(self.offer, signals))])


def credibility(memory: Memory) -> float:
    """Credibility of a memory: its confidence, halved for a run's or learning's memory that nobody approved."""
    return memory.confidence if memory.is_trusted else UNAPPROVED_SHARE * memory.confidence


def score_offers(
    offers: Sequence[Offer], request: AssemblyRequest, alike: NDArray[np.float64] | None
) -> list[ScoredOffer]:
    """Scores the offers and returns them in the order of their standing, best first.

    Relevance first: recency, credibility and coherence decide among offers about as relevant as each other
    (within `RELEVANCE_MARGIN`), as they do in recall; the priority reported is the plain weighted sum. Coherence is
    the mean cosine to the offers placed before; the first offer has 1.

    Args:
        offers: at most one of each memory.
        alike: cosine of every two, shape (n, n), thousandths; None: by relevance alone, without coherence.

    Returns:
        All of them; equal standing by id and project.

    Source: SPEC 3.17; ADR-0005 for relevance first.
    """
    signals = [_signals(offer, request) for offer in offers]
    ids = [(offer.memory.id, offer.memory.project) for offer in offers]
    weighings = _weighings(offers, request)
    if alike is None:
        order = sorted(range(len(offers)), key=lambda at: (-signals[at][0], ids[at]))
        return [ScoredOffer(at, offers[at], *signals[at], 0.0, weighings[at]) for at in order]
    by_id = sorted(range(len(offers)), key=lambda at: ids[at])
    placed = _placed(by_id, offers, signals, weighings, request.learned, alike)
    return [ScoredOffer(at, offers[at], *signals[at], fit, weighings[at]) for at, fit in placed]


_Signals = tuple[float, float, float]


def _signals(offer: Offer, request: AssemblyRequest) -> _Signals:
    days = max(0, (request.now - said_moment(offer.memory)).days)
    recency = offer.recency_share * math.exp(-days / RECENCY_SCALE_DAYS)
    return to_thousandths(offer.relevance), to_thousandths(recency), to_thousandths(credibility(offer.memory))


def _placed(
    by_id: Sequence[int],
    offers: Sequence[Offer],
    signals: Sequence[_Signals],
    weighings: Sequence[_Weighing],
    learned: tuple[float, ...],
    alike: NDArray[np.float64],
) -> list[tuple[int, float]]:
    """Places offers one after the other, as those placed already decide the coherence of the next one."""
    rows = np.array(by_id, dtype=np.intp)
    fixed = np.array([weighings[at].standing(signals[at]) for at in by_id])
    if learned:
        fixed += [correction(_features(offers[at], signals[at]), learned) for at in by_id]
    pull = np.array([weighings[at].pull for at in by_id])
    alike = alike[np.ix_(rows, rows)]
    total, fit, standing = np.zeros(len(rows)), np.ones(len(rows)), np.empty(len(rows))
    placed: list[tuple[int, float]] = []
    for count in range(1, len(rows) + 1):
        np.multiply(pull, fit, out=standing)
        standing += fixed
        at = int(standing.argmax())
        placed.append((by_id[at], float(fit[at])))
        fixed[at] = -np.inf
        total += alike[at]
        np.multiply(total, 1.0 / count, out=fit)
        np.maximum(fit, 0.0, out=fit)
    return placed


class _Weighing:
    """Weights of a class of content, with what follows from them.

    Args:
        weights: of the class.
    """

    def __init__(self, weights: PriorityWeights) -> None:
        self.weights = weights
        self._merits = weights.recency + weights.credibility + weights.coherence
        self._margin = _margin(weights, self._merits)
        self.pull = self._margin * weights.coherence / self._merits if self._merits else 0.0

    def standing(self, signals: _Signals) -> float:
        relevance, recency, belief = signals
        weights, merits = self.weights, self._merits
        merit = (weights.recency * recency + weights.credibility * belief) / merits if merits else 0.0
        return relevance + self._margin * merit


def _weighings(offers: Sequence[Offer], request: AssemblyRequest) -> list[_Weighing]:
    """Weighing of each offer, one for all of its class."""
    names = {offer.content_class for offer in offers}
    of_class = {name: _Weighing(request.class_weights.get(name, request.weights)) for name in names}
    return [of_class[offer.content_class] for offer in offers]


def _margin(weights: PriorityWeights, merits: float) -> float:
    """Deficit of relevance that merits can make up for: as the weights say, but never beyond `RELEVANCE_MARGIN`."""
    return min(RELEVANCE_MARGIN, merits / weights.relevance) if weights.relevance else RELEVANCE_MARGIN


BREVITY_TOKENS: Final = 64
"""Tokens, by characters, of a content whose brevity is a half."""


def _features(offer: Offer, signals: _Signals) -> list[float]:
    """Features of an offer, in the order of `learned_priority.FEATURES`, each 0..1."""
    (tokens,) = chars4([offer.memory.content])
    outcome = 0.5 + 0.5 * max(-1.0, min(1.0, offer.memory.outcome_score))
    return [*signals, outcome, float(offer.memory.is_trusted), BREVITY_TOKENS / (BREVITY_TOKENS + tokens)]
