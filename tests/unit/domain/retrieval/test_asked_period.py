from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.retrieval.asked_period import WEIGHT_MAX, AskedPeriod, period_in
from memory_layer.domain.retrieval.told_days import day_number, own_day, shares_within, tells_days
from memory_layer.domain.time.resolve_times import with_times
from tests.given import START, a_memory, new_scope

NOW = datetime(2026, 11, 24, 9, tzinfo=UTC)


def asked(query: str) -> AskedPeriod:
    period = period_in(query, NOW)
    assert period is not None
    return period


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("Was geschah letzte Woche?", date(2026, 11, 16), date(2026, 11, 22)),
        ("Was passierte am 22. November 2023?", date(2023, 11, 22), date(2023, 11, 22)),
        ("letzten Monat", date(2026, 10, 1), date(2026, 10, 31)),
        ("What did we decide yesterday?", date(2026, 11, 23), date(2026, 11, 23)),
    ],
)
def test_the_days_that_a_question_names(query: str, first: date, last: date) -> None:
    assert asked(query).days == ((day_number(first), day_number(last)),)


def test_a_day_without_a_year_is_asked_of_every_year_about_the_question() -> None:
    spans = asked("What happened on 22 November?").days
    assert (day_number(date(2026, 11, 22)),) * 2 in spans
    assert (day_number(date(2020, 11, 22)),) * 2 in spans


def test_a_question_about_nothing_but_a_period_leaves_room_for_the_nearer_record() -> None:
    whole, partly = asked("What happened on 22 November?"), asked("Who reviewed the ledger on 22 November?")
    assert whole.is_whole
    assert not partly.is_whole
    assert partly.weight < whole.weight == WEIGHT_MAX


@pytest.mark.parametrize(
    ("bound", "is_before"),
    [("before", True), ("bis", True), ("after", False), ("nach dem", False), ("since", False)],
)
def test_a_bound_asks_for_the_days_on_its_side(bound: str, is_before: bool) -> None:
    """Falls where what happened on a day is held for what happened before it."""
    found = asked(f"What was decided {bound} 3 March 2026?")
    ((first, last),) = found.days
    day = day_number(date(2026, 3, 3))
    assert found.weight > 0.0
    assert (first < day - 1000 and last <= day) if is_before else (first >= day and last > day + 200)


def test_a_day_in_words_goes_before_that_of_the_source() -> None:
    """Falls where the day that a source gives a record counts as much as one that its words tell."""
    none, some = np.array([False]), np.array([True])
    period = asked("What happened on 3 May 2026?")
    assert period.credits(none, none)[0] == 0.0
    assert period.credits(none, some)[0] < 0.0
    assert period.credits(some, none)[0] < period.weight + period.credits(none, some)[0]


def test_the_longer_the_period_the_surer_a_record_of_it_tells_of_it() -> None:
    weights = [
        asked(f"What happened {when}?").own_day_weight for when in ("on 3 May 2026", "in May 2026", "in 2026")
    ]
    assert weights == sorted(weights)
    assert weights[0] < 0.2 * WEIGHT_MAX


@given(st.integers(0, 400), st.integers(0, 400), st.integers(0, 400), st.integers(0, 400))
def test_the_share_of_told_days_that_are_asked_for(
    start: int, length: int, asked_from: int, asked_days: int
) -> None:
    told = np.array([[(start, start + length)] * 2], np.int32)
    days = set(range(start, start + length + 1))
    common = days & set(range(asked_from, asked_from + asked_days + 1))
    share = shares_within(told, ((asked_from, asked_from + asked_days),))[0]
    assert share == pytest.approx(len(common) / len(days))


def test_a_record_tells_of_days_by_its_words_or_by_its_source() -> None:
    """Falls where the day of writing, or that of a turn of a conversation, is one that the record tells of."""
    plain, earlier = a_memory(new_scope()), START - timedelta(40)
    assert not tells_days(plain)
    assert not tells_days(a_memory(new_scope(), said_at=START))
    assert not tells_days(a_memory(new_scope(), said_at=earlier, session_id="s1", position=0))
    assert tells_days(a_memory(new_scope(), said_at=earlier))
    assert own_day(a_memory(new_scope(), said_at=earlier)) == day_number(earlier.date())
    assert tells_days(
        with_times(a_memory(new_scope(), content="We moved the ledger yesterday.", said_at=START))
    )


@pytest.mark.parametrize(
    "query",
    [
        "what is planned for December",
        "plans for December",
        "what's coming up next week",
        "what is due in December?",
        "Was war 2025?",
        "Was geschah 2025?",
        "Was steht im Dezember an?",
        "Was ist f\u00fcr Dezember geplant?",
    ],
)
def test_a_question_for_whatever_was_or_is_planned_in_a_period_has_no_other_subject(query: str) -> None:
    """Falls where `planned` is a subject, and where a year needs a preposition."""
    assert asked(query).is_whole


@pytest.mark.parametrize(
    "query", ["Was war SQL Server 2019?", "what may come up?", "December", "what is March?"]
)
def test_a_date_that_no_preposition_marks_is_no_period_beside_a_subject(query: str) -> None:
    assert period_in(query, NOW) is None


def test_words_of_plans_are_a_subject_beside_another() -> None:
    assert not asked("what is planned for the audit in December").is_whole
