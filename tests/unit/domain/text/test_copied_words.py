"""Copies of a known text: what stands beside the copied words, and what is no copy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.text.copied_words import COPIED_SHARE, FEWEST_COPIED, RUN_WORDS, CopiedTexts
from memory_layer.domain.text.repeated_question import words_of

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
    assert CopiedTexts([KNOWN]).rests_of([text]) == [LIE]


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
    assert CopiedTexts([KNOWN]).rests_of([text]) == [None]


def test_of_a_copy_alone_nothing_is_left() -> None:
    assert CopiedTexts([KNOWN]).rests_of([KNOWN.upper()]) == [""]


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
    """Safeguard: the codes of runs, by which those in no text are passed over."""
    rests = [[rest for one in known if (rest := rest_beside_copy(text, one)) is not None] for text in texts]
    assert CopiedTexts(known).rests_of(texts) == [min(each, key=len, default=None) for each in rests]
    joined = {run for one in known for run in runs_of(one)}
    assert [words_of(CopiedTexts(known).beside(text)) for text in texts] == [
        tuple(beside(text, joined)) for text in texts
    ]


def rest_beside_copy(text: str, known: str) -> str | None:
    """Words of a text beside those that it copies from a known one, told run by run."""
    own = beside(text, set(runs_of(known)))
    copied = len(words_of(text)) - len(own)
    return " ".join(own) if copied >= max(FEWEST_COPIED, COPIED_SHARE * len(words_of(known))) else None


def runs_of(text: str) -> list[tuple[str, ...]]:
    words = words_of(text)
    return [words[at : at + RUN_WORDS] for at in range(len(words) - RUN_WORDS + 1)]


def beside(text: str, runs: set[tuple[str, ...]]) -> list[str]:
    at_runs = [at for at, run in enumerate(runs_of(text)) if run in runs]
    copied = {at + step for at in at_runs for step in range(RUN_WORDS)}
    return [word for at, word in enumerate(words_of(text)) if at not in copied]
