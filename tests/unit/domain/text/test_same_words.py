"""Forms of a text: its words as they are written, and those that its sense hangs on."""

from __future__ import annotations

import pytest

from memory_layer.domain.text.same_words import plain_form, telling_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Clear the cache first.", "- clear the *cache* first"),
        ("Set `CI` to true", "set CI to True!"),
        ("Run it  \n twice", "run it twice"),
    ],
)
def test_markup_and_case_are_no_words(one: str, other: str) -> None:
    assert plain_form(one) == plain_form(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Pass `-v`", "Pass `-V`"), ("x >= 3", "x <= 3"), (".env is read", "env is read")]
)
def test_flags_and_signs_are_words(one: str, other: str) -> None:
    assert plain_form(one) != plain_form(other)


def test_very_long_texts_have_no_telling_words() -> None:
    assert telling_words("word " * 401) is None
