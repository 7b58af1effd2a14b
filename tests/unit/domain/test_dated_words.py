from __future__ import annotations

from datetime import date

import pytest

from memory_layer.domain.dated_words import dates_note, days_text, with_dates
from memory_layer.domain.resolved_time import Certainty, ResolvedTime


def time(words: str, first: date, last: date | None = None, certainty: Certainty = "exact") -> ResolvedTime:
    return ResolvedTime(words=words, from_=first, to=last or first, certainty=certainty)


YESTERDAY = time("yesterday", date(2023, 5, 7))


@pytest.mark.parametrize(
    ("resolved", "text"),
    [
        (YESTERDAY, "7 May 2023"),
        (time("last Tuesday", date(2023, 7, 18), certainty="likely"), "probably 18 Jul 2023"),
        (time("in June", date(2023, 6, 1), date(2023, 6, 30)), "Jun 2023"),
        (time("five years ago", date(2018, 1, 1), date(2018, 12, 31), "rough"), "about 2018"),
        (time("last week", date(2023, 5, 1), date(2023, 5, 7)), "1 to 7 May 2023"),
        (time("last week", date(2023, 5, 29), date(2023, 6, 4)), "29 May to 4 Jun 2023"),
        (time("last week", date(2022, 12, 26), date(2023, 1, 1)), "26 Dec 2022 to 1 Jan 2023"),
        (time("last summer", date(2023, 6, 1), date(2023, 8, 31), "rough"), "about Jun 2023 to Aug 2023"),
    ],
)
def test_days_are_written_as_people_write_them(resolved: ResolvedTime, text: str) -> None:
    assert days_text(resolved) == text


def test_the_days_stand_beside_the_words() -> None:
    assert (
        with_dates("It broke yesterday, I think.", [YESTERDAY]) == "It broke yesterday (7 May 2023), I think."
    )
    assert with_dates("yesterday\u2019s build", [YESTERDAY]) == "yesterday\u2019s (7 May 2023) build"


def test_longer_words_go_before_their_parts() -> None:
    longer = time("the day before yesterday", date(2023, 5, 6))
    text = "It broke the day before yesterday."
    assert with_dates(text, [YESTERDAY, longer]) == "It broke the day before yesterday (6 May 2023)."


def test_words_that_a_line_break_parts_are_found() -> None:
    friday = time("last Friday", date(2023, 5, 5))
    assert with_dates("Since last\nFriday", [friday]) == "Since last\nFriday (5 May 2023)"


def test_a_date_with_its_year_stays_alone_but_what_is_counted_from_it_does_not() -> None:
    absolute = time("7 May 2023", date(2023, 5, 7))
    counted = time("the day after 7 May 2023", date(2023, 5, 8))
    assert with_dates("On 7 May 2023 it broke", [absolute]) == "On 7 May 2023 it broke"
    assert dates_note([absolute]) is None
    assert dates_note([counted, YESTERDAY]) == "the day after 7 May 2023: 8 May 2023; yesterday: 7 May 2023"


def test_a_part_of_a_content_shows_the_days_of_its_own_words_alone() -> None:
    assert with_dates("All is well.", [YESTERDAY]) == "All is well."
