from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory_layer.domain.time.dated_headings import said_under

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
    ],
)
def test_other_headings_date_nothing(heading: str) -> None:
    """Falls where a plan, a deadline or a month is taken for the day on which its lines were said."""
    assert said_under((heading, "Added")) is None


def test_the_innermost_date_holds() -> None:
    assert said_under(("2025-01-01", "2026-02-11", "Fixed")) == DAY
