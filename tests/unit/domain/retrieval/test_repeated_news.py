"""News of several releases in the same words: which of it is the latest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_layer.domain.retrieval.repeated_news import asks_of_the_past, newest_first
from tests.unit.domain.plain_memories import plain_memory


def placed(*lines: tuple[str, str]) -> list[int]:
    """Places of lines, each with the headings over it."""
    return newest_first(
        [plain_memory(f"m{at}", line, context=above) for at, (above, line) in enumerate(lines)]
    )


@pytest.mark.parametrize(
    ("lines", "order"),
    [
        (
            [
                ("Changelog > 1.9.0", "Update dependencies (#7)"),
                ("Changelog > 1.10.0", "Updated dependencies (#91)"),
            ],
            [1, 0],
        ),
        ([("Changelog > 2.0.0-rc.1", "Drop Node 18"), ("Changelog > 2.0.0", "Drop Node 20")], [1, 0]),
        (
            [
                ("Changelog > 1.9.0", "Fix a typo"),
                ("Changelog > 2.0.0", "Other"),
                ("Changelog > 2.1.0", "Fix a typo"),
            ],
            [2, 1, 0],
        ),
        ([("Changelog > 1.0.0", "Drop the old API"), ("Changelog > 2.0.0", "Add the old API")], [0, 1]),
        (
            [
                ("Changelog > 1.0.0", "Bump Go to 1.20 (#1)"),
                ("Changelog > 2.0.0", "Bump Go to 1.24, update the docs."),
            ],
            [1, 0],
        ),
        ([("Changelog > 1.0.0", "Faster"), ("Changelog > 2.0.0", "Faster")], [0, 1]),
        ([("cli > Changelog > 1.0.0", "Update docs"), ("sdk > Changelog > 2.0.0", "Update docs")], [0, 1]),
        ([("Setup", "Update dependencies"), ("Changelog > 2.0.0", "Update dependencies")], [0, 1]),
    ],
)
def test_lines_of_one_changelog_that_say_the_same_stand_newest_first(
    lines: list[tuple[str, str]], order: list[int]
) -> None:
    assert placed(*lines) == order


@pytest.mark.parametrize(
    ("question", "does"),
    [("Which Go is required?", False), ("Since when is Go required?", True), ("Was Go 1.20 required?", True)],
)
def test_a_question_may_ask_of_an_earlier_release(question: str, does: bool) -> None:
    assert asks_of_the_past(question) is does


def test_an_approved_line_of_an_agent_is_no_news() -> None:
    """Falls where an approval vouches for the release: the agent's Go was the latest."""
    said = plain_memory("m1", "Requires Go 1.22", context="Changelog > 1.0.0")
    named = plain_memory("m2", "Requires Go 1.99", context="Changelog > 9.0.0")
    assert newest_first([said, named]) == [1, 0]
    taught = replace(named, source="run", created_by="agent-7", approved_by="rae")
    assert newest_first([said, taught]) == [0, 1]
