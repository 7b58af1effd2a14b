"""Long texts are compared by the sentences that only one of them has."""

from __future__ import annotations

from memory_layer.domain.conflicts.contradiction import ComparedStatement, contradiction
from memory_layer.domain.conflicts.point_of_difference import point_of_difference
from memory_layer.domain.conflicts.unshared_sentences import LONG_CHARS, unshared_sentences

PAGE = " ".join(
    f"Mill {name} grinds its grain for the village of {name}." for name in map("M{}".format, range(80))
)
"""Longer than what is read word by word."""


def test_a_short_text_is_left_whole() -> None:
    assert unshared_sentences("The pump stops. Ask Mara.", "The pump stops.") == (
        "The pump stops. Ask Mara.",
        "The pump stops.",
        True,
    )


def test_of_long_texts_what_both_say_is_left_out() -> None:
    """Falls where the whole of two long texts is read for one sentence."""
    assert len(PAGE) > LONG_CHARS
    left = unshared_sentences(f"{PAGE} The pump stops at 02:00.", f"The pump stops at 03:30. {PAGE}")
    assert left == ("The pump stops at 02:00.", "The pump stops at 03:30.", True)


def test_a_long_text_says_the_same_but_for_articles_and_is_told_apart_by_a_number() -> None:
    assert point_of_difference(f"{PAGE} Stop the pump.", f"{PAGE} Stop pump.") is None
    point = point_of_difference(f"{PAGE} The pump stops at 02:00.", f"{PAGE} The pump stops at 03:30.")
    assert point is not None
    assert (point.new, point.known) == ("02:00", "03:30")


def test_a_further_sentence_of_the_known_text_does_no_harm_and_one_of_the_new_one_is_news() -> None:
    assert point_of_difference(PAGE, f"{PAGE} Stop the pump.") is None
    point = point_of_difference(f"{PAGE} Stop the pump.", PAGE)
    assert point is not None
    assert point.new == "Stop the pump."


def test_the_same_sentences_in_another_order_are_another_text() -> None:
    """Falls where a list under `Never:` may change places with one under `Always:`."""
    one, other = f"Never:\n- floats\nAlways:\n- tests\n{PAGE}", f"Never:\n- tests\nAlways:\n- floats\n{PAGE}"
    point = point_of_difference(one, other)
    assert point is not None
    assert point.kind == "order"


def test_texts_that_differ_in_pages_are_two_texts_at_once() -> None:
    other = PAGE.replace("grain", "wheat")
    assert point_of_difference(PAGE, other) is not None
    assert contradiction(ComparedStatement(PAGE), ComparedStatement(other), cosine=0.95) is None


def test_a_long_text_that_denies_one_sentence_says_otherwise() -> None:
    one, other = (f"{PAGE} The pump is {state} at night." for state in ("enabled", "disabled"))
    assert contradiction(ComparedStatement(one), ComparedStatement(other), cosine=0.95) is not None
