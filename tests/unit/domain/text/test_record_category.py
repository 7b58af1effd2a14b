"""Categories of lines of minutes, of reports on incidents and of records of decisions."""

from __future__ import annotations

import pytest

from memory_layer.domain.text.line_category import category_of_line

MINUTES = "Guild Meeting 2025-03-04"


@pytest.mark.parametrize(
    ("line", "titles", "category"),
    [
        ("Ann: the ferry must not leave before noon, I think", (MINUTES, "Ferry"), "context"),
        ("Bo asked whether the ferry runs on Sundays", (MINUTES,), "context"),
        ("We agreed to paint the ferry", (MINUTES,), "decision"),
        ("Paint the ferry", (MINUTES, "Action items"), "todo"),
        ("Der Antrag wird angenommen", ("Protokoll der Sitzung vom 4. März 2025",), "decision"),
        ("The ferry sank at the pier.", ("2025-03-04, Ferry lost", "Timeline", "14:08"), "context"),
        ("Buy a second ferry", ("2025-03-04, Ferry lost", "Action items", "Process"), "todo"),
        ("The alarm was off", ("2025-03-04, Ferry lost", "What went wrong"), "gotcha"),
        ("The only pier is small", ("3. Ferry", "Context"), "context"),
        ("Boats will wait longer", ("3. Ferry", "Consequences"), "decision"),
    ],
)
def test_a_record_of_one_day_tells_and_orders_nothing(
    line: str, titles: tuple[str, ...], category: str
) -> None:
    """Falls where a title that begins with a day is taken for a release, or a speaker's `must` for an order."""
    assert category_of_line(line, titles) == category


def test_a_file_named_by_its_day_is_a_record_and_no_changelog() -> None:
    assert category_of_line("Ann: boats must wait", (), "2025-03-04.md") == "context"
    assert category_of_line("Ann: boats must wait", (), "2025-03-04-minutes.md") == "context"
    assert category_of_line("Fix a leak in the hull", ("2025-03-04",)) == "troubleshooting"


def test_a_title_of_several_kinds_is_of_its_own() -> None:
    """Falls where a word names the kind wherever it stands: a summary of the architecture is no story."""
    assert category_of_line("The hull carries two masts", ("Architecture summary",)) != "context"
