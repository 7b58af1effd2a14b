from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.resolved_time import Certainty, ResolvedTime
from memory_layer.domain.retrieval.told_days import DaySpans, day_number, days_from_period, told_days
from memory_layer.domain.time.question_dates import CalendarDate

OWN_DAY = date(2023, 5, 8)


def told(*spans: tuple[date, date]) -> list[ResolvedTime]:
    return [ResolvedTime(words="then", from_=first, to=last, certainty="exact") for first, last in spans]


def asked(first: date, last: date | None = None) -> DaySpans:
    return ((day_number(first), day_number(last or first)),)


def each_year(month: int, day: int | None = None) -> DaySpans:
    unit = CalendarDate("month" if day is None else "day", None, month, day)
    return tuple(days for year in range(1949, 2026) for days in asked(*unit.span(year)))


def distance(days: list[ResolvedTime], period: DaySpans, own: date = OWN_DAY) -> float:
    columns = np.array([told_days(days, day_number(own))], np.int32)
    return float(days_from_period(columns, period)[0])


@pytest.mark.parametrize(
    ("period", "day", "days"),
    [
        (asked(date(2023, 8, 14)), date(2023, 8, 14), 0),
        (asked(date(2023, 8, 14)), date(2023, 8, 16), 2),
        (asked(date(2023, 8, 1), date(2023, 8, 31)), date(2023, 8, 31), 0),
        (asked(date(2023, 8, 1), date(2023, 8, 31)), date(2023, 9, 1), 1),
        (asked(date(2023, 1, 1), date(2023, 12, 31)), date(2022, 12, 31), 1),
        (each_year(12), date(2024, 1, 2), 2),
        (each_year(1, 1), date(2023, 12, 31), 1),
        (each_year(2, 29), date(2023, 2, 28), 0),
    ],
)
def test_a_record_without_words_about_time_tells_of_its_own_day(
    period: DaySpans, day: date, days: int
) -> None:
    assert distance([], period, day) == days


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.integers(0, 180))
def test_distance_grows_by_the_day_in_both_directions(day: date, gap: int) -> None:
    period = asked(day)
    later, earlier = day + timedelta(gap), day - timedelta(gap)
    assert distance([], period, later) == distance([], period, earlier) == gap


def test_words_about_time_go_before_the_day_of_the_record() -> None:
    """Falls where the own day of a record with resolved times counts."""
    yesterday = told((date(2023, 5, 7), date(2023, 5, 7)))
    assert distance(yesterday, asked(date(2023, 5, 7))) == 0
    assert distance(yesterday, asked(date(2023, 5, 8))) == 1


def test_the_nearest_of_two_spans_counts_without_the_days_between_them() -> None:
    spans = told((date(2023, 1, 1), date(2023, 1, 31)), (date(2023, 7, 1), date(2023, 7, 31)))
    assert distance(spans, each_year(1)) == distance(spans, asked(date(2023, 7, 1), date(2023, 7, 31))) == 0
    assert distance(spans, asked(date(2023, 4, 1))) == 60


def test_columns_of_records_that_lie_years_apart_find_the_nearest_month_of_each() -> None:
    columns = np.array([told_days([], day_number(date(year, 5, 3))) for year in (1950, 2023)], np.int32)
    assert days_from_period(columns, each_year(5)).tolist() == [0, 0]
    assert days_from_period(columns, each_year(4)).tolist() == [3, 3]


def test_no_records_have_no_distance() -> None:
    assert days_from_period(np.zeros((0, 2, 2), np.int32), each_year(5)).shape == (0,)


def test_damaged_days_have_a_distance_still() -> None:
    columns = np.full((1, 2, 2), 2**31 - 1, np.int32)
    assert days_from_period(columns, each_year(5))[0] > 0


def time_of(first: date, last: date, certainty: Certainty = "exact") -> ResolvedTime:
    return ResolvedTime(words="then", from_=first, to=last, certainty=certainty)


DAY = time_of(date(2026, 3, 2), date(2026, 3, 2))
MONTH = time_of(date(2026, 5, 1), date(2026, 5, 31))
ABOUT = time_of(date(2026, 7, 6), date(2026, 7, 7), "rough")


def spans(*times: ResolvedTime) -> list[tuple[int, int]]:
    return [(day_number(time.from_), day_number(time.to)) for time in times]


def test_the_surest_and_shortest_words_about_time_are_kept() -> None:
    """Falls where the first words are kept, or the vaguest (`vagueness`)."""
    for times in ((ABOUT, MONTH, DAY), (DAY, MONTH, ABOUT), (MONTH, ABOUT, DAY)):
        assert list(told_days(times, 0)) == spans(DAY, MONTH)


def test_a_rough_time_comes_after_a_longer_sure_one() -> None:
    assert list(told_days((ABOUT, MONTH), 0)) == spans(MONTH, ABOUT)
