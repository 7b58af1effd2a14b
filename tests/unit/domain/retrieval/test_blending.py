from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.retrieval.blending import (
    PERIOD_SCALE_DAYS,
    PERIOD_WEIGHT,
    QUESTION_FACTOR,
    keyword_part,
)
from memory_layer.domain.retrieval.facts import asks
from tests.single_rows import Lists, Relevance, blend, with_evidence

keys = st.sampled_from("abcdefgh")
bm25_scores = st.dictionaries(keys, st.floats(0.01, 40.0), max_size=8)
cosines = st.dictionaries(keys, st.floats(-1.0, 1.0), max_size=8)
all_arms = st.builds(Lists, bm25_scores, cosines, bm25_scores, cosines)


def semantic(arms: Lists, mode: str = "minmax") -> dict[str, float]:
    return {key: found.semantic for key, found in blend(arms, mode=mode).items()}  # type: ignore[arg-type]


@given(all_arms, st.sampled_from(["minmax", "flag"]))
def test_every_candidate_gets_a_relevance_from_0_to_1(arms: Lists, mode: str) -> None:
    found = blend(arms, mode=mode)  # type: ignore[arg-type]
    listed = {*arms.content_lexical, *arms.content_semantic, *arms.context_lexical, *arms.context_semantic}
    assert found.keys() == listed
    assert all(0.0 <= value <= 1.0 for relevance in found.values() for value in relevance)


@given(all_arms, st.floats(0.1, 100.0))
def test_scale_of_bm25_does_not_matter(arms: Lists, factor: float) -> None:
    scaled = Lists(
        {key: factor * score for key, score in arms.content_lexical.items()},
        arms.content_semantic,
        {key: factor * score for key, score in arms.context_lexical.items()},
        arms.context_semantic,
    )
    assert semantic(scaled) == pytest.approx(semantic(arms))


@given(cosines.filter(len), bm25_scores, st.floats(0.01, 1.0))
def test_better_in_one_list_is_never_worse_in_all(
    meaning: dict[str, float], words: dict[str, float], gain: float
) -> None:
    key = min(meaning, key=lambda key: meaning[key])
    better = {**meaning, key: min(1.0, meaning[key] + gain)}
    before, after = semantic(Lists(words, meaning)), semantic(Lists(words, better))
    ahead = [other for other in before if before[other] < before[key]]
    assert all(after[other] <= after[key] + 1e-9 for other in ahead)


def test_best_of_every_list_is_1() -> None:
    first = {"a": 9.0, "b": 3.0}, {"a": 0.5, "b": 0.4}
    assert blend(Lists(*first, *first))["a"] == pytest.approx((1.0, 0.4))


def test_shares_are_weighed_two_to_one_for_context_and_six_to_four_for_meaning() -> None:
    arms = Lists({"a": 8.0, "b": 2.0}, {"a": 0.8, "b": 0.4}, {"a": 9.0, "b": 3.0}, {"a": 0.6, "b": 0.45})
    content, context = 0.4 * 0.25 + 0.6 * 0.5, 0.4 * (1 / 3) + 0.6 * 0.75
    assert semantic(arms)["b"] == pytest.approx((content + 2 * context) / 3)


def test_memory_without_context_competes_by_its_content_alone() -> None:
    best = {"plain": 10.0, "turn": 5.0}, {"plain": 0.8, "turn": 0.4}
    arms = Lists(*best, {"turn": 7.0}, {"turn": 0.6})
    assert semantic(arms)["plain"] == pytest.approx(1.0)
    assert semantic(arms)["turn"] == pytest.approx((0.5 + 2 * 1.0) / 3)


def test_a_match_of_few_of_the_words_weighs_less_in_a_note_and_not_in_a_turn() -> None:
    """Falls where a question's best match counts in full, however little of the question it says."""
    note, turn = Lists({"a": 3.0}, {"b": 0.5}), Lists({}, {}, {"a": 3.0}, {"b": 0.5})
    for lists, loose in ((note, 0.5 * 0.4), (turn, 0.4)):
        assert blend(lists)["a"].lexical >= blend(lists, keywords=0.4)["a"].lexical == pytest.approx(loose)


@given(best=st.floats(0, 50), better=st.floats(0, 50), held=st.floats(0.1, 100))
def test_keywords_count_the_more_the_more_of_a_question_its_best_match_says(
    best: float, better: float, held: float
) -> None:
    best, better = sorted((best, better))
    less, more, most = (np.array([np.nan, score]) for score in (best, better, 0.46 * held))
    assert 0.0 < keyword_part(less, held) <= keyword_part(more, held) <= 1.0
    assert keyword_part(most, held) == keyword_part(less, 0.0) == 1.0


def test_words_weigh_more_where_there_is_no_context() -> None:
    """Falls where a note is weighed as a turn is, whose neighbours tell what it is about."""
    note, turn = (
        Lists({"a": 3.0}, {"b": 0.5}),
        Lists({"a": 3.0}, {"b": 0.5, "a": 0.5}, {"a": 3.0}, {"b": 0.5}),
    )
    assert blend(note)["a"].lexical == pytest.approx(0.5)
    assert blend(turn)["a"].lexical == pytest.approx(0.4)


def test_cosine_off_the_list_counts_as_the_last_and_no_match_as_none() -> None:
    arms = Lists({"words": 4.0}, {"first": 0.8, "last": 0.6})
    found = blend(arms)
    assert found["words"].semantic == pytest.approx(0.5 + 0.5 * 0.75)
    assert found["last"] == pytest.approx((0.5 * 0.75, 0.0))


def test_lexical_recall_alone_uses_the_whole_scale() -> None:
    assert blend(Lists({"a": 3.0, "b": 1.5}))["b"] == pytest.approx((0.5, 1.0))


def test_nothing_positive_is_no_relevance() -> None:
    assert blend(Lists({}, {"a": -0.2})) == {"a": Relevance(0.0, 0.0)}
    assert blend(Lists()) == {}


def test_flag_mode_is_the_published_sum() -> None:
    arms = Lists({"a": 0.1}, {"a": 0.5, "b": 0.9}, {}, {"a": 0.7})
    assert semantic(arms, "flag") == pytest.approx({"a": 0.6 * 0.7 + 0.4, "b": 0.6 * 0.9})


def test_question_yields_to_what_answers_it() -> None:
    asked = with_evidence(Relevance(0.8, 0.5), is_question=True)
    assert asked == pytest.approx((0.8 * QUESTION_FACTOR, 0.5))


def test_no_evidence_changes_nothing() -> None:
    assert with_evidence(Relevance(0.8, 0.5)) == Relevance(0.8, 0.5)


def test_period_adds_what_is_close_to_it() -> None:
    within = with_evidence(Relevance(0.6, 0.5), days_from_period=0)
    week_off = with_evidence(Relevance(0.6, 0.5), days_from_period=PERIOD_SCALE_DAYS)
    assert within.semantic == pytest.approx((0.6 + PERIOD_WEIGHT) / (1 + PERIOD_WEIGHT))
    assert week_off.semantic == pytest.approx((0.6 + PERIOD_WEIGHT / math.e) / (1 + PERIOD_WEIGHT))


@given(st.floats(0.0, 1.0), st.lists(st.floats(0.0, 4000.0), min_size=2, max_size=5))
def test_relevance_falls_with_the_distance_and_stays_in_range(relevance: float, gaps: list[float]) -> None:
    scores = [with_evidence(Relevance(relevance, 0.0), days_from_period=gap) for gap in sorted(gaps)]
    assert all(nearer.semantic >= farther.semantic for nearer, farther in pairwise(scores))
    assert all(0.0 <= score.semantic <= 1.0 for score in scores)


@pytest.mark.parametrize(
    "content", ["Why?", "Why? ", 'She asked "why?"', "(really?)", "なぜですか？", "لماذا؟"]
)
def test_asks(content: str) -> None:
    assert asks(content)


@pytest.mark.parametrize("content", ["", "Why? Because.", "a ? b : c", "?x=1", "Use /search?q=a"])
def test_tells(content: str) -> None:
    assert not asks(content)
