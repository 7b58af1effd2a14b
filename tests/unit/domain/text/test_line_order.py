"""Numbers of the lines of a file: ascending, and kept through edits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.memory import Scope
from memory_layer.domain.text.line_order import NUMBER_MAX, file_place, numbered_lines
from tests.given import a_memory


@pytest.mark.parametrize(
    ("known", "numbers"),
    [
        ([None, None, None], [1_000, 2_000, 3_000]),
        ([1_000, None, 2_000], [1_000, 1_500, 2_000]),
        ([None, 1_000, 2_000], [500, 1_000, 2_000]),
        ([1_000, 2_000, None], [1_000, 2_000, 3_000]),
        ([3_000, 1_000, 2_000], [500, 1_000, 2_000]),
        ([1_000, None, 1_001], [1_000, 2_000, 3_000]),
        ([NUMBER_MAX, None], [1_000, 2_000]),
        ([], []),
    ],
    ids=["first", "inserted", "before all", "behind all", "moved up", "no room", "no room behind", "empty"],
)
def test_lines_that_fit_keep_their_numbers(known: list[int | None], numbers: list[int]) -> None:
    assert numbered_lines(known) == numbers


@given(st.lists(st.none() | st.integers(-5, 60)))
def test_numbers_ascend_and_are_settled(known: list[int | None]) -> None:
    numbers = numbered_lines(known)
    assert len(numbers) == len(known)
    assert all(one < other for one, other in zip([0, *numbers], numbers, strict=False))
    assert numbered_lines(numbers) == numbers


@pytest.mark.parametrize("number", [True, 0, -1, NUMBER_MAX + 1, 10**400, 1.5, "1"])
def test_what_an_author_wrote_in_the_place_of_a_number_is_no_place(number: object) -> None:
    """Falls without the bounds of `line_order`: `True` or a number below zero stood before all lines of the file."""
    memory = a_memory(Scope("acme", "web"), "m", tags=("RUNBOOK.md",), detail={"line_order": number})
    assert file_place(memory) is None
