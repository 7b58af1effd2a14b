from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory_layer.domain.time.dated_headings import labelled_day, said_in_name, said_under

DAY = datetime(2026, 2, 11, tzinfo=UTC)


@pytest.mark.parametrize(
    "heading",
    [
        "[1.4.0] - 2026-02-11",
        "[1.4.0](https://git.example/compare/v1.3.0...v1.4.0) (2026-02-11)",
        "1.4.0 (2026-02-11)",
        "v2.0.0-rc.1 \u2013 February 11, 2026",
        "ledger 4.18.2 / 2026-02-11",
        "11 February 2026",
        "11. Februar 2026",
        "Mittwoch, 11.02.2026",
        "Version 3.1 vom 11.02.2026",
        "Meeting notes 2026-02-11",
        "Node.js Steering Committee (TSC) Meeting 2026-02-11",
        "2026-02-11 Vorstandssitzung des Vereins e.V.",
        "\u00d6ffentliches Protokoll der 1. Sitzung vom 11. Februar 2026",
        "Vorstandssitzung am 11.02.2026, 18:30 Uhr",
        "Platform team weekly sync \u2013 Wednesday, February 11, 2026, 10:00 UTC",
        "Retro of sprint 12 (2026-02-11)",
    ],
)
def test_a_heading_that_is_a_date_dates_what_stands_under_it(heading: str) -> None:
    assert said_under(("Changelog", heading, "Added")) == DAY


@pytest.mark.parametrize(
    "heading",
    [
        "Deadline 11 February 2026",
        "Cutover on 2026-02-11",
        "February 2026",
        "1.4.0",
        "2026-02-11 to 2026-02-13",
        "Meeting about the launch on 2026-02-11",
        "Next meeting 2026-02-11",
        "Agenda for the meeting on 2026-02-11",
        "N\u00e4chste Sitzung am 11.02.2026",
        "Outage of 2026-02-11",
        "Session timeout changed on 2026-02-11",
        "Log retention until 2026-02-11",
        "Meeting 2026-02-11 to 2026-02-13",
    ],
)
def test_other_headings_date_nothing(heading: str) -> None:
    """Falls where a plan, a deadline or a month is taken for the day on which its lines were said."""
    assert said_under((heading, "Added")) is None


def test_the_innermost_date_holds() -> None:
    assert said_under(("2025-01-01", "2026-02-11", "Fixed")) == DAY


@pytest.mark.parametrize(
    "stem", ["2026-02-11", "2026-02-11_kick-off", "2026-02-11-Vorstandssitzung", "Sitzung-2026-02-11"]
)
def test_a_file_of_a_day_is_named_by_it(stem: str) -> None:
    assert said_in_name(stem) == DAY


@pytest.mark.parametrize(
    "stem", ["CLAUDE", "roadmap-2026-02-11", "2026-02-11-deadline", "next-meeting-2026-02-11"]
)
def test_other_names_date_nothing(stem: str) -> None:
    assert said_in_name(stem) is None


@pytest.mark.parametrize(
    ("title", "text", "day"),
    [
        ("Weekly sync", "**Date:** 2026-02-11", "2026-02-11"),
        ("Protokoll: Auftakt", "Datum: 11.02.2026\nOrt: online", "2026-02-11"),
        ("Weekly sync 2026-02-10", "Date: 2026-02-11", None),
        ("Outage of the shop", "**Date**: 2026-02-11", None),
        ("Weekly sync", "Dates are written as 2026-02-11", None),
        ("Next sync", "Date: 2026-02-11", None),
    ],
)
def test_the_first_line_of_a_record_may_tell_its_day(title: str, text: str, day: str | None) -> None:
    assert labelled_day(title, text) == day
