from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.resolved_time import TIMES_MAX
from memory_layer.domain.time.resolve_times import (
    resolve_times,
    said_at_of_change,
    said_at_of_correction,
    with_times,
)
from tests.unit.domain.plain_memories import plain_memory

MONDAY = datetime(2023, 5, 8, 13, tzinfo=UTC)
THURSDAY = datetime(2023, 7, 20, 9, tzinfo=UTC)


def meant(text: str, said_at: datetime | None = MONDAY) -> list[tuple[str, str, str]]:
    """Words, days and certainty; of one day the day alone."""
    return [
        (
            time.words,
            str(time.from_) if time.from_ == time.to else f"{time.from_} {time.to}",
            time.certainty,
        )
        for time in resolve_times(text, said_at)
    ]


GERMAN_MONTHS = (
    *("Januar", "Februar", "M\u00e4rz", "April", "Mai", "Juni"),
    *("Juli", "August", "September", "Oktober", "November", "Dezember"),
)


@pytest.mark.parametrize(("number", "month"), [*enumerate(GERMAN_MONTHS, 1), (1, "J\u00e4nner")])
def test_each_german_month_is_itself(number: int, month: str) -> None:
    """Falls where a month is known by a beginning that it shares: June and July were Januaries."""
    assert meant(f"am 3. {month} 2021", None) == [(f"3. {month} 2021", f"2021-{number:02}-03", "exact")]
    (found,) = resolve_times(f"Wir haben am 3. {month} umgestellt", MONDAY)
    assert (found.from_.month, found.from_.day) == (number, 3)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Treffen der Gruppe im Juli angesetzt", "2023-07-01 2023-07-31"),
        ("the paper is probably being published in October", "2023-10-01 2023-10-31"),
        ("Mara was away until end of October", None),
        ("The date was pushed out, now the last one listed is 19th of July", None),
        ("We confirmed the summit on the 3rd and 4th of April 2024", "2024-04-04"),
        ("Mara is thinking of a summit in April before the fair", "2024-04-01 2024-04-30"),
        ("Das wurde im Juli-Protokoll erw\u00e4hnt", None),
    ],
)
def test_what_is_set_is_ahead_and_what_ends_an_absence_is_open(text: str, days: str | None) -> None:
    assert [found[1] for found in meant(text)] == ([] if days is None else [days])


@pytest.mark.parametrize(
    ("text", "words", "days", "certainty"),
    [
        ("We deployed yesterday.", "yesterday", "2023-05-07", "exact"),
        ("Yesterday evening the disk filled up", "Yesterday evening", "2023-05-07", "exact"),
        ("the day before yesterday it failed", "the day before yesterday", "2023-05-06", "exact"),
        ("Last night's run was green", "Last night", "2023-05-07", "exact"),
        ("Two days ago we cut the release", "Two days ago", "2023-05-06", "exact"),
        ("it broke about two days ago", "about two days ago", "2023-05-06", "rough"),
        ("She joined two weeks ago", "two weeks ago", "2023-04-21 2023-04-27", "rough"),
        ("We moved here three years ago", "three years ago", "2020-01-01 2020-12-31", "rough"),
        ("I met him last Friday", "last Friday", "2023-05-05", "exact"),
        ("we met last week on Tuesday", "last week on Tuesday", "2023-05-02", "exact"),
        ("the audit is next week", "next week", "2023-05-15 2023-05-21", "exact"),
        ("last month costs doubled", "last month", "2023-04-01 2023-04-30", "exact"),
        ("last quarter costs doubled", "last quarter", "2023-01-01 2023-03-31", "likely"),
        (
            "im letzten Quartal haben wir drei Kunden verloren",
            "letzten Quartal",
            "2023-01-01 2023-03-31",
            "likely",
        ),
        ("Ende letzten Jahres haben wir umgestellt", "letzten Jahres", "2022-01-01 2022-12-31", "exact"),
        ("Last year we had two outages", "Last year", "2022-01-01 2022-12-31", "exact"),
        ("last weekend I hiked", "last weekend", "2023-05-06 2023-05-07", "exact"),
        ("two weekends ago I hiked", "two weekends ago", "2023-04-29 2023-04-30", "exact"),
        ("On Friday we shipped it", "On Friday", "2023-05-05", "exact"),
        ("I'm flying on Friday", "on Friday", "2023-05-12", "exact"),
        ("We migrated in March", "in March", "2023-03-01 2023-03-31", "exact"),
        ("We moved in September", "in September", "2022-09-01 2022-09-30", "exact"),
        ("We will migrate in March", "in March", "2024-03-01 2024-03-31", "exact"),
        ("I met the team on the 3rd, at noon", "on the 3rd", "2023-05-03", "exact"),
        ("We released on April 2nd", "April 2nd", "2023-04-02", "exact"),
        ("I'm leaving in two days", "in two days", "2023-05-10", "exact"),
        (
            "the week before 9 June 2023 was calm",
            "the week before 9 June 2023",
            "2023-06-02 2023-06-08",
            "exact",
        ),
        ("the Friday before 22 October 2023", "the Friday before 22 October 2023", "2023-10-20", "exact"),
        ("Wir haben vorgestern deployt", "vorgestern", "2023-05-06", "exact"),
        ("letzten Freitag war das Release", "letzten Freitag", "2023-05-05", "exact"),
        ("Das war vor zwei Wochen und ist gelöst", "vor zwei Wochen", "2023-04-21 2023-04-27", "rough"),
        ("Im März wurde die Datenbank umgezogen", "Im März", "2023-03-01 2023-03-31", "exact"),
        ("Am 3. wurde das Zertifikat erneuert und am Abend geprüft", "Am 3.", "2023-05-03", "exact"),
        ("Wir treffen uns nächste Woche mit dem Team", "nächste Woche", "2023-05-15 2023-05-21", "exact"),
        ("Am Freitag haben wir das Release gebaut", "Am Freitag", "2023-05-05", "exact"),
        ("Die Prüfung war letztes Wochenende", "letztes Wochenende", "2023-05-06 2023-05-07", "exact"),
    ],
)
def test_words_are_resolved_against_the_day_of_saying(
    text: str, words: str, days: str, certainty: str
) -> None:
    assert meant(text) == [(words, days, certainty)]


def test_what_has_two_readings_is_not_told_as_sure() -> None:
    assert meant("we met last Tuesday", THURSDAY) == [("last Tuesday", "2023-07-18", "likely")]
    assert meant("we meet next Friday", THURSDAY) == [("next Friday", "2023-07-21 2023-07-28", "rough")]


def test_on_a_sunday_last_week_covers_both_ways_to_count_weeks() -> None:
    sunday = datetime(2023, 7, 16, 9, tzinfo=UTC)
    assert meant("last week we moved", sunday) == [("last week", "2023-07-03 2023-07-15", "rough")]


@pytest.mark.parametrize(
    "text",
    [
        "We deployed yesterday, and again last week.",
        "Gestern lief der Test, und vor zwei Wochen auch.",
        "On Friday we shipped it, in May and on April 2nd",
    ],
)
def test_nothing_is_guessed_where_the_time_of_saying_is_unknown(text: str) -> None:
    """Falls where a resolver takes another day in its place."""
    assert resolve_times(text, None) == ()


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("released on 2023-05-07", "2023-05-07"),
        ("The 7th of May 2023 was a Sunday", "2023-05-07"),
        ("since May 7, 2023", "2023-05-07"),
        ("am 7. Mai 2023 um acht", "2023-05-07"),
        ("Stand 07.05.2023", "2023-05-07"),
        ("It was in May 2023", "2023-05-01 2023-05-31"),
        ("im Oktober 2023", "2023-10-01 2023-10-31"),
        ("It was founded in 2019.", "2019-01-01 2019-12-31"),
    ],
)
def test_dates_with_their_year_need_no_time_of_saying(text: str, days: str) -> None:
    assert [found[1] for found in meant(text, None)] == [days]


@pytest.mark.parametrize(
    "text",
    [
        "Step 3 may fail, and the second one too; march on in the sun",
        "The token expires in 30 days and sessions in 2 weeks",
        "Retry in 2 minutes",
        "Never deploy on Friday; always merge on Monday morning",
        "Backups run every Friday night",
        "The Spring release needs Java 17",
        "Files older than 7 days are removed, over 3 weeks ago or not",
        "day-one support, Sun RPC, Mon-Fri, May Smith, SQL Server 2019",
        "Use `yesterday` and `last week` as arguments of `--since`",
        'The song "Yesterday" plays',
        "it feels like yesterday",
        "the useless 'today' variable",
        "it is at least one year from now",
        "the last week of the sprint, the next month",
        "Version 3.14.2 replaces 2023.5.1 and 1.2-2023",
        "on the 2nd attempt, on the 3rd line",
        "It failed on Sun with cc, and on Mon and Tue runners",
        "October's last Friday was a holiday",
        "drwxr-xr-x 20 root root 1024 Jun 17 21:50 was left",
        "> I noticed today that it broke yesterday",
        "It was 2001 when it broke on January 25",
        "Guten Morgen, der Server ist jeden Freitag frei und am Morgen auch",
        "My birthday is on March 16",
        "In der Regel wird freitags nicht deployt",
    ],
)
def test_words_that_only_look_like_times_are_left_alone(text: str) -> None:
    assert meant(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Use yesterday's dump if today's is missing.",
        "If the invoice was paid yesterday, skip the reminder.",
        "Compare the totals with last month's before you sign.",
        "A key issued yesterday is refused.",
        "Parcels sent last week can still be traced.",
        "Drivers who signed in today are counted once.",
        "Tickets that were closed three days ago are archived.",
        "Never rerun imports that failed last week.",
        "Every Friday we go through what broke last week.",
        "The default range is last week.",
        "The chart compares today with yesterday.",
        "The job deletes files from last month.",
        "Tomorrow's runs are planned at midnight.",
        "Most phones today have two cameras.",
        "Wenn gestern keine Sicherung lief, Alarm geben.",
        "Wer gestern bestellt hat, bekommt heute eine Mail.",
        "Aufträge, die vor drei Tagen angelegt wurden, verfallen.",
        "Belege vom letzten Monat dürfen nicht geändert werden.",
        "Jeden Montag besprechen wir, was letzte Woche schiefging.",
        "Am Freitag wird nicht geliefert.",
        "Am Dienstag wird geputzt.",
        "Im Dezember ist der Laden geschlossen.",
        "Gestern angelegte Konten werden gel\u00f6scht.",
        "Backups are made on Sunday.",
        "Last year's invoices are kept for ten years.",
    ],
)
def test_rules_habits_conditions_and_instructions_have_no_day(text: str) -> None:
    """Falls where every yesterday is an event."""
    assert meant(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The login page was changed today at noon.", "today"),
        ("The clerk who called yesterday was kind.", "yesterday"),
        ("I should have asked them last week.", "last week"),
        ("The file we uploaded yesterday is broken.", "yesterday"),
        ("Tomorrow Ines presents the plan.", "Tomorrow"),
        ("Release 3.2 shipped last Friday.", "last Friday"),
        ("Gestern meldete ein Kunde den Fehler.", "Gestern"),
        ("Letzte Woche haben wir den Vertrag verlängert.", "Letzte Woche"),
        ("Am Montag haben wir den Cache umgebaut.", "Am Montag"),
        ("Anfang März fiel die Wahl.", "Anfang März"),
    ],
)
def test_what_happened_or_is_planned_once_has_its_day(text: str, words: str) -> None:
    """Falls where the marks of a rule outweigh what somebody tells."""
    assert [found[0] for found in meant(text, THURSDAY)] == [words]


def test_quoted_words_and_line_ends_do_not_hide_others() -> None:
    assert meant("`git log --since=yesterday` shows what we did last\nFriday") == [
        ("last Friday", "2023-05-05", "exact")
    ]


@given(st.text(max_size=200), st.datetimes(timezones=st.just(UTC)))
def test_any_text_at_any_time_has_times_in_their_order(text: str, said_at: datetime) -> None:
    assert all(time.from_ <= time.to for time in resolve_times(text, said_at))


@pytest.mark.parametrize(
    "words", ["yesterday", "next year", "300 days ago", "last month", "in May we went", "last summer"]
)
@pytest.mark.parametrize("day", [date.min, date.max])
def test_a_day_beyond_the_calendar_is_none(words: str, day: date) -> None:
    """Falls without the handling of days that the calendar does not have."""
    said_at = datetime(day.year, day.month, day.day, tzinfo=UTC)
    assert all(time.from_ <= time.to for time in resolve_times(words, said_at))


def test_a_text_full_of_times_keeps_the_first() -> None:
    text = " ".join(f"2023-05-{day:02}" for day in range(1, 29))
    assert [time.words for time in resolve_times(text, None)] == [
        f"2023-05-{d:02}" for d in range(1, TIMES_MAX + 1)
    ]


def test_a_correction_keeps_the_time_of_the_words_that_it_keeps() -> None:
    """Falls where every change counts as said now: a spelling mended today moves no yesterday."""
    told = with_times(plain_memory("m", "We deploied yesterday.", said_at=MONDAY))
    assert said_at_of_change(told, "We deployed yesterday.", THURSDAY) == MONDAY
    assert said_at_of_change(told, "We deploied!", THURSDAY) == MONDAY
    assert said_at_of_change(told, "We deployed last week.", THURSDAY) == THURSDAY
    assert said_at_of_change(told, "We deployed yesterday and last week.", THURSDAY) is None


def test_new_words_without_a_time_are_said_now() -> None:
    """Falls where words about time alone are looked at: what was written today was shown as said last year."""
    told = with_times(plain_memory("m", "The deploy window is Monday.", said_at=MONDAY))
    assert said_at_of_change(told, "The deploy window is now Tuesday.", THURSDAY) == THURSDAY
    assert said_at_of_change(told, "The deploy window is Monday!", THURSDAY) == MONDAY
    unknown = replace(told, said_at=None)
    assert said_at_of_change(unknown, "The deploy window is now Tuesday.", THURSDAY) is None


def test_a_correction_of_its_own_is_said_when_it_is_made() -> None:
    told = with_times(plain_memory("m", "We deployed yesterday.", said_at=MONDAY))
    assert said_at_of_correction(told, "We deployed.", THURSDAY) == THURSDAY
    assert said_at_of_correction(told, "We deployed by hand yesterday.", THURSDAY) == MONDAY


@pytest.mark.parametrize(
    ("fact", "habit"),
    [
        (
            "We deployed on Friday and moved the release.",
            "We always deployed on Friday and moved the release.",
        ),
        ("They deployed on Sunday.", "They should have deployed on Sunday."),
        ("The backup failed on Tuesday.", "The backup sometimes failed on Tuesday."),
        ("Wir haben am Freitag ausgeliefert.", "Wir haben meistens am Freitag ausgeliefert."),
    ],
)
def test_a_rule_or_a_mere_possibility_has_no_day(fact: str, habit: str) -> None:
    """Falls where a weekday is given a date by the tense alone, whatever the clause speaks of (`_HABIT`)."""
    assert len(meant(fact)) == 1
    assert meant(habit) == []


@pytest.mark.parametrize(
    ("text", "words", "days", "certainty"),
    [
        ("Continuing the audit next week", "next week", "2023-07-24 2023-07-30", "exact"),
        ("Kickoff call tomorrow", "tomorrow", "2023-07-21", "exact"),
        ("Umzug des Servers n\u00e4chste Woche", "n\u00e4chste Woche", "2023-07-24 2023-07-30", "exact"),
        ("Sommerfest im August", "im August", "2023-08-01 2023-08-31", "likely"),
    ],
)
def test_a_note_without_a_verb_is_of_the_day_that_it_names(
    text: str, words: str, days: str, certainty: str
) -> None:
    """Falls without `is_note`."""
    assert meant(text, THURSDAY) == [(words, days, certainty)]


@pytest.mark.parametrize(
    "text",
    [
        "No deployments next week",
        "Only fixes this week or next",
        "Freigabe am Mittwoch",
        "Invoices from last month",
        "Inventur im Juni",
        "Reviewing all tickets tomorrow",
        "Was geschah letzte Woche?",
        "Uptime > 99 % last week",
    ],
)
def test_a_note_of_a_rule_of_many_or_of_either_year_has_no_day(text: str) -> None:
    """Falls without `_OF_RULES` or `_OF_MANY`."""
    assert meant(text, THURSDAY) == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("The report should be ready tomorrow", "2023-07-21"),
        ("So this can go live next Tuesday", "2023-07-25"),
        ("Das muss n\u00e4chste Woche fertig werden", "2023-07-24 2023-07-30"),
        ("Die Leitung soll im September fertig sein", "2023-09-01 2023-09-30"),
        ("Reports should list what was closed this week", None),
        ("A client that connects today should reconnect tomorrow", None),
        ("You can only order today", None),
        ("I don't think we need to decide on this today", None),
    ],
)
def test_what_is_to_be_once_has_its_day_and_a_rule_has_none(text: str, days: str | None) -> None:
    """Falls where every modal verb makes a rule, and where none does."""
    assert [found[1] for found in meant(text, THURSDAY)] == ([] if days is None else [days])


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Review: Friday, Jan 12th", "2024-01-12"),
        ("Abgabe Mittwoch, 18.10. 12 Uhr", "2023-10-18"),
        ("Treffen am Do, 5. Oktober", "2023-10-05"),
        ("Treffen am Sonnabend, 7. Oktober", "2023-10-07"),
        ("Open until Friday, Feb 15th", None),
        ("We will meet on Sat. March 3", None),
        ("Wir haben uns am Freitag, den 15. Februar getroffen", None),
        ("Review: Monday, Mar 4th", None),
    ],
)
def test_a_weekday_beside_a_date_tells_its_year(text: str, days: str | None) -> None:
    """Falls where the tense alone tells the year, and where the year may be far away (`_FARTHEST_DAYS`)."""
    assert [found[1] for found in meant(text, THURSDAY)] == ([] if days is None else [days])


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Wir haben im Herbst umgestellt", "2022-09-01 2022-11-30"),
        ("Im Herbst wird es einen Stand geben", "2023-09-01 2023-11-30"),
        ("We shipped it in the spring", "2023-03-01 2023-05-31"),
        ("Later this fall we will merge it", "2023-09-01 2023-11-30"),
        ("We would rather see this fall back to the old one", None),
        ("Vorletztes Jahr war der Umzug", "2021-01-01 2021-12-31"),
        (
            "Sie hat uns gebeten, das zu pr\u00fcfen; wir treffen uns n\u00e4chstes Wochenende",
            "2023-07-22 2023-07-30",
        ),
        ("Die Wartung ist in der n\u00e4chsten Woche", "2023-07-24 2023-07-30"),
    ],
)
def test_seasons_and_second_units_are_resolved(text: str, days: str | None) -> None:
    assert [found[1] for found in meant(text, THURSDAY)] == ([] if days is None else [days])


def test_a_season_that_ends_is_not_the_one_to_come() -> None:
    """Falls where a season is to come until its last day."""
    planned = "Wir wollen das im Herbst planen"
    assert meant(planned, datetime(2023, 10, 31, tzinfo=UTC)) == [
        ("im Herbst", "2023-09-01 2023-11-30", "rough")
    ]
    assert meant(planned, datetime(2023, 11, 30, tzinfo=UTC)) == []


def test_what_is_looked_at_is_bounded() -> None:
    """Falls where a sentence without an end is read whole (`NEAR_CHARS`), for however many words (`_PLACES_MAX`)."""
    assert [found[0] for found in meant(f"whenever {'or so ' * 80}we deployed yesterday")] == ["yesterday"]
    assert [found[0] for found in meant(f"{'We met last week. ' * 200}We deployed yesterday.")] == [
        "last week"
    ]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("She asked us to vote on Friday", None),
        ("Ana will be away (long planned and approved) in August", "2023-08-01 2023-08-31"),
        ("Er kommt am Freitag, er hat es zugesagt", None),
    ],
)
def test_a_verb_of_another_clause_tells_no_direction(text: str, days: str | None) -> None:
    """Falls where the nearest verb counts, in brackets or in what was asked of somebody."""
    assert [found[1] for found in meant(text, THURSDAY)] == ([] if days is None else [days])
