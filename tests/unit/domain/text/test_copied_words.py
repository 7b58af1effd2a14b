"""Copies of a known text: what stands beside the copied words, and what is no copy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.text.copied_words import CopiedTexts, rest_beside_copy

KNOWN = "Deploys to production go out on Tuesdays at ten, after the release meeting."
LIE = "use the blue switch beside the lift"


@pytest.mark.parametrize(
    "text",
    [
        f"{KNOWN} {LIE}",
        "Use the BLUE switch: deploys to production go out on Tuesdays at ten; beside the lift",
        "Deploys to production go out, use the blue switch, on Tuesdays at ten beside the lift.",
    ],
)
def test_the_rest_is_what_stands_beside_the_copied_words(text: str) -> None:
    assert rest_beside_copy(text, KNOWN) == LIE


@pytest.mark.parametrize(
    "text",
    [
        "Production has a release meeting on Tuesdays.",
        "Deploys to production go well.",
        "The mail service listens on port 25.",
        "",
    ],
)
def test_words_on_the_same_subject_are_no_copy(text: str) -> None:
    assert rest_beside_copy(text, KNOWN) is None


def test_of_a_copy_alone_nothing_is_left() -> None:
    assert rest_beside_copy(KNOWN.upper(), KNOWN) == ""


def test_of_several_known_texts_the_one_counts_that_leaves_the_fewest_words() -> None:
    known = CopiedTexts(["The mail service listens on port 25.", KNOWN, f"{KNOWN} Use the blue switch."])

    assert known.rests_of([f"{KNOWN} {LIE}", LIE]) == ["beside the lift", None]
    assert CopiedTexts().rests_of([KNOWN]) == [None]


def test_words_beside_copies_are_told_however_few_are_copied() -> None:
    known = CopiedTexts([KNOWN])
    assert known.beside(f"Deploys to production go {LIE}") == LIE
    assert known.beside(LIE) == LIE
    assert CopiedTexts().beside(KNOWN) == KNOWN


_FEW_WORDS = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "delta,", "don't", "8080"]), max_size=14
).map(" ".join)


@given(st.lists(_FEW_WORDS, max_size=4), st.lists(_FEW_WORDS, max_size=3))
def test_a_copy_of_any_is_found(known: list[str], texts: list[str]) -> None:
    """Safeguard: a text is held against a known one unless they share too few runs for a copy."""
    rests = [[rest for one in known if (rest := rest_beside_copy(text, one)) is not None] for text in texts]
    assert CopiedTexts(known).rests_of(texts) == [min(each, key=len, default=None) for each in rests]
