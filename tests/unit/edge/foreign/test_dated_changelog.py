"""Lines of a changelog were said on the day of their heading."""

from __future__ import annotations

from datetime import UTC, datetime

from memory_layer.domain.release_headings import version_in_context
from memory_layer.edge.foreign.markdown import read_markdown

CHANGELOG = """\
# Changelog

## [Unreleased]

- A line that nobody has released.

## [1.4.0] - 2026-02-11

### Removed

- The old token format is gone.
"""


def test_lines_below_a_dated_heading_were_said_on_its_day() -> None:
    """Falls where an import drops the dates of a file."""
    found = read_markdown(CHANGELOG, "CHANGELOG.md")
    said = {one.fields["content"]: one.fields.get("said_at") for one in found.memories}
    assert [day for line, day in said.items() if "token" in line] == [datetime(2026, 2, 11, tzinfo=UTC)]
    assert [day for line, day in said.items() if "nobody" in line] == [None]


def test_the_label_of_a_release_date_is_no_part_of_the_heading() -> None:
    """Falls where `Release date:` goes into the heading: its version is then read no more."""
    text = "# News\n\n## Version 1.4.0\n\n**Release date:** Feb 11, 2026\n\n- Writes are faster.\n"
    (line,) = read_markdown(text, "news.md").memories
    assert line.fields["context"] == "News > Version 1.4.0 (Feb 11, 2026)"
    assert version_in_context(line.fields["context"]) == "1.4.0"
    assert line.fields["said_at"] == datetime(2026, 2, 11, tzinfo=UTC)
