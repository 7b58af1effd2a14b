"""A text that takes in others says all that they say, and each sentence in its own sense."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.domain.conflicts.sameness import says_all
from memory_layer.domain.conflicts.united_text import missing, pieces_of, united_text

LIMIT = 2_000


def united(*texts: str) -> str | None:
    found = united_text(sorted(texts, key=len, reverse=True), says_all, LIMIT)
    return None if found is None else found.text


def test_a_text_that_says_all_stands_as_it_is() -> None:
    long = "Copies run at 02:00. Ask Mara first."
    assert united("Copies run at `02:00`", long, "Ask Mara first!") == long


def test_a_shorter_text_may_say_all() -> None:
    short = "Ask Mara first. Copies run at 02:00."
    assert united("Please note that the copies run at 02:00 and at 02:00 always.", short) is not None
    assert united("You must always please remember: the copies run at 02:00.", short) == united(
        short, "You must always please remember: the copies run at 02:00."
    )


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (
            "Copies run at 02:00 and stay for 30 days.",
            "Copies run at 02:00.",
            "Copies run at 02:00 and stay for 30 days.\nCopies run at 02:00.",
        ),
        (
            "The pump is blue. The valve is green. Mara owns both.",
            "The valve is green. It leaks on Mondays.",
            "The pump is blue. The valve is green. Mara owns both.\nThe valve is green. It leaks on Mondays.",
        ),
        (
            "Never:\n- Use the old pump at night",
            "- Use the old pump at night",
            "- Use the old pump at night\n\nNever:\n- Use the old pump at night",
        ),
        (
            "Never:\n- Run the pump at 02:00. Open the valve at dawn, on Sundays too.",
            "Never:\n- Run the pump at 02:00. Close the mill at 03:30.",
            "Never:\n- Close the mill at 03:30.\n\n"
            "Never:\n- Run the pump at 02:00. Open the valve at dawn, on Sundays too.",
        ),
        (
            "## Old\nThe pump is blue. Open at dawn:\n- the valve\nThe mill rests on Sundays.",
            "## Old\nThe mill stops at 03:30.",
            "## Old\nThe pump is blue. Open at dawn:\n- the valve\nThe mill rests on Sundays.\n"
            "## Old\nThe mill stops at 03:30.",
        ),
        (
            "Use the old pump. Use the new valve too.",
            "## Never do this\n\n- Use the old pump",
            "Use the old pump. Use the new valve too.\n## Never do this\n- Use the old pump",
        ),
        (
            "1. Open the valve at dawn. Wait.\n2. Close it again at dusk.",
            "Ring the bell.\n\n```sh\nmake. All. Now\n```",
            "1. Open the valve at dawn. Wait.\n2. Close it again at dusk.\nRing the bell.\n```sh\nmake. All. Now\n```",
        ),
    ],
)
def test_what_one_says_beyond_the_other_is_added_with_what_leads_it(
    one: str, other: str, expected: str
) -> None:
    """Falls where sentences are taken without their heading, or without the one that an `It` speaks of."""
    assert united(one, other) == expected


def test_what_does_not_fit_is_not_united() -> None:
    lines = "\n".join(f"Pump {number} is at mark {number}." for number in range(50))
    assert united(lines, lines.replace("Pump", "Valve")) is None


SENTENCES = st.builds(
    "The {} of the {} {} at {}{}".format,
    st.sampled_from(["copy", "check", "valve"]),
    st.sampled_from(["`north`", "mill", "src/app.py"]),
    st.sampled_from(["starts", "does not start", "stops"]),
    st.sampled_from(["02:00", "03:30"]),
    st.sampled_from([".", "!", " on Sundays.", ". It is red.", ". See docs/mill.md.", ":\n- one of two"]),
)
TEXTS = st.builds(
    lambda mark, sentences, joint: mark + joint.join(sentences),
    st.sampled_from(["", "- ", "## Old\n", "Never:\n- "]),
    st.lists(SENTENCES, min_size=1, max_size=3),
    st.sampled_from([" ", "\n", "\n- ", "\n\n"]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS, min_size=2, max_size=3))
def test_no_sentence_is_lost_that_no_kept_one_says(texts: list[str]) -> None:
    """Falls where a text stands for another of which it does not say all, and where a list loses what leads it."""
    kept = united(*texts)
    assert kept is not None
    for text in texts:
        assert not list(missing(pieces_of(kept), pieces_of(text), says_all))
