"""Texts that say the same in almost the same words, and those that differ in what counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.text.same_words import plain_form, say_the_same, telling_words


def same(one: str, other: str) -> bool:
    return say_the_same(telling_words(one) or (), telling_words(other) or ())


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The seeds need a running Postgres", "Seeds need running postgres."),
        ("Write a test for each endpoint", "Write tests for every endpoint"),
        (
            "Empty the queue before you deploy the worker",
            "Empty the whole queue before you deploy the worker",
        ),
    ],
)
def test_the_same_in_almost_the_same_words(one: str, other: str) -> None:
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use npm for installs", "Use pnpm for installs"),
        ("Never retry uploads", "Retry uploads"),
        ("The cache holds 50 entries", "The cache holds 60 entries"),
        ("Deploy before the migration", "Deploy after the migration"),
        ("Copy assets from build to public", "Copy assets from public to build"),
        ("You may squash commits here", "You must squash commits here"),
        ("Run all the slow checks of the release", "Run all the slow checks of the release unless asked"),
        ("Run all the slow checks of the release", "Run all the slow checks of the release v2"),
        ("Restart the worker", "Restart the worker and empty its queue by hand"),
    ],
)
def test_another_word_that_counts_is_another_text(one: str, other: str) -> None:
    """Falls where texts are compared as sets of words, or by the share that they have in common."""
    assert not same(one, other)
    assert not same(other, one)


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_order_of_asking_does_not_matter(one: str, other: str) -> None:
    assert same(one, one)
    assert same(one, other) == same(other, one)


def test_very_long_texts_have_no_telling_words() -> None:
    assert telling_words("word " * 401) is None
