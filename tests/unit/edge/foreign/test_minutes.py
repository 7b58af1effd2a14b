"""Minutes of meetings: when their lines were said, and lists whose first line turns their sense."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory_layer.edge.foreign.markdown import read_markdown

DAY = datetime(2026, 2, 11, tzinfo=UTC)

MINUTES = "# {title}\n\n{opening}\n\n## Notes\n\nThe release was built yesterday.\n"


def said_at(title: str, *, opening: str = "All were there.", name: str | None = None) -> datetime | None:
    found = read_markdown(MINUTES.format(title=title, opening=opening), name)
    said: datetime | None = found.memories[-1].fields.get("said_at")
    return said


@pytest.mark.parametrize(
    ("title", "opening", "name"),
    [
        ("Steering Committee Meeting 2026-02-11", "All were there.", None),
        ("Weekly sync", "**Date:** 2026-02-11  \n**Place:** online", None),
        ("Protokoll: Auftakt", "**Datum:** 11.02.2026", None),
        ("Notes", "All were there.", "minutes/2026-02-11.md"),
    ],
)
def test_minutes_are_of_the_day_in_their_title_below_it_or_in_their_name(
    title: str, opening: str, name: str | None
) -> None:
    assert said_at(title, opening=opening, name=name) == DAY


@pytest.mark.parametrize(
    ("title", "opening"),
    [("Next meeting 2026-02-11", "All were there."), ("Outage of the shop", "**Date:** 2026-02-11")],
)
def test_a_plan_and_an_event_date_nothing(title: str, opening: str) -> None:
    assert said_at(title, opening=opening) is None


@pytest.mark.parametrize(
    "lead", ["The backup does not include:", "In der Sicherung sind *nicht* enthalten:", "**Drawbacks:**"]
)
def test_a_list_says_what_its_first_line_denies(lead: str) -> None:
    """Falls where a list of what is left out reads like one of what is there."""
    (line,) = read_markdown(f"# Backup\n\n{lead}\n\n- open files\n").memories
    assert line.fields["content"] == f"{lead.strip('*:').replace('*', '')}: open files"


def test_a_list_of_what_is_there_says_no_more() -> None:
    (line,) = read_markdown("# Backup\n\nThe backup includes:\n\n- open files\n").memories
    assert line.fields["content"] == "open files"
