"""Learned priority: a bounded linear correction of places in contexts, fitted to which fragments readers used."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import product
from typing import Final

from memory_layer.domain.access import agent_voice

FEATURES: Final = ("relevance", "recency", "credibility", "outcome", "reviewed", "brevity")
"""Features of an offer, each 0..1, in the order in which weights and signals have them."""

Signals = tuple[int, ...]
"""Signals of a fragment, thousandths: its standing by the fixed weights, then its features."""

Weights = tuple[float, ...]
"""Weights of the features, in their order, -`WEIGHT_MAX`..`WEIGHT_MAX`; empty: nothing is corrected."""

CORRECTION_MAX: Final = 0.1
"""Most by which a place is corrected, in relevance: a quarter of what merits may make up for."""

WEIGHT_MAX: Final = 0.2
STEP_MAX: Final = 0.01
"""Bounds of a weight, and of what one page moves it by."""

VOICE_MAX: Final = 0.05
"""Most that the pages of one agent's voice move a weight by, either way."""

NEVER_NEGATIVE: Final = frozenset({"credibility", "reviewed"})
"""Features that feedback never turns against a memory: or agents could put their words before reviewed ones."""

LEARNING_RATE: Final = 0.01
SCALE: Final = 0.05
"""Difference of two standings, in relevance, at which the order of a pair is taken for likely (73 %)."""

PAGES_MAX: Final = 64
PAGES_MIN: Final = 24
"""Judged pages that are kept, and from how many on a replay decides."""

HELD_OUT_SHARE: Final = 0.5
"""Share of the pages, the newest, that the replay holds out."""

GAIN_MIN: Final = 0.02
"""Least gain in the share of pairs in the right order, as a mean of the voices, that turns the correction on."""

WINS_Z: Final = 2.0
"""Standard deviations by which pages that gain have to outnumber those that lose."""

VOICE_LOSS_MAX: Final = 0.02
"""Most that any voice may lose in the replay."""

USEFUL_MAX, UNUSED_MAX = 6, 10
"""Fragments of a page that are kept, of either kind, evenly spread over it."""


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """Context of which a reader has said what was useful.

    Args:
        by: the reader.
        useful: signals of fragments that were.
        unused: signals of others.
        is_counted: False: taken back by a rollback, whose undo brings it back.
        is_agent: the reader is neither a person nor a reviewer.
    """

    by: str
    at: datetime
    useful: tuple[Signals, ...]
    unused: tuple[Signals, ...]
    is_counted: bool = True
    is_agent: bool = False

    @property
    def voice(self) -> str:
        return agent_voice(self.by)


@dataclass(frozen=True, slots=True)
class PriorityReplay:
    """Replay of the newest judged pages, in orders fitted to the older ones.

    Args:
        pages: number held out.
        fixed: share of their pairs of a useful and an unused fragment that the fixed weights order rightly, 0..1, a
            mean of the voices.
        learned: the same of the learned weights.
        gained: pages that the learned weights order better.
        lost: pages that they order worse.
        is_won: whether the learned weights are better, beyond chance, and for no voice worse.
    """

    pages: int = 0
    fixed: float = 0.0
    learned: float = 0.0
    gained: int = 0
    lost: int = 0
    is_won: bool = False


@dataclass(frozen=True, slots=True)
class LearnedPriority:
    """Learned priority of a project: a function of the pages that count, and of nothing else.

    Args:
        pages: the judged pages that are kept, oldest first.
        weights: fitted to those that count.
        unlisted: number of changes that are in no history: pages that turned nothing on or off.
        is_set_aside: the project's settings say weights, which nothing corrects; never stored.
    """

    pages: tuple[JudgedPage, ...] = ()
    weights: Weights = ()
    replay: PriorityReplay = field(default_factory=PriorityReplay)
    unlisted: int = 0
    is_set_aside: bool = False

    @property
    def is_on(self) -> bool:
        return self.replay.is_won and not self.is_set_aside

    @property
    def weights_in_force(self) -> Weights:
        return self.weights if self.is_on else ()


def correction(features: Sequence[float], weights: Weights) -> float:
    """Correction of an offer's place, in relevance, within `CORRECTION_MAX`. Args: features: 0..1."""
    if not weights:
        return 0.0
    total = sum(weight * (feature - 0.5) for weight, feature in zip(weights, features, strict=True))
    return max(-CORRECTION_MAX, min(CORRECTION_MAX, total))


def judged_page(
    signals: Sequence[Signals], useful: Sequence[int], *, by: str, at: datetime, is_agent: bool = False
) -> JudgedPage | None:
    """Page as judged by its reader; None: all or none of it was useful, which tells nothing of the order.

    Args:
        signals: of its fragments, in the order of the page.
        useful: their numbers, from 1.
        is_agent: the reader is neither a person nor a reviewer.
    """
    kinds: tuple[list[Signals], list[Signals]] = [], []
    for ref, one in enumerate(signals, 1):
        kinds[ref not in useful].append(one)
    if not all(kinds):
        return None
    useful_signals, unused = _spread(kinds[0], USEFUL_MAX), _spread(kinds[1], UNUSED_MAX)
    return JudgedPage(by, at, useful_signals, unused, is_agent=is_agent)


def _spread(signals: Sequence[Signals], most: int) -> tuple[Signals, ...]:
    if len(signals) <= most:
        return tuple(signals)
    return tuple(signals[at * len(signals) // most] for at in range(most))


def with_page(learned: LearnedPriority, page: JudgedPage) -> LearnedPriority:
    """Learned priority with one more page; where too many are kept, the voice with most of them loses its oldest."""
    pages = [*learned.pages, page]
    if len(pages) > PAGES_MAX:
        voices = Counter(one.voice for one in pages)
        most = max(voices.values())
        del pages[next(at for at, one in enumerate(pages) if voices[one.voice] == most)]
    return _learned(pages, learned)


def without_voices(learned: LearnedPriority, is_excluded: Callable[[str, datetime], bool]) -> LearnedPriority:
    """Learned priority as the pages of all others make it; those excluded before and not now count again."""
    pages = [replace(page, is_counted=not is_excluded(page.by, page.at)) for page in learned.pages]
    return learned if tuple(pages) == learned.pages else _learned(pages, learned)


def _learned(pages: Sequence[JudgedPage], before: LearnedPriority) -> LearnedPriority:
    counted = [page for page in pages if page.is_counted]
    weights = tuple(round(weight, 3) for weight in fitted(counted)) if counted else ()
    return LearnedPriority(tuple(pages), weights, replayed(counted), before.unlisted)


def fitted(pages: Sequence[JudgedPage]) -> Weights:
    """Weights fitted to pages one after the other, each by one bounded step (logistic regression on pairs).

    All pages of one agent's voice together move a weight by `VOICE_MAX`.
    """
    weights = [0.0] * len(FEATURES)
    moved: defaultdict[str, list[float]] = defaultdict(lambda: [0.0] * len(FEATURES))
    for page in pages:
        steps = _steps(page, tuple(weights))
        if page.is_agent:
            steps = [_within_voice(*one) for one in zip(moved[page.voice], steps, strict=True)]
        after = [_bounded(*one) for one in zip(FEATURES, weights, steps, strict=True)]
        if page.is_agent:
            by_page = zip(moved[page.voice], weights, after, strict=True)
            moved[page.voice] = [so_far + new - old for so_far, old, new in by_page]
        weights = after
    return tuple(weights)


def _within_voice(moved: float, step: float) -> float:
    step = max(-STEP_MAX, min(STEP_MAX, step))
    return max(-VOICE_MAX - moved, min(VOICE_MAX - moved, step))


def _bounded(name: str, weight: float, step: float) -> float:
    least = 0.0 if name in NEVER_NEGATIVE else -WEIGHT_MAX
    return max(least, min(WEIGHT_MAX, weight + max(-STEP_MAX, min(STEP_MAX, step))))


def _steps(page: JudgedPage, weights: Weights) -> list[float]:
    steps, pairs = [0.0] * len(FEATURES), list(product(page.useful, page.unused))
    for useful, unused in pairs:
        wrong = 1.0 / (1.0 + math.exp((_standing(useful, weights) - _standing(unused, weights)) / SCALE))
        for at in range(len(FEATURES)):
            steps[at] += wrong * (useful[at + 1] - unused[at + 1]) / 1_000
    return [LEARNING_RATE * step / SCALE / len(pairs) for step in steps]


def _standing(signals: Signals, weights: Weights) -> float:
    fixed, *features = (value / 1_000 for value in signals)
    return fixed + correction(features, weights)


def replayed(pages: Sequence[JudgedPage]) -> PriorityReplay:
    """Replay of the newest pages by both orders; an empty one where there are fewer than `PAGES_MIN`."""
    if len(pages) < PAGES_MIN:
        return PriorityReplay()
    older = len(pages) - round(HELD_OUT_SHARE * len(pages))
    weights, held_out = fitted(pages[:older]), pages[older:]
    shares = [(page.voice, _in_order(page, ()), _in_order(page, weights)) for page in held_out]
    gained, lost = (sum(sign * (new - old) > 0 for _, old, new in shares) for sign in (1, -1))
    voices = list(_by_voice(shares))
    fixed, learned = (sum(one[at] for one in voices) / len(voices) for at in (0, 1))
    is_won = (
        learned - fixed >= GAIN_MIN
        and gained - lost >= WINS_Z * math.sqrt(gained + lost)
        and all(new >= old - VOICE_LOSS_MAX for old, new in voices)
    )
    return PriorityReplay(len(held_out), round(fixed, 3), round(learned, 3), gained, lost, is_won)


def _in_order(page: JudgedPage, weights: Weights) -> float:
    """Share of the pairs in which the useful fragment stands first, 0..1; equal standing counts half."""
    useful, unused = ([_standing(one, weights) for one in kind] for kind in (page.useful, page.unused))
    pairs = [0.5 * ((one > other) + (one >= other)) for one, other in product(useful, unused)]
    return sum(pairs) / len(pairs)


def _by_voice(shares: Sequence[tuple[str, float, float]]) -> Iterator[tuple[float, float]]:
    for voice in sorted({by for by, *_ in shares}):
        own = [(old, new) for by, old, new in shares if by == voice]
        yield sum(old for old, _ in own) / len(own), sum(new for _, new in own) / len(own)
