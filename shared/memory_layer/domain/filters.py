"""Filters of lists and recalls: one predicate, checked on the record itself on every backend."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from operator import attrgetter
from typing import Annotated, Literal

from annotated_types import Ge, Le

from memory_layer.domain.memory import Memory, Standing, Status

Share = Annotated[float, Ge(0.0), Le(1.0)]
VISIBLE_STATUSES: tuple[Status, ...] = ("active",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conjunction of filters; one matching value of a field is enough, an empty tuple or None filters nothing.

    `tags` and `entities` match on one label in common. Bounds of scores are 0..1 and inclusive,
    `*_after` and `*_before` are exclusive. `is_approved` and `is_doubted` are evaluated by the record store and
    in lists of the index, not by its searches.
    All other names are those of the record's fields.

    Args:
        standing: `trusted`, said by a person or approved by a reviewer, or `unreviewed`.
        complexity: `low`, `medium` or `high`, as estimates say it in their detail.
        min_confidence: at least this confidence, 0 to 1.
        min_success_rate: at least this success rate, 0 to 1; what has none is left out.
        created_after: created then or later.
        created_before: created before then.
        updated_after: what it says was changed then or later.
        updated_before: what it says was changed before then.
    """

    type: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    dimension: tuple[str, ...] = ()
    task_type: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    status: tuple[str, ...] = VISIBLE_STATUSES
    tier: tuple[str, ...] = ()
    persona: tuple[str, ...] = ()
    created_by: tuple[str, ...] = ()
    session_id: tuple[str, ...] = ()
    complexity: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    standing: Standing | None = None
    min_confidence: Share | None = None
    min_success_rate: Share | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    is_approved: bool | None = None
    is_doubted: bool | None = None
    pinned: bool | None = None

    def accept(self, memory: Memory) -> bool:
        """Tells whether a record matches every filter."""
        return self.acceptor()(memory)

    def acceptor(self) -> Callable[[Memory], bool]:
        """Predicate for many records, which evaluates only the filters that are set."""
        equalities = [(attrgetter(name), wanted) for name in EQUALITIES if (wanted := getattr(self, name))]
        overlaps = [(name, set(wanted)) for name in OVERLAPS if (wanted := getattr(self, name))]
        if equalities and (self == _PLAIN or self == Filters(status=self.status)):  # as most recalls ask
            ((status_of, statuses),) = equalities
            return lambda memory: status_of(memory) in statuses

        def accept(memory: Memory) -> bool:
            return (
                all(value_of(memory) in wanted for value_of, wanted in equalities)
                and (not self.complexity or memory.detail.get("complexity") in self.complexity)
                and all(not wanted.isdisjoint(getattr(memory, name)) for name, wanted in overlaps)
                and self.standing in (None, memory.standing)
                and _at_least(memory.confidence, self.min_confidence)
                and _at_least(memory.success_rate, self.min_success_rate)
                and _within(memory.created_at, self.created_after, self.created_before)
                and _within(memory.updated_at, self.updated_after, self.updated_before)
                and self.is_approved in (None, memory.is_approved)
                and self.is_doubted in (None, memory.doubted is not None)
                and self.pinned in (None, memory.pinned)
            )

        return accept


_PLAIN = Filters()

LabelField = Literal["tags", "entities"]
OVERLAPS: tuple[LabelField, ...] = ("tags", "entities")
EQUALITIES = tuple(
    f.name for f in fields(Filters) if f.type == tuple[str, ...] and f.name not in (*OVERLAPS, "complexity")
)


def _at_least(value: float | None, bound: float | None) -> bool:
    return bound is None or (value is not None and value >= bound)


def _within(moment: datetime, after: datetime | None, before: datetime | None) -> bool:
    return (after is None or moment > after) and (before is None or moment < before)
