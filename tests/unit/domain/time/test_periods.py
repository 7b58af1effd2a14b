from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.time.periods import Period, named_period


@pytest.mark.parametrize(
    ("query", "period"),
    [
        ("What did we decide on 14 August 2023?", Period(2023, 8, 14)),
        ("the outage of the 3rd of May, 2024", Period(2024, 5, 3)),
        ("What broke on Sept 2nd?", Period(None, 9, 2)),
        ("releases in 2023 before 2023-11-30", Period(2023, 11, 30)),
        ("2024-02 report", Period(2024, 2)),
        ("Who was on call in March, 2024?", Period(2024, 3)),
        ("decisions of early june", Period(None, 6)),
        ("what changed in may", Period(None, 5)),
        ("incidents during 2022", Period(2022)),
        ("29 February", Period(None, 2, 29)),
    ],
)
def test_dates_are_found(query: str, period: Period) -> None:
    assert named_period(query) == period


@pytest.mark.parametrize(
    "query",
    [
        "May we delete the June index?",
        "step 3 may fail",
        "SQL Server 2019 on port 2049",
        "31 February",
        "2023-13-01",
        "what happened last week",
        "ES2020 marching order",
        "",
    ],
)
def test_what_only_looks_like_a_date_is_not(query: str) -> None:
    assert named_period(query) is None


days = st.dates(date(1900, 1, 1), date(2099, 12, 31))


@given(days)
def test_a_day_written_out_is_found(day: date) -> None:
    for written in (day.isoformat(), f"{day.day} {day:%B} {day.year}", f"{day:%b} {day.day}, {day.year}"):
        period = named_period(f"what happened on {written}?")
        assert period == Period(day.year, day.month, day.day)
        assert period.span(day.year) == (day, day)
