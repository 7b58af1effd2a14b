"""Answers about the numbers of a project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from memory_layer.domain.memory import Tier
from memory_layer.edge.shapes.answer_fields import ROUNDED


@dataclass(frozen=True, slots=True)
class TierAnswer:
    """Contents of one tier: `bytes` of texts, `body_bytes` of these in blobs, and the cost at AWS's list prices.

    Args:
        records: number of memories in it.
        bytes: size of their texts.
        body_bytes: of these, what lies in blobs.
        usd_per_month: what keeping them costs, by AWS's list prices.
    """

    records: int
    bytes: int
    body_bytes: int
    usd_per_month: Annotated[float, ROUNDED]


@dataclass(frozen=True, slots=True)
class UseCount:
    """A memory, and how often its outcome was reported.

    Args:
        use_count: number of reports.
    """

    id: str
    use_count: int


@dataclass(frozen=True, slots=True)
class StatsAnswer:
    """Numbers of a project, over all statuses.

    Args:
        by: counts by group, and in it by value.
        index_coverage: share of the records that are found by meaning; 1 says that none is missing.
        entity_events: by kind; `unknown`: of those whose URN no memory named.
        waiting_long: what has waited for a person for 14 days; of each kind at most 100 are counted.
        total: number of memories.
        active: of these, the active ones.
        average_confidence, average_success_rate, average_outcome_score: mean over those that have one; null: none has.
        outcome_bands: number of memories whose outcome score is high, neutral or low.
        most_used: those with the most reports.
        last_updated_at: when the last of them was changed.
        bytes: size of all their texts.
        tiers: what lies in each tier.
    """

    total: int
    active: int
    by: Mapping[str, Mapping[str, int]]
    average_confidence: float | None
    average_success_rate: float | None
    average_outcome_score: float | None
    outcome_bands: Mapping[str, int]
    most_used: Sequence[UseCount]
    last_updated_at: datetime | None
    bytes: int
    tiers: Mapping[Tier, TierAnswer]
    index_coverage: float
    entity_events: Mapping[str, int]
    waiting_long: int
