"""Weights of what makes a fragment of a context worth its place, by class of content."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, ClassVar, Final

from annotated_types import Ge, Le

from memory_layer.domain.tier_policy import WEIGHTS_TOLERANCE, ContentClass

Weight = Annotated[float, Ge(0.0), Le(1.0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityWeights:
    """Weights of the priority signals of a fragment; each 0..1, all together 1.

    Source: Context Assembly, priority scoring algorithm; SPEC 3.17.

    Args:
        relevance: of how near it is to the intent.
        recency: of how new it is.
        credibility: of how far to believe it.
        coherence: of how well it fits the others.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}  # read at the edge only

    relevance: Weight = 0.4
    recency: Weight = 0.2
    credibility: Weight = 0.25
    coherence: Weight = 0.15


CLASS_WEIGHTS: Final[Mapping[ContentClass, PriorityWeights]] = {
    "code": PriorityWeights(relevance=0.4, recency=0.25, credibility=0.2, coherence=0.15),
    "documentation": PriorityWeights(relevance=0.4, recency=0.15, credibility=0.3, coherence=0.15),
    "research": PriorityWeights(relevance=0.4, recency=0.1, credibility=0.35, coherence=0.15),
    "general": PriorityWeights(),
}
"""Weights by class: code ages fast; a paper depends on the credibility of its source. `general` has those of
Context Assembly, priority scoring algorithm, which asks for others by domain and names none."""


def weights_flaw(weights: PriorityWeights) -> str | None:
    """Reason for which weights are none; None: they sum up to 1."""
    total = sum(asdict(weights).values())
    return (
        None if abs(total - 1.0) <= WEIGHTS_TOLERANCE else f"the four weights sum up to {total:g}; make it 1"
    )
