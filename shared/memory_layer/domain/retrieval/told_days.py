"""Days that records tell of, as columns, and their distance from the period that a question names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import product
from typing import TYPE_CHECKING, Final

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.resolved_time import ResolvedTime

if TYPE_CHECKING:
    from memory_layer.domain.memory import Memory
    from memory_layer.domain.retrieval.blending import Column

TOLD_SPANS: Final = 2
"""Spans kept of a record: the surest and shortest; 995 of 1,000 turns of conversations have no more."""

_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()

DaySpans = tuple[tuple[int, int], ...]
"""First and last days of spans, in days since 1970."""


def told_days(times: Sequence[ResolvedTime], own_day: int) -> DaySpans:
    """TOLD_SPANS spans that a record tells of: those of its words about time, else its own day.

    Args:
        own_day: of the record (`own_day`), in days since 1970.
    """
    if not times:
        return ((own_day, own_day),) * TOLD_SPANS
    return _filled((day_number(time.from_), day_number(time.to)) for time in sorted(times, key=vagueness))


def _filled(found: Iterable[tuple[int, int]]) -> DaySpans:
    first, *others = found
    return (first, *others, *(first,) * TOLD_SPANS)[:TOLD_SPANS]


def vagueness(time: ResolvedTime) -> tuple[bool, int]:
    """Order of words about time, the surest and shortest first."""
    return time.certainty == "rough", (time.to - time.from_).days


def own_day(memory: Memory) -> int:
    """Day of a record: that of its saying, else the one from which it holds, else that of its creation."""
    return day_number((memory.said_at or memory.valid_from or memory.created_at).date())


def tells_days(memory: Memory) -> bool:
    """Tells if a record tells on which days something was, apart from when it was written down.

    It has words about time, or its source dates it: a line below a dated heading. Each turn of a conversation has a
    day, which says nothing of what it tells.
    """
    if memory.times or memory.said_at is None:
        return bool(memory.times)
    return memory.session_id is None and memory.said_at.date() != memory.created_at.date()


def day_number(day: date) -> int:
    """Days since 1970."""
    return day.toordinal() - _EPOCH_DAY


def days_from_period(told: NDArray[np.int32], asked: DaySpans) -> Column:
    """Days between what records tell of and the days asked for; 0 within them; shape (n,).

    Args:
        told: first and last days of spans, shape (n, TOLD_SPANS, 2).
    """
    if not len(told):
        return np.zeros(0)
    firsts, lasts = np.array(asked, np.int64).T
    before = firsts[None, None, :] - told[:, :, 1, None]
    after = told[:, :, 0, None] - lasts[None, None, :]
    return np.asarray(np.maximum(np.maximum(before, after), 0).min(axis=(1, 2)), np.float64)


def shares_within(told: NDArray[np.int32], asked: DaySpans) -> Column:
    """Greatest share of one of a record's spans that lies in the days asked for, 0..1; shape (n,).

    Args:
        told: first and last days of spans, shape (n, TOLD_SPANS, 2).
    """
    best = np.zeros(len(told))
    for place, (first, last) in product(range(told.shape[1]), asked):
        begin, end = told[:, place, 0], told[:, place, 1]
        days = np.minimum(end, last) - np.maximum(begin, first) + 1
        np.maximum(best, np.maximum(days, 0) / np.maximum(end - begin + 1, 1), out=best)
    return best
