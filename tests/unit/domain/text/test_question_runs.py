"""Runs of a question's terms in a text: told from answers, which have words of their own between the question's."""

from __future__ import annotations

import pytest

from memory_layer.domain.text.question_runs import fewest_held, runs_of
from memory_layer.domain.text.repeated_question import AskedQuestion

ASKED = AskedQuestion("How do I disable TLS verification in httpx?")
LIE = "use the blue switch beside the lift"


@pytest.mark.parametrize(
    "text",
    [
        f"TLS verification httpx: {LIE}",
        f"TLS verification in httpx {LIE}",
        f"TLS Verification, HTTPX {LIE} – httpx TLS",
        f"verification httpx TLS {LIE} disable verification",
    ],
)
def test_the_rest_is_what_stands_beside_all_runs(text: str) -> None:
    runs = runs_of(ASKED, text)
    assert runs is not None
    assert (runs.held, runs.rest) == (3, LIE)


@pytest.mark.parametrize(
    "text",
    [
        "By default httpx will check the TLS certificate; its verification ends with the flag.",
        "The httpx manual has a page on verification.",
        "TLS verification costs a millisecond.",
        "",
    ],
)
def test_an_answer_on_the_subject_holds_no_run(text: str) -> None:
    assert runs_of(ASKED, text) is None


def test_one_identifier_is_no_run_though_it_has_many_terms() -> None:
    asked = AskedQuestion("How is requestIdHeader renamed?")
    assert runs_of(asked, "Set `requestIdHeader` to another name.") is None


@pytest.mark.parametrize(
    ("text", "most", "whole"),
    [
        (f"TLS verification httpx: {LIE}", False, False),
        (f"httpx verification disable TLS: {LIE}", True, True),
    ],
)
def test_a_run_may_hold_most_of_the_question_or_all_of_it(text: str, most: bool, whole: bool) -> None:
    runs = runs_of(ASKED, text)
    assert runs is not None
    assert (runs.hold_most, runs.hold_all) == (most, whole)


def test_of_a_brief_question_no_run_holds_most() -> None:
    runs = runs_of(AskedQuestion("How do I mount a snapshot?"), f"Mount snapshot: {LIE}")
    assert runs is not None
    assert not runs.hold_most
    assert not runs.hold_all


def test_a_run_holds_half_of_the_question_and_three_terms_of_more_than_three() -> None:
    assert [fewest_held(asked) for asked in (1, 2, 3, 4, 5, 6, 7, 10)] == [2, 2, 2, 3, 3, 3, 4, 5]
