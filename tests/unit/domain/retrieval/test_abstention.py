from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_layer.domain.retrieval.abstention import (
    FEWEST_FOR_TYPICAL,
    MARGIN,
    UNKNOWN_TYPICAL_COSINE,
    WordCounts,
    added_up,
    chance_cosine,
    coverage,
    is_near,
    is_off_topic,
    typical_cosine,
)
from memory_layer.domain.retrieval.exact_scores import quantized


def unit_vectors(n: int, shared: float) -> NDArray[np.float32]:
    """Random directions around one they share; `shared` 0: none."""
    noise = np.random.default_rng(7).normal(size=(n, 64))
    vectors = noise / np.linalg.norm(noise, axis=1, keepdims=True) + shared * np.eye(64)[0]
    units: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return units


def test_typical_cosine_rises_with_the_likeness_of_the_memories() -> None:
    apart, alike = (typical_cosine(*quantized(unit_vectors(100, shared))) for shared in (0.0, 1.0))
    assert 0.1 < apart < 0.3
    assert 0.5 < alike < 0.8


def test_typical_cosine_leaves_the_self_comparisons_out() -> None:
    orthogonal = np.eye(FEWEST_FOR_TYPICAL, dtype=np.float32)
    assert typical_cosine(*quantized(orthogonal)) == 0.0


@given(order=st.permutations(range(64)))
def test_typical_cosine_is_the_same_to_the_last_bit_in_whatever_order_is_added(order: list[int]) -> None:
    """Safeguard: sums of whole numbers; processors add up float32 each in an order of its own."""
    vectors = unit_vectors(100, 0.5)
    assert typical_cosine(*quantized(vectors[:, order])) == typical_cosine(*quantized(vectors))


def test_the_typical_cosine_of_a_small_project_is_unknown() -> None:
    few = unit_vectors(FEWEST_FOR_TYPICAL - 1, 1.0)
    assert typical_cosine(*quantized(few)) == UNKNOWN_TYPICAL_COSINE


COSINES = st.floats(-1, 1)
SIZES = st.integers(0, 10**7)
SHARES = st.floats(0, 1)


@given(fewer=SIZES, more=SIZES, typical=COSINES)
def test_chance_comes_nearer_the_more_is_searched(fewer: int, more: int, typical: float) -> None:
    fewer, more = sorted((fewer, more))
    assert chance_cosine(fewer, typical) <= chance_cosine(more, typical)


@given(n=SIZES, less=COSINES, more=COSINES)
def test_chance_comes_nearer_the_more_alike_the_memories_are(n: int, less: float, more: float) -> None:
    less, more = sorted((less, more))
    assert chance_cosine(n, less) <= chance_cosine(n, more)


@given(n=st.integers(0, FEWEST_FOR_TYPICAL - 1), typical=COSINES)
def test_the_likeness_of_few_memories_bounds_nothing(n: int, typical: float) -> None:
    assert chance_cosine(n, typical) == chance_cosine(n, UNKNOWN_TYPICAL_COSINE)


@pytest.mark.parametrize(
    ("searched", "typical", "chance"),
    [
        (0, 0.0, 0.035),
        (1, 1.0, 0.035),
        (10, 0.0, 0.118),
        (1_000, 0.4, 0.284),
        (1_000, 0.6, 0.33),
        (FEWEST_FOR_TYPICAL, 0.6, 0.33),
    ],
)
def test_chance_is_by_number_or_by_likeness(searched: int, typical: float, chance: float) -> None:
    assert chance_cosine(searched, typical) == pytest.approx(chance)


@given(low=COSINES, high=COSINES, chance=COSINES, less=SHARES, more=SHARES)
def test_a_better_answer_is_never_withheld_where_a_worse_one_stands(
    low: float, high: float, chance: float, less: float, more: float
) -> None:
    low, high, less, more = *sorted((low, high)), *sorted((less, more))
    assert is_off_topic(low, chance, lambda: less) or not is_off_topic(high, chance, lambda: more)


@given(cosine=COSINES, chance=COSINES)
def test_what_is_near_by_itself_makes_an_answer(cosine: float, chance: float) -> None:
    assert is_off_topic(cosine, chance, lambda: 0.0) is not is_near(cosine, chance)


def test_coverage_counts_distinct_terms() -> None:
    assert coverage(["pool", "size", "pool"], ["pool", "limit"], WordCounts()) == 0.5
    assert coverage([], ["pool"], WordCounts()) == 0.0


@pytest.mark.parametrize("said", range(1, 12))
def test_three_fifths_of_equal_words_are_three_fifths(said: int) -> None:
    """Safeguard: `COVERAGE_DIGITS`; the shares of sums are off in the last digit, this way or that."""
    words = [f"w{n}" for n in range(5)]
    counts = WordCounts(said, dict.fromkeys(words, said))
    assert coverage(words, words[:3], counts) == 0.6


def test_a_rare_word_covers_more_than_a_common_one() -> None:
    counts = WordCounts(2_000, {"uv": 1_900, "prune": 2})
    assert coverage(["uv", "prune"], ["uv"], counts) < 0.1
    assert coverage(["uv", "prune"], ["prune"], counts) > 0.9


def test_words_that_the_only_memory_says_are_not_common_for_that() -> None:
    """Safeguard: `BACKGROUND_TEXTS`; by the frequency in the project alone the three would cover .38."""
    counts = WordCounts(1, dict.fromkeys(("naming", "python", "functions"), 1))
    asked = ["naming", "python", "functions", "classes"]
    assert coverage(asked, asked[:3], counts) == pytest.approx(0.72, abs=0.01)


@given(n=st.integers(0, 10**6), fewer=st.integers(0, 10**6), more=st.integers(0, 10**6))
def test_the_more_texts_hold_a_word_the_less_it_weighs(n: int, fewer: int, more: int) -> None:
    fewer, more = sorted((fewer, more))
    counts = WordCounts(max(n, more), {"rare": fewer, "common": more})
    assert counts.rarity("unseen") >= counts.rarity("rare") >= counts.rarity("common") > 0.0


def test_the_words_of_two_projects_are_counted_together() -> None:
    together = added_up([WordCounts(3, {"pool": 2}), WordCounts(5, {"pool": 1, "size": 4})])
    assert (together.texts, dict(together.holders)) == (8, {"pool": 3, "size": 4})


@pytest.mark.parametrize(
    ("cosine", "coverage", "chance", "off_topic"),
    [
        (0.20, 0.0, 0.15, True),
        (0.26, 0.0, 0.15, False),
        (0.40, 0.4, 0.33, True),
        (0.40, 0.6, 0.33, False),
        (0.33 + MARGIN, 0.0, 0.33, False),
    ],
)
def test_abstains_only_if_meaning_and_words_both_fail(
    cosine: float, coverage: float, chance: float, off_topic: bool
) -> None:
    assert is_off_topic(cosine, chance, lambda: coverage) is off_topic
