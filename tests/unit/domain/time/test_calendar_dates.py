from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.time import calendar_dates

PARTS = (
    *(
        "2024-05-17",
        "7 May 2023",
        "31st of September., 2024",
        "im Jahr 2020",
        "in 2019.",
        "since 2021",
        "12.03.2026",
    ),
    *(
        "3. Mai 2026",
        "199920",
        "2020.12.2021",
        "Sept",
        "May 2021",
        "Jan. 5, 2024",
        "x2019y",
        "20",
        "19",
        "word",
        "4",
    ),
    *(" ", " ", "-", ". ", ", ", "T10", "\n"),
)


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_dates_are_those_that_the_pattern_finds_anywhere(text: str) -> None:
    """Safeguard: the number of letters before a year; with fewer the longest dates are missed."""
    found = [match.span() for match in calendar_dates._dates(text)]
    assert found == [match.span() for match in calendar_dates._DATES.finditer(text)]


def test_longest_date() -> None:
    text = "It broke on the 31st of December., 2024"
    assert [match[0] for match in calendar_dates._dates(text)] == ["31st of December., 2024"]
