"""JSON values that adapters keep: they come back as they were put, or are refused with their place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.portability.exact_json import (
    NotJsonError,
    kept_value,
    plain_json,
    shortened,
    storable_text,
    value_of,
)
from memory_layer.domain.text_rules import text_problem

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=20)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT
)
JSON_VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


def texts_of(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in texts_of(item))]
    return [text for item in value for text in texts_of(item)] if isinstance(value, list) else []


@given(JSON_VALUES)
def test_a_value_comes_back_exactly_and_every_text_of_it_can_be_stored(value: Any) -> None:
    """Falls where a control, a surrogate or a backslash is lost, or one is left that a memory refuses."""
    kept = json.loads(json.dumps(kept_value(value)))
    assert repr(value_of(kept)) == repr(value)
    assert [text for text in texts_of(kept) if text_problem(text)] == []


@given(ANY_TEXT)
def test_a_storable_text_differs_in_nothing_else(text: str) -> None:
    plain = storable_text(text)
    assert text_problem(plain) is None
    assert len(plain) == len(text)
    assert plain == text or text_problem(text) is not None


@given(ANY_TEXT.map(storable_text), st.integers(0, 40))
def test_a_shortened_text_is_a_beginning_that_fits(text: str, limit: int) -> None:
    head = shortened(text, limit)
    assert text.startswith(head)
    assert len(head.encode()) <= limit
    assert len(text.encode()) > limit or head == text


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [1, {2}]}, "a set at /a/1"),
        (float("inf"), "the number inf at /"),
        ({"a": {1: "x"}}, "the key 1 at /a"),
        ({"a": b"x"}, "a bytes at /a"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(value: Any, place: str) -> None:
    with pytest.raises(NotJsonError, match=place):
        plain_json(value)
