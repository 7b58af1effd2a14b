"""Answers about what waits for a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from memory_layer.domain.memory import Memory
from memory_layer.edge.shapes.answer_fields import SPREAD
from memory_layer.edge.shapes.learning_bodies import StagedAnswer
from memory_layer.edge.shapes.pair_bodies import PairAnswer
from memory_layer.usecases.review.review_groups import ReviewGroup


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A memory that waits: for what, and for how long.

    Args:
        kind: what it waits for: pending, quarantined, doubted, unapproved or stale.
        age_days: for how many days.
    """

    memory: Annotated[Memory, SPREAD]
    kind: str
    age_days: int


@dataclass(frozen=True, slots=True)
class StagedReview:
    """A staged learning that waits.

    Args:
        kind: that it is staged.
        age_days: for how many days it waits.
    """

    staged: Annotated[StagedAnswer, SPREAD]
    kind: str
    age_days: int


@dataclass(frozen=True, slots=True)
class ReviewsAnswer:
    """Page of what waits for a person.

    Args:
        groups: its held-back memories by principal and kind, largest first.
        reviews: memories, staged learnings and pairs, the oldest first.
    """

    reviews: Sequence[ReviewItem | StagedReview | PairAnswer]
    groups: Sequence[ReviewGroup]
    next_cursor: str | None
