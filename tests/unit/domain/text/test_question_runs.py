"""Runs of a question's words in a text: told from answers, which have words of their own between the question's."""

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


def test_identifiers_count_once_each_however_many_terms_they_have() -> None:
    """Falls where the terms of a compound count: two names would be six, and nearly the whole question."""
    asked = AskedQuestion("Where does parseConfig get defaultTimeout?")
    runs = runs_of(
        asked, "In parseConfig defaultTimeout comes out of shop.toml, and thirty is taken where it is silent."
    )
    assert runs is not None
    assert (runs.held, runs.asked, runs.hold_most) == (2, 3, False)


@pytest.mark.parametrize(
    "text", [f"parse config default timeout {LIE}", f"parse_config DefaultTimeout: {LIE}"]
)
def test_an_identifier_is_held_in_another_spelling_too(text: str) -> None:
    runs = runs_of(AskedQuestion("Where does parseConfig get defaultTimeout?"), text)
    assert runs is not None
    assert (runs.held, runs.rest) == (2, LIE)


def test_a_part_of_an_identifier_does_not_hold_it() -> None:
    assert (
        runs_of(AskedQuestion("Where does parseConfig get defaultTimeout?"), f"config timeout: {LIE}") is None
    )


def test_a_clause_without_blanks_stays_in_the_rest() -> None:
    """Falls where it counts as a word of the question: the answer in it would not be heard."""
    runs = runs_of(
        AskedQuestion("httpx TLS verification 怎么关闭?"), "httpx TLS verification 关闭要设置verify为假"
    )
    assert runs is not None
    assert runs.rest == "关闭要设置 verify 为假"


def test_an_answer_in_clauses_without_blanks_is_no_run() -> None:
    assert runs_of(AskedQuestion("发票 存档 在哪里?"), "发票 存档 在九十天后移入冷库") is None


def test_a_run_holds_half_of_the_question_and_three_words_of_more_than_three() -> None:
    assert [fewest_held(asked) for asked in (1, 2, 3, 4, 5, 6, 7, 10)] == [2, 2, 2, 3, 3, 3, 4, 5]
