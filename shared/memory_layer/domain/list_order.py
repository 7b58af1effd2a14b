"""Orders of lists of memories: by a field of the record, or by the worth of what a run taught."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log10
from typing import Final, Literal, get_args

OrderField = Literal[
    "created_at",
    "updated_at",
    "expires_at",
    "confidence",
    "relevance_score",
    "success_rate",
    "outcome_score",
    "use_count",
    "type",
    "category",
    "dimension",
    "task_type",
    "source",
    "status",
    "tier",
    "persona",
    "created_by",
    "worth",
]
"""Fields that a list is ordered by; `worth` is confidence × (success_rate or .5) × log10(use_count + 1)."""

ORDER_FIELDS: Final[tuple[OrderField, ...]] = get_args(OrderField)

ORDER_PATTERN: Final = f"^-?({'|'.join(ORDER_FIELDS)})$"

UNKNOWN_SUCCESS: Final = 0.5
"""Success rate that counts where a record has none, in `worth`. Source: Loop Learning, memory retrieval."""

OrderKey = str | int | float | None
"""What a record is ordered by, as an index keeps it; None: it has nothing there and comes last, either way."""


@dataclass(frozen=True, slots=True)
class ListOrder:
    """Order by one field, of equal ones by id. Args: is_from_end: it is read backwards, the last comes first."""

    field: OrderField = "created_at"
    is_descending: bool = True
    is_from_end: bool = False

    @property
    def is_by_age(self) -> bool:
        return self.field == "created_at"

    @property
    def goes_down(self) -> bool:
        """True when the greatest key is met first, whichever end the order is read from."""
        return self.is_descending != self.is_from_end

    @property
    def from_end(self) -> ListOrder:
        """The same order read backwards; of age it is the opposite one, in which equal ones go backwards as well."""
        if self.is_by_age:
            return replace(self, is_descending=not self.is_descending)
        return replace(self, is_from_end=not self.is_from_end)


@dataclass(frozen=True, slots=True)
class OrderedId:
    """Record in an ordered list: its key and its id, after which the next page goes on."""

    key: OrderKey
    id: str


def worth(confidence: float, success_rate: float | None, use_count: int) -> float:
    """Worth of what a run taught: how sure it is, how often it succeeded, how often it was used.

    Args:
        confidence, success_rate: 0..1.
        use_count: ≥ 0.

    Source: Loop Learning, memory retrieval.
    """
    success = UNKNOWN_SUCCESS if success_rate is None else success_rate
    return confidence * success * log10(use_count + 1)


def parsed_order(text: str) -> ListOrder:
    """Order of its written form: a field's name, with `-` before it the greatest first.

    Raises:
        ValueError: it names no field that a list is ordered by.
    """
    name = text.removeprefix("-")
    for field in ORDER_FIELDS:
        if field == name:
            return ListOrder(field, is_descending=text != name)
    raise ValueError(f"{name} is nothing that a list is ordered by; there are: {', '.join(ORDER_FIELDS)}")
