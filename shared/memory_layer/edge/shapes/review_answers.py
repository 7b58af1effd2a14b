"""Answers about what waits for a person."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from memory_layer.domain.memory import Memory, to_thousandths
from memory_layer.edge.shapes.answer_fields import SPREAD, document
from memory_layer.edge.shapes.learning_bodies import StagedAnswer
from memory_layer.edge.shapes.pair_bodies import PairAnswer
from memory_layer.usecases.review.review_groups import ReviewGroup
from memory_layer.usecases.write.near_verdicts import NearDuplicate

NearVerdict = Literal["same", "otherwise", "related"]


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
        groups: its held-back memories by principal and kind, its doubted ones by who raised all of it, largest first.
        reviews: memories, staged learnings and pairs, the oldest first.
    """

    reviews: Sequence[ReviewItem | StagedReview | PairAnswer]
    groups: Sequence[ReviewGroup]
    next_cursor: str | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class NearMemory:
    """Active memory beside an item that waits.

    Args:
        similarity: cosine of the two contents; 1.0 for equal text.
        verdict: it says the same, or otherwise of the same thing, or something else that is related.
        difference: the point in which they differ, or why both cannot hold; missing where it says the same.
    """

    memory: Annotated[Memory, SPREAD]
    similarity: float
    verdict: NearVerdict
    difference: str | None = None


@dataclass(frozen=True, slots=True)
class NearAnswer:
    """Neighbours of an item that waits, at most 3. Args: near: what says the same first, then the nearest."""

    near: Sequence[NearMemory]


def near_json(near: Iterable[NearDuplicate]) -> dict[str, Any]:
    return document(NearAnswer([_near(one) for one in near]))


def _near(one: NearDuplicate) -> NearMemory:
    verdict: NearVerdict = "same" if one.is_same else "otherwise" if one.says_otherwise else "related"
    told = one.says_otherwise or (None if one.differs_in is None else f"this {one.differs_in.told}")
    difference = None if told is None else _named(told, one.memory.id)
    return NearMemory(one.memory, to_thousandths(one.similarity), verdict, difference)


def _named(told: str, id: str) -> str:
    """Difference with the neighbour called by its id: of an item and a proposal for its place both are known."""
    item = f"the item {told.removeprefix('this ')}" if told.startswith("this ") else told
    return item.replace("the known one", id)
