"""How often something happens, for how long, how many there are: values that two texts may give otherwise."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.contradiction import ComparedStatement, contradiction, may_contradict
from memory_layer.domain.conflicts.recurring_times import recurrence_at
from memory_layer.domain.conflicts.sameness import Sameness, sameness


def contradict(one: str, other: str) -> bool:
    found = contradiction(ComparedStatement(one), ComparedStatement(other), cosine=0.8)
    assert found == contradiction(ComparedStatement(other), ComparedStatement(one), cosine=0.8)
    if found is not None:
        assert may_contradict(one, other), "the first look lets pass what is flagged"
        assert may_contradict(other, one), "the first look lets pass what is flagged"
    return found is not None


@pytest.mark.parametrize(
    ("words", "hours"),
    [
        ("every night", 24),
        ("every other week", 336),
        ("each quarter", 2_184),
        ("every 90 minutes", 1.5),
        ("once a day", 24),
        ("twice per week", 84),
        ("three times a day", 8),
        ("once every two weeks", 336),
        ("einmal pro woche", 168),
        ("alle zwei stunden", 2),
    ],
)
def test_a_recurring_time_is_read_with_its_period(words: str, hours: float) -> None:
    row = words.split()
    assert recurrence_at(row, 0) == (pytest.approx(hours * 3_600), len(row))


@pytest.mark.parametrize(
    "words", ["every request", "once the job ran", "each of a week", "five times the size"]
)
def test_other_words_are_no_recurring_time(words: str) -> None:
    assert recurrence_at(words.split(), 0) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Vaccines are counted every night.", "Vaccines are counted once a week."),
        ("The ledger is audited monthly.", "The ledger is audited every two weeks."),
        ("Seals are replaced every 90 days.", "Seals are replaced once a year."),
        ("The mirror syncs every hour.", "The mirror syncs every 10 minutes."),
        ("Inventur ist einmal pro Monat.", "Inventur ist jeden Freitag."),
        ("Drills take place every Monday.", "Drills take place once a month."),
        ("The choir meets on Mondays at 9:30.", "The choir meets on Tuesdays at 14:00."),
        ("Receipts are kept forever.", "Receipts are kept for one year."),
        ("Receipts are kept indefinitely.", "We delete receipts after 30 days."),
        ("Badges expire after 90 days.", "Badges never expire."),
        ("Filters must be cleaned every 90 days.", "Filters never have to be cleaned."),
        ("A visit may last an hour.", "A visit may last three hours."),
        ("Refunds take one business day.", "Refunds take three business days."),
        ("The gate opens at 12:15am.", "The gate opens at 12:15pm."),
        ("The lease ends on May 31st.", "The lease ends on June 1st."),
        ("Samples are taken every 15 minutes and expire after 30 minutes.",
         "Samples are taken every 5 minutes and expire after 10 minutes."),
        ("There are three ways to enter the vault:", "There are four ways to enter the vault:"),
        ("Guards change at 2am daily.", "Guards change daily at 4am."),
        ("The lamp is read every 30s.", "The lamp is read every minute."),
        ("The choir meets every other Thursday.", "The choir meets every Thursday."),
        ("The tour is split in 5 parts:", "The tour is split in 3 parts:"),
        ("The shed will open on 2026/03/12.", "The shed will open on 2026/04/09."),
        ("The shed has one heater.", "The shed has two heaters."),
        ("The gate lets in 10 visitors per second.", "The gate lets in 10 visitors per minute."),
        ("The gate lets in 60 visitors an hour.", "The gate lets in 60 visitors per 20 minutes."),
        ("Guards may call 5 times per minute.", "Guards may call 5 times per 20 seconds."),
    ],
)  # fmt: skip
def test_another_time_or_count_contradicts(one: str, other: str) -> None:
    """Falls where a period, `never`, `an hour`, a day with its ordinal, or a lead that counts is not read."""
    assert contradict(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Vaccines are counted every day.", "Vaccines are counted daily."),
        ("The ledger is audited monthly.", "The ledger is audited every 30 days."),
        ("The nightly report goes to Ann.", "The weekly report goes to Ann."),
        ("The gate lets in 60 visitors per minute.", "The gate lets in 1 visitor per second."),
        ("The gate lets in 60 visitors per minute.", "The mill lets in 60 visitors per hour."),
        ("Badges expire after 90 days.", "Keys never expire."),
        ("Badges expire after 90 days.", "Badges of founders never expire."),
        ("Receipts are kept forever.", "Receipts are never deleted."),
        ("There are three ways to enter the vault:", "There are four ways to enter the attic:"),
        ("Next visit: 7 September", "Next visit: 5 October"),
        ("Visitor count: 674", "Visitor count: 655"),
        ("Renaming a tier 3 vault", "Renaming a tier 2 vault"),
        ("Return boxes that contain all of these tags.", "Return boxes that contain none of these tags."),
        ("Boxes that are not sealed are weighed.", "Boxes that are sealed are weighed."),
    ],
)
def test_what_is_the_same_or_of_another_thing_does_not(one: str, other: str) -> None:
    """Falls where an adjective is a period, a count or the next date a value, a relative clause a denial."""
    assert not contradict(one, other)


def test_told_facts_are_denied_behind_that() -> None:
    assert contradict("Note that boxes are not sealed.", "Note that boxes are sealed.")


def test_texts_of_two_periods_are_no_paraphrases() -> None:
    """Falls where units of periods tell nothing: hourly and once a day were listed as the same."""
    pair = ("Snapshots are taken hourly.", "A snapshot is taken once per day.")
    assert sameness(*pair, 0.9) is Sameness.OTHER
    assert sameness("Snapshots are taken daily.", "A snapshot is taken once per day.", 0.9) > Sameness.OTHER
