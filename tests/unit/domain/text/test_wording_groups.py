"""Wordings grouped by their first letters are found wherever one of them is, and match as they do side by side."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.domain.conflicts.attribute_words import PHRASE_WORDS
from memory_layer.domain.text import opposites
from memory_layer.domain.text.category_rules import CATEGORY_RULES, ENTITY, EVENT, RELATIONSHIP
from memory_layer.domain.text.wording_groups import grouped
from memory_layer.domain.text.wording_patterns import any_of_words, any_wording

OF_WORDS = [rule.patterns[0] for rule in CATEGORY_RULES if rule.is_of_words]
PHRASES = sorted((*PHRASE_WORDS, *opposites.PHRASES), key=len, reverse=True)
PIECES = sorted({piece for rule in OF_WORDS for piece in re.findall(r"[a-z]+|[^\w\s]", rule.pattern)})


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.sampled_from([*PIECES, " ", " ", "s", "on 3 may", "depends on", "the table x"]), max_size=12)
)
def test_a_text_has_one_of_all_wordings_if_some_pattern_finds_one(pieces: list[str]) -> None:
    """Falls where a bar within a group, a set or an escape is taken for one between wordings."""
    text = "".join(pieces)
    dimensions = (EVENT, RELATIONSHIP, ENTITY)
    for patterns, found in (
        (OF_WORDS, any_wording(CATEGORY_RULES).search(text)),
        (dimensions, any_of_words(dimensions).search(text)),
    ):
        assert (found is not None) == any(pattern.search(text) for pattern in patterns)


@pytest.mark.parametrize(
    ("patterns", "result"),
    [
        (["ab", "b", "ac"], "a(?:b|c)|b(?:)"),
        (["(?:ab|b)c", "a"], "a(?:bc|)|b(?:c)"),
        (["(?:ab)?c", "a+", r"\|d|e", "[a|b]"], r"(?:(?:ab)?c|a+|\|d|[a|b])|e(?:)"),
    ],
)
def test_patterns_are_grouped_by_their_letters(patterns: list[str], result: str) -> None:
    assert grouped(patterns) == result


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(sorted({word for phrase in PHRASES for word in phrase.split()})), max_size=9))
def test_of_phrases_at_one_place_the_longest_is_read(words: list[str]) -> None:
    """Falls where the order of phrases within a letter is lost."""
    text = " ".join(words)
    side_by_side, by_letter = (re.compile(rf"\b(?:{one})\b") for one in ("|".join(PHRASES), grouped(PHRASES)))
    assert by_letter.findall(text) == side_by_side.findall(text)
