from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory_layer.domain.time.resolve_times import resolve_times

SATURDAY = datetime(2023, 3, 18, 9, tzinfo=UTC)


def days(text: str) -> list[str]:
    return [
        str(time.from_) if time.from_ == time.to else f"{time.from_} {time.to}"
        for time in resolve_times(text, SATURDAY)
    ]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("In two weeks the audit by KPMG begins.", "2023-03-29 2023-04-04"),
        ("In zwei Wochen beginnt die Pr\u00fcfung.", "2023-03-29 2023-04-04"),
        ("In three days the migration starts.", "2023-03-21"),
        ("Das Training startet in drei Tagen.", "2023-03-21"),
        ("The contract with Acme ends in a month.", "2023-04-03 2023-05-03"),
        ("The next meeting is in a fortnight.", "2023-03-29 2023-04-04"),
        ("The vote will be shut down in 10 days.", "2023-03-28"),
        ("So we should talk about it again in a few days.", "2023-03-20 2023-03-24"),
        ("Talk to you all in a couple of weeks.", "2023-03-28 2023-04-05"),
    ],
)
def test_a_length_of_time_tells_when_something_will_be(text: str, span: str) -> None:
    """Falls where it needs a person and a mark of the future."""
    assert days(text) == [span]


@pytest.mark.parametrize(
    "text",
    [
        "The token expires in 30 days.",
        "Please respond in two days.",
        "A reply is sent within two weeks.",
        "In two weeks you learn Rust.",
        "In zwei Wochen lernst du Rust.",
        "Your trial ends in 30 days.",
        "Your password will expire in 14 days.",
        "Rechnungen sind in 14 Tagen zu zahlen.",
        "They had it running in three days.",
        "The plan is in 2 week sprints.",
        "Das Gewicht ist in zwei Wochen um ein Kilo gefallen.",
    ],
)
def test_a_length_of_time_that_something_takes_has_no_day(text: str) -> None:
    """Falls without `is_ahead`, and without the words of what is so of many."""
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("By Friday Anna delivers the report.", "2023-03-24"),
        ("The report must be ready by Friday.", "2023-03-24"),
        ("Let's delay this until Thursday.", "2023-03-23"),
        ("Ab Montag gilt die neue Regel.", "2023-03-20"),
        ("Bis Freitag muss der Bericht fertig sein.", "2023-03-24"),
        ("Seit Montag ist der Dienst langsam.", "2023-03-13"),
        ("Since yesterday the build is red.", "2023-03-17"),
        ("Seit gestern klemmt das Schloss.", "2023-03-17"),
        ("Since last week the cache is off.", "2023-03-06 2023-03-12"),
    ],
)
def test_a_bound_tells_since_when_or_until_when_something_is(text: str, span: str) -> None:
    """Falls without `is_bounded` and the weekdays with a bound."""
    assert days(text) == [span]


@pytest.mark.parametrize(
    "text",
    [
        "Submit timesheets by Friday.",
        "Reports are due by Friday every week.",
        "The queue is empty by Friday if nobody files more.",
        "Support is available from Monday until Friday.",
        "Der Support ist Montag bis Freitag da.",
        "Probleme, die bis Freitag 18.10. beseitigt sind",
        "We had it done by Friday.",
    ],
)
def test_a_bound_of_a_rule_or_of_another_date_has_no_day(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("A fortnight ago we moved.", "2023-03-01 2023-03-07"),
        ("A year and a half ago we switched.", "2021-07-20 2021-11-17"),
        ("Vor anderthalb Jahren haben wir umgestellt.", "2021-07-20 2021-11-17"),
        ("Vor ein paar Tagen kam die Rechnung.", "2023-03-12 2023-03-16"),
        ("Die Abnahme ist heute in einer Woche.", "2023-03-25"),
        ("Heute in acht Tagen ist die Abnahme.", "2023-03-25"),
        ("We will meet a week from today.", "2023-03-22 2023-03-28"),
    ],
)
def test_times_are_counted_by_fortnights_halves_and_from_today(text: str, span: str) -> None:
    """Falls where `today` alone is dated."""
    assert days(text) == [span]
