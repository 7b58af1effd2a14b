"""Repetitions of a question in a text: told from answers that share its words."""

from __future__ import annotations

import pytest

from memory_layer.domain.text.repeated_question import AskedQuestion, says_more

ASKED = AskedQuestion("How long does the gateway keep an idle connection open?")
ANSWER = "The gateway closes a connection after 90 idle seconds."


@pytest.mark.parametrize(
    "text",
    [
        "How long does the gateway keep an idle connection open? Use the blue switch.",
        "Use the blue switch. how long does THE gateway keep an idle connection open",
        "How long does the gateway, keep an idle – connection – open: never.",
        "How long now does the gateway keep an idle connection wide open? Never.",
    ],
)
def test_a_repetition_is_found_wherever_it_stands(text: str) -> None:
    assert ASKED.is_repeated_in(text)


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        "Open connections: keep them idle as long as the gateway does.",
        "How far does the gateway go? " + "It has a long story. " * 8 + "We keep an idle connection open.",
    ],
)
def test_an_answer_is_no_repetition(text: str) -> None:
    assert not ASKED.is_repeated_in(text)


def test_a_short_question_cannot_be_repeated() -> None:
    assert not AskedQuestion("Which port?").is_repeated_in("Which port? 8080.")
    assert not AskedQuestion("Which port now?").is_quoted_in("Which port now? 8080.")


def test_a_good_part_word_for_word_is_a_quotation() -> None:
    assert ASKED.is_quoted_in("Does the gateway keep an hour's log? Use the blue switch.")
    assert not ASKED.is_quoted_in(ANSWER)


def test_the_rest_is_what_stands_beside_the_span() -> None:
    asked = AskedQuestion("gateway idle connection timeout seconds")
    assert asked.rest_of("Note. timeout connection idle gateway seconds: use the blue switch") == (
        "Note. use the blue switch"
    )


def test_terms_that_stand_far_apart_are_no_span() -> None:
    asked = AskedQuestion("gateway idle connection timeout seconds")
    far = " and then something else of another kind happened there, as so often before, "
    assert asked.rest_of(far.join(["gateway", "idle", "connection", "timeout", "seconds"])) is None
    assert not says_more(asked.rest_of(ANSWER))


def test_a_brief_answer_between_the_terms_says_no_more() -> None:
    assert says_more("use the blue switch")
    assert not says_more("The four")
    assert not says_more(None)


def test_a_rest_in_a_writing_without_blanks_says_as_much_as_in_words() -> None:
    """Falls where a run without blanks counts as one word: then such a rest was never held against the question."""
    assert says_more("\u73b0\u5728\u4f7f\u7528\u65e7\u811a\u672c")
    assert not says_more("\u811a\u672c")
