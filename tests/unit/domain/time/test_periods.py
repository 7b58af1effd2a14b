from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.time.periods import named_period

DAY = date(2026, 11, 24)
BEGIN, END = "0001-01-01", "9999-12-31"


def spans(query: str) -> list[tuple[str, str]]:
    found = named_period(query, DAY)
    return [] if found is None else [(str(span.first), str(span.last)) for span in found.spans]


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("What did we decide on 14 August 2023?", "2023-08-14", "2023-08-14"),
        ("the outage of the 3rd of May, 2024", "2024-05-03", "2024-05-03"),
        ("2024-02 report", "2024-02-01", "2024-02-29"),
        ("Who was on call in March, 2024?", "2024-03-01", "2024-03-31"),
        ("incidents during 2022", "2022-01-01", "2022-12-31"),
        ("Was passierte am 3.4.2025?", "2025-04-03", "2025-04-03"),
        ("releases in 2023 before 2023-11-30", "2023-01-01", "2023-11-29"),
        ("What changed between 2 and 9 April 2024?", "2024-04-02", "2024-04-09"),
        ("between 12 and 14 March 2026", "2026-03-12", "2026-03-14"),
        ("the week before 16 November 2023", "2023-11-09", "2023-11-15"),
        ("on the Sunday before October 25, 2022", "2022-10-23", "2022-10-23"),
        ("two weeks before August 11, 2023", "2023-07-28", "2023-07-28"),
        ("from January to March 2023", "2023-01-01", "2023-03-31"),
        ("from May 3 to 7, 2023", "2023-05-03", "2023-05-07"),
        ("3-7 May 2023", "2023-05-03", "2023-05-07"),
        ("between June 2021 and October 2022", "2021-06-01", "2022-10-31"),
        ("between 2021 and 2022", "2021-01-01", "2022-12-31"),
        ("zwischen dem 3. und 7. Mai 2025", "2025-05-03", "2025-05-07"),
        ("vom 30. April bis zum 2. Mai 2025", "2025-04-30", "2025-05-02"),
        ("since 1 September 2025", "2025-09-01", "2026-11-24"),
        ("Was wurde seit M\u00e4rz gebaut?", "2026-03-01", "2026-11-24"),
        ("from May 2026 on", "2026-05-01", END),
        ("until June 2025", BEGIN, "2025-06-30"),
        ("bis Ende Juni 2025", BEGIN, "2025-06-30"),
        ("before 15 December 2025", BEGIN, "2025-12-14"),
        ("after 15 December 2025", "2025-12-16", END),
        ("before last week", BEGIN, "2026-11-15"),
        ("Q3 2023", "2023-07-01", "2023-09-30"),
        ("2023-Q4", "2023-10-01", "2023-12-31"),
        ("the last quarter of 2022", "2022-10-01", "2022-12-31"),
        ("summer 2023", "2023-06-01", "2023-08-31"),
        ("Herbst 2025", "2025-09-01", "2025-11-30"),
        ("the first half of 2024", "2024-01-01", "2024-06-30"),
        ("im zweiten Halbjahr 2025", "2025-07-01", "2025-12-31"),
        ("the second half of May 2024", "2024-05-16", "2024-05-31"),
        ("early May 2024", "2024-05-01", "2024-05-10"),
        ("mid May 2024", "2024-05-11", "2024-05-20"),
        ("late May 2024", "2024-05-21", "2024-05-31"),
        ("at the end of 2025", "2025-09-01", "2025-12-31"),
        ("in the second week of March 2026", "2026-03-08", "2026-03-14"),
        ("KW 12 2026", "2026-03-16", "2026-03-22"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("last quarter", "2026-07-01", "2026-09-30"),
        ("letztes Quartal", "2026-07-01", "2026-09-30"),
        ("in the past two weeks", "2026-11-10", "2026-11-24"),
        ("in den letzten drei Monaten", "2026-08-24", "2026-11-24"),
        ("what did we do last week", "2026-11-16", "2026-11-22"),
    ],
)
def test_a_period_has_its_days(query: str, first: str, last: str) -> None:
    assert spans(query) == [(first, last)]


@pytest.mark.parametrize(
    ("query", "span"),
    [
        ("What broke on Sept 2nd?", ("2024-09-02", "2024-09-02")),
        ("what changed in may", ("2024-05-01", "2024-05-31")),
        ("decisions of early june", ("2024-06-01", "2024-06-10")),
        ("Was war im Herbst?", ("2024-09-01", "2024-11-30")),
        ("in Q1", ("2024-01-01", "2024-03-31")),
        ("29 February", ("2024-02-29", "2024-02-29")),
        ("from November to January", ("2024-11-01", "2025-01-31")),
        ("zwischen dem 3. und 7. Mai", ("2024-05-03", "2024-05-07")),
    ],
)
def test_a_period_without_a_year_is_that_of_every_year_about_the_question(
    query: str, span: tuple[str, str]
) -> None:
    found = spans(query)
    assert span in found
    assert len(found) > 10


@pytest.mark.parametrize(
    "query",
    [
        "May we delete the June index?",
        "step 3 may fail",
        "SQL Server 2019 on port 2049",
        "31 February",
        "2023-13-01",
        "ES2020 marching order",
        "What was decided before the release?",
        "rename 2 columns and 10 rows from 3 to 7",
        "forward from 80 to 8080",
        "How does Spring Boot fall back?",
        "",
    ],
)
def test_what_only_looks_like_a_period_is_none(query: str) -> None:
    assert spans(query) == []


days = st.dates(date(1900, 1, 1), date(2099, 12, 31))


@given(days)
def test_a_day_written_out_is_found(day: date) -> None:
    for written in (day.isoformat(), f"{day.day} {day:%B} {day.year}", f"{day:%b} {day.day}, {day.year}"):
        assert spans(f"what happened on {written}?") == [(str(day), str(day))]


@given(days, days)
def test_two_days_have_those_between_them(one: date, other: date) -> None:
    first, last = sorted((one, other))
    asked = f"what happened between {first.day} {first:%B} {first.year} and {last.day} {last:%B} {last.year}?"
    assert spans(asked) == [(str(first), str(last))]


@given(st.text(max_size=80), st.dates())
def test_any_question_on_any_day_has_spans_in_order(query: str, day: date) -> None:
    found = named_period(f"{query} since last week in Q3", day)
    assert found is None or all(span.first <= span.last for span in found.spans)
