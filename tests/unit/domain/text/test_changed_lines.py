"""An edited line is told from a new one by its likeness to a line that is gone, under the same heading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.text.changed_lines import CHANGED_LINE_SIMILARITY, line_similarity, paired_lines


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use npm", "Use pnpm"),
        ("Run `make test` before each push.", "Run `make check` before each push."),
        ("Prices are integers", "Prices are integers of cents, never floats"),
        ("Backups are kept 30 days", "Backups are kept 90 days"),
    ],
)
def test_an_edit_is_alike(old: str, new: str) -> None:
    assert line_similarity(old, new) >= CHANGED_LINE_SIMILARITY


@pytest.mark.parametrize(
    ("one", "other"),
    [("Use npm", "Use tabs"), ("Never push to main", "Never store card numbers"), ("", "Use tabs")],
)
def test_another_line_is_not(one: str, other: str) -> None:
    """Falls where words alone are counted: short lines share their verb."""
    assert line_similarity(one, other) < CHANGED_LINE_SIMILARITY


def test_the_most_alike_are_paired_and_each_once() -> None:
    gone = [("Use npm for the shop", "Tools"), ("Use npm for the shop and the office", "Tools")]
    new = [("Use pnpm for the shop and the office", "Tools"), ("Use pnpm for the shop", "Tools")]
    assert paired_lines(new, gone) == {0: 1, 1: 0}


def test_a_heading_in_the_words_makes_no_lines_alike() -> None:
    """Falls where `Never do this` counts among the words: all lines under it are then alike."""
    gone = [("Never do this: Use floats for prices", "Shop > Never do this")]
    assert paired_lines([("Never do this: Bind a port twice", "Shop > Never do this")], gone) == {}
    assert paired_lines([("Never do this: Use floats for taxes", "Shop > Never do this")], gone) == {0: 0}
    assert paired_lines([("Node: 20", "Tools")], [("Node: 18", "Tools")]) == {0: 0}


def test_a_line_under_another_heading_is_another_line() -> None:
    assert paired_lines([("Use pnpm", "Server")], [("Use npm", "Client")]) == {}


@given(st.text(max_size=50), st.text(max_size=50))
def test_likeness_is_a_share(one: str, other: str) -> None:
    assert 0 <= line_similarity(one, other) <= 1
    assert line_similarity(one, one) in (0.5, 1)  # half of it is of words, where there are any


def test_a_line_whose_heading_was_renamed_is_the_same_line() -> None:
    """Falls where a heading that governs is among the words: each line under it is then another memory."""
    gone = [("Bind a port once", "Shop > Gotchas"), ("Never: Use floats", "Shop > Never")]
    new = [("Pitfalls: Bind a port once", "Shop > Pitfalls"), ("Never do: Use floats", "Shop > Never do")]
    assert paired_lines(new, gone) == {0: 0, 1: 1}
    assert paired_lines([("Pitfalls: Bind a port twice", "Shop > Pitfalls")], gone) == {}
