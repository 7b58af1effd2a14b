"""Days that records tell of, as columns, and their distance from the period that a question names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.resolved_time import ResolvedTime
from memory_layer.domain.time.calendar_spans import Span
from memory_layer.domain.time.periods import Period, named_period
from memory_layer.domain.time.resolve_times import resolve_times

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column

TOLD_SPANS: Final = 2
"""Spans kept of a record: the surest and shortest; 995 of 1,000 turns of conversations have no more."""

_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_EPOCH_YEAR: Final = 1970

DaySpans = tuple[tuple[int, int], ...]
"""First and last day of TOLD_SPANS spans, in days since 1970."""


def told_days(times: Sequence[ResolvedTime], own_day: int) -> DaySpans:
    """Spans that a record tells of: those of its words about time, else its own day.

    Args:
        own_day: of the record, in days since 1970.
    """
    if not times:
        return ((own_day, own_day),) * TOLD_SPANS
    return _filled((day_number(time.from_), day_number(time.to)) for time in sorted(times, key=_vagueness))


def _filled(found: Iterable[tuple[int, int]]) -> DaySpans:
    first, *others = found
    return (first, *others, *(first,) * TOLD_SPANS)[:TOLD_SPANS]


def _vagueness(time: ResolvedTime) -> tuple[bool, int]:
    return time.certainty == "rough", (time.to - time.from_).days


def day_number(day: date) -> int:
    """Days since 1970."""
    return day.toordinal() - _EPOCH_DAY


def asked_period(query: str, now: datetime) -> Period | Span | None:
    """Period that a question is about: a date in it, or else what `last week` means when it is asked."""
    named = named_period(query)
    if named is not None:
        return named
    found = sorted(resolve_times(query, now), key=_vagueness)
    return Span(found[0].from_, found[0].to) if found else None


def days_from_period(told: NDArray[np.int32], period: Period | Span) -> Column:
    """Days between what records tell of and a period; 0 within it; shape (n,).

    Args:
        told: first and last days of spans, shape (n, TOLD_SPANS, 2).
    """
    if not len(told):
        return np.zeros(0)
    spans = [period] if isinstance(period, Span) else [period.span(year) for year in _years(told, period)]
    firsts, lasts = (np.array([day_number(day) for day in days]) for days in zip(*spans, strict=True))
    before = firsts[None, None, :] - told[:, :, 1, None]
    after = told[:, :, 0, None] - lasts[None, None, :]
    return np.asarray(np.maximum(np.maximum(before, after), 0).min(axis=(1, 2)), np.float64)


def _years(told: NDArray[np.int32], period: Period) -> list[int]:
    """Years in which a period may be nearest: its own, or those of the records and their neighbours."""
    if period.year:
        return [period.year]
    years = told.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + _EPOCH_YEAR
    near = np.unique(years.ravel()[:, None] + np.array([-1, 0, 1]))
    return [int(year) for year in np.unique(np.clip(near, 1, date.max.year))]
