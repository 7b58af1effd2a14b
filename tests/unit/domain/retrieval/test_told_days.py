from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.resolved_time import ResolvedTime
from memory_layer.domain.retrieval.asked_period import asked_period
from memory_layer.domain.retrieval.told_days import day_number, days_from_period, told_days
from memory_layer.domain.time.calendar_spans import Span
from memory_layer.domain.time.periods import Period

OWN_DAY = date(2023, 5, 8)


def told(*spans: tuple[date, date]) -> list[ResolvedTime]:
    return [ResolvedTime(words="then", from_=first, to=last, certainty="exact") for first, last in spans]


def distance(days: list[ResolvedTime], period: Period | Span, own: date = OWN_DAY) -> float:
    columns = np.array([told_days(days, day_number(own))], np.int32)
    return float(days_from_period(columns, period)[0])


@pytest.mark.parametrize(
    ("period", "day", "days"),
    [
        (Period(2023, 8, 14), date(2023, 8, 14), 0),
        (Period(2023, 8, 14), date(2023, 8, 16), 2),
        (Period(2023, 8), date(2023, 8, 31), 0),
        (Period(2023, 8), date(2023, 9, 1), 1),
        (Period(2023), date(2022, 12, 31), 1),
        (Period(None, 12), date(2024, 1, 2), 2),
        (Period(None, 1, 1), date(2023, 12, 31), 1),
        (Period(None, 2, 29), date(2023, 2, 28), 0),
    ],
)
def test_a_record_without_words_about_time_tells_of_its_own_day(period: Period, day: date, days: int) -> None:
    assert distance([], period, day) == days


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.integers(0, 180))
def test_distance_grows_by_the_day_in_both_directions(day: date, gap: int) -> None:
    period = Period(day.year, day.month, day.day)
    later, earlier = day + timedelta(gap), day - timedelta(gap)
    assert distance([], period, later) == distance([], period, earlier) == gap


def test_words_about_time_go_before_the_day_of_the_record() -> None:
    """Falls where the own day of a record with resolved times counts."""
    yesterday = told((date(2023, 5, 7), date(2023, 5, 7)))
    assert distance(yesterday, Period(2023, 5, 7)) == 0
    assert distance(yesterday, Period(2023, 5, 8)) == 1


def test_the_nearest_of_two_spans_counts_without_the_days_between_them() -> None:
    spans = told((date(2023, 1, 1), date(2023, 1, 31)), (date(2023, 7, 1), date(2023, 7, 31)))
    assert distance(spans, Period(None, 1)) == distance(spans, Period(2023, 7)) == 0
    assert distance(spans, Period(2023, 4, 1)) == 60


def test_columns_of_records_that_lie_years_apart_find_the_nearest_month_of_each() -> None:
    columns = np.array([told_days([], day_number(date(year, 5, 3))) for year in (1950, 2023)], np.int32)
    assert days_from_period(columns, Period(None, 5)).tolist() == [0, 0]
    assert days_from_period(columns, Period(None, 4)).tolist() == [3, 3]


def test_no_records_have_no_distance() -> None:
    assert days_from_period(np.zeros((0, 2, 2), np.int32), Period(None, 5)).shape == (0,)


def test_damaged_days_have_a_distance_still() -> None:
    columns = np.full((1, 2, 2), 2**31 - 1, np.int32)
    assert days_from_period(columns, Period(None, 5))[0] > 0


@pytest.mark.parametrize(
    ("query", "period"),
    [
        ("what did we do last week", Span(date(2023, 5, 1), date(2023, 5, 7))),
        ("What broke yesterday?", Span(date(2023, 5, 7), date(2023, 5, 7))),
        ("what happened on 3 April 2021", Period(2021, 4, 3)),
        ("how do we deploy", None),
    ],
)
def test_a_question_names_a_period_by_its_date_or_by_the_day_of_asking(
    query: str, period: Period | Span | None
) -> None:
    assert asked_period(query, datetime(2023, 5, 8, 13, tzinfo=UTC)) == period
