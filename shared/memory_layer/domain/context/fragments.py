"""Records of context assembly (offers, requests, fragments, omissions, warnings), and counters of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final, Literal, NamedTuple, Protocol

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.memory import Memory, Standing
from memory_layer.domain.policy import PriorityWeights
from memory_layer.domain.tier_policy import ContentClass


class TokenCounter(Protocol):
    """Counter of tokens for many texts at once, so that a vocabulary is gone through once."""

    def __call__(self, texts: Sequence[str], /) -> list[int]:
        """Returns the tokens of each text, >= 0, in their order."""


def chars4(texts: Sequence[str]) -> list[int]:
    """Estimates tokens: four ASCII characters a token, every other character a token of its own; rounded up.

    Overestimates byte-pair vocabularies for prose, whose words have 4 to 5 characters a token; code and
    identifiers may take more tokens than this, so name the model's own tokenizer where it matters.
    """
    return [-(-(len(text) + 3 * _foreign(text)) // 4) for text in texts]


def _foreign(text: str) -> int:
    return 0 if text.isascii() else sum(character > "\x7f" for character in text)


Layer = Literal["global", "project", "workshop", "experience"]
Lod = Literal["macro", "micro", "atomic"]
LodPreference = Literal["macro", "micro", "atomic", "adaptive"]
Format = Literal["markdown", "xml", "json"]
Strategy = Literal["precedence", "merge", "flag", "user_choice"]
Reason = Literal[
    "below_quality",
    "near_duplicate",
    "over_budget",
    "conflict_lost",
    "other_layer",
    "repeated",
    "evicted",
]
WarningCode = Literal["SOURCE_TIMEOUT", "BUDGET_EXCEEDED", "COHERENCE_FAILURE", "LOW_QUALITY", "INCOMPLETE"]

LAYERS: Final[tuple[Layer, ...]] = ("global", "project", "experience", "workshop")
"""Layers in their precedence: shared memories, the project's, the caller's own experience, tool output.

Source: Context Assembly, source precedence rules (L1, L2, L4, L3).
"""

LAYER_NAMES: Final[Mapping[str, Layer]] = {
    "L1": "global",
    "L2": "project",
    "L3": "workshop",
    "L4": "experience",
}


class Offer(NamedTuple):
    """Memory that a source offers.

    Args:
        memory: whole, visible to the caller, and redacted again.
        relevance: to the intent, 0..1; without one what it matters to the project.
        vector: unit vector of the content, shape (dimensions,); None where there is none.
        recency_share: share of its recency that it keeps, 0..1 (see domain.time.decay).
        content_class: the class whose weights apply to it.
        is_pinned: it is included before all others, and whole.
        is_compressed: it is included as one line at most.
        line_share: share of its length, 0..1, that this line may have; 0: one sentence, or the summary.
        is_evicted: it is left out, whatever room there is.
        standing: 0..1; offers of lower standing are dropped first when the budget is short.
    """

    memory: Memory
    layer: Layer
    relevance: float
    vector: NDArray[np.float32] | None = None
    recency_share: float = 1.0
    content_class: ContentClass = "general"
    is_pinned: bool = False
    is_compressed: bool = False
    line_share: float = 0.0
    is_evicted: bool = False
    standing: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyRequest:
    """Request for a context.

    Args:
        intent: its purpose; picks the line that stands for a memory too long to be included whole; empty: none.
        entities: URNs that it should cover.
        pins: tags, URNs, globs over them, and ids, that the request itself pins.
        tokens_max: of the rendered text, delimiters included; >= 0.
        paid_by: what pays for so many tokens, in words, where a budget of money bounds them.
        quality_min: least relevance of a fragment, 0..1.
        layers: the sources that were asked for offers.
        weights: of every class of content that `class_weights` does not name.
        conflict_sensitivity: factor on the severity of a contradiction, > 0.
        kept_pairs: ids of two memories of which a person has kept both: they are no conflict.
        entity_share: share of the budget, 0..1, that memories of the named entities may take first.
        learned: learned weights that correct the places (context.learned_priority); empty: none.
        now: the moment from which ages are counted.
    """

    intent: str
    tokens_max: int
    now: datetime
    paid_by: str | None = None
    entities: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()
    quality_min: float = 0.0
    lod_preference: LodPreference = "adaptive"
    format: Format = "markdown"
    layers: tuple[Layer, ...] = LAYERS
    weights: PriorityWeights = field(default_factory=PriorityWeights)
    class_weights: Mapping[ContentClass, PriorityWeights] = field(default_factory=dict)
    conflict_sensitivity: float = 1.0
    kept_pairs: frozenset[frozenset[str]] = frozenset()
    entity_share: float = 0.3
    learned: tuple[float, ...] = ()


class Fragment(NamedTuple):
    """Memory in the context, at some level of detail, with its scores.

    Args:
        ref: its number on the page, from 1, by which the page names it; an outcome may name it so (SPEC 9.18).
        content: the part that is shown, unescaped.
        priority_score, relevance, recency, credibility, coherence: 0..1, thousandths.
        token_cost: of its own lines in the rendered text; headings and fence belong to no fragment.
        dated: the day from which it holds, else that of its saying, else the day that its content last changed.
        age_days: whole days from `dated` to the request, >= 0.
        signals: what learned priorities are fitted to (context.learned_priority).
    """

    ref: int
    id: str
    project: str
    content: str
    source_layer: Layer
    lod: Lod
    priority_score: float
    token_cost: int
    relevance: float
    recency: float
    credibility: float
    coherence: float
    dated: date
    standing: Standing
    age_days: int
    signals: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Omission:
    """Offer that is not in the context, and the reason.

    Args:
        detail: of which memory it repeats, where it does.
        id: the memory that was left out.
        reason: the kind of reason.
    """

    id: str
    reason: Reason
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class FragmentConflict:
    """Conflict of two memories that contradict each other, or say the same, and its resolution.

    Args:
        severity: 0..1, thousandths, sensitivity included.
        confidence: 0..1; confidence in the strategy.
        ids: the two memories.
        strategy: how it was resolved.
        reasoning: why so, in words.
    """

    ids: tuple[str, str]
    severity: float
    strategy: Strategy
    confidence: float
    reasoning: str


@dataclass(frozen=True, slots=True)
class ContextWarning:
    """Warning about an answer that is less than the caller asked for.

    Args:
        code: the kind of warning.
        detail: what is less than was asked for, in words.
    """

    code: WarningCode
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembledContext:
    """Context that fits its budget, with the outcome of every offer.

    Args:
        fragments: in the order of the page.
        rendered: the page for a model; empty if there are no fragments.
        omitted: every offer that is in no fragment, once.
        total_tokens: of `rendered`.
        source_coverage: share of the asked sources that have a fragment, 0..1, thousandths.
        quality_achieved: mean relevance of the fragments, 0..1, thousandths.
        coherence: mean cosine between two fragments, 0..1, thousandths; 1 for fewer than two.
    """

    fragments: Sequence[Fragment]
    rendered: str
    omitted: Sequence[Omission]
    conflicts: Sequence[FragmentConflict]
    total_tokens: int
    source_coverage: float
    quality_achieved: float
    coherence: float
    warnings: Sequence[ContextWarning]
