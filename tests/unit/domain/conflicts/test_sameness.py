"""One judgement of sameness, by its grades."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.sameness import AlikeTexts, Sameness, sameness, says_all
from memory_layer.domain.conflicts.wording import unstruck
from memory_layer.domain.duplicates import DUPLICATE_COSINE

KNOWN = "The pump stops at 02:00. Ask Mara first."


@pytest.mark.parametrize(
    ("new", "cosine", "grade"),
    [
        (KNOWN, 0.1, Sameness.EQUAL),
        ("Please note: the pump stops at `02:00`!", 0.95, Sameness.SAYS_ALL),
        ("The pump stops at 02:00.", DUPLICATE_COSINE, Sameness.OTHER),
        ("Ask Mara first: the pump halts at 02:00.", 0.9, Sameness.PARAPHRASE),
        ("The pump stops at 03:30. Ask Mara first.", 0.99, Sameness.OTHER),
        ("The pump stops at 02:00. Ask Mara first. See the manual.", 0.99, Sameness.OTHER),
    ],
)
def test_grades(new: str, cosine: float, grade: Sameness) -> None:
    assert sameness(new, KNOWN, cosine) is grade


@pytest.mark.parametrize(
    ("new", "known"),
    [
        ("Analysis: (~~done~~/in progress)", "Analysis: (done/~~in progress~~)"),
        ("Ben: why is this an issue of the board?", "Ben (board)"),
    ],
)
def test_what_is_struck_out_and_what_is_asked_says_nothing(new: str, known: str) -> None:
    """Falls where words between `~~` count as said, or a question as a statement."""
    assert {sameness(new, known, 0.9), sameness(known, new, 0.9)} == {Sameness.OTHER}


def test_tildes_that_mean_about_strike_nothing_out() -> None:
    """Falls where words between any two pairs of tildes count as struck out."""
    text = "Builds take ~~10 minutes on CI and ~~20 minutes on a laptop"
    assert unstruck(text) == text


def test_labels_in_bold_name_what_a_text_speaks_of() -> None:
    mine, theirs = (
        "**Receipt:** Enter the text of the receipt.",
        "**Refusal:** Enter the text of the receipt.",
    )
    assert sameness(mine, theirs, 0.9) is Sameness.OTHER
    assert sameness(mine, mine.replace("Receipt:", "The receipt:"), 0.9) is Sameness.PARAPHRASE
    assert sameness(mine, mine.removeprefix("**Receipt:** "), 0.9) is Sameness.PARAPHRASE


def test_another_wording_loses_nothing_in_a_merge() -> None:
    assert says_all(
        "Jobs that fail are retried 3 times by the pump.", "The pump retries failed jobs three times."
    )
    assert not says_all("Jobs that fail are retried 3 times.", "The pump retries failed jobs three times.")
    assert not says_all("The mill has a pump.", "The mill has a pump in the yard.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The seeds need a running Postgres", "Seeds need running postgres."),
        ("Write a test for each endpoint", "Write tests for every endpoint"),
        ("- Clear the *cache* first", "Clear the cache first."),
    ],
)
def test_the_same_in_almost_the_same_words_is_found_again(one: str, other: str) -> None:
    known = AlikeTexts[str]()
    known.add("Deploy on Monday", "another")
    known.add(one, "this")
    assert known.find(other) == "this"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("You should squash commits here", "You must squash commits here"),
        ("You may squash commits here", "You must squash commits here"),
        ("Empty the queue before you deploy", "Empty the whole queue before you deploy"),
        ("The parser is being rewritten", "The parser has been rewritten"),
        ("The import was slow here", "The import is slow here"),
        ("The cache holds 50 entries", "The cache holds 60 entries"),
        ("Never retry uploads", "Retry uploads"),
        ("Deploy before the migration", "Deploy after the migration"),
        ("Copy assets from build to public", "Copy assets from public to build"),
        ("Run all the slow checks of the release", "Run all the slow checks of the release unless asked"),
        ("Pass `-v` to the runner", "Pass `-V` to the runner"),
    ],
)
def test_what_is_narrower_or_otherwise_is_another_text(one: str, other: str) -> None:
    """Falls where texts are one by the share of words that they have in common."""
    for first, second in ((one, other), (other, one)):
        known = AlikeTexts[str]()
        known.add(first, "this")
        assert known.find(second) is None
