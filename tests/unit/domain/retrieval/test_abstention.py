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
    is_near,
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


def test_near_is_a_margin_above_chance() -> None:
    assert is_near(0.2 + MARGIN, 0.2)
    assert not is_near(0.19 + MARGIN, 0.2)


def test_the_words_of_two_projects_are_counted_together() -> None:
    together = added_up([WordCounts(3, {"pool": 2}), WordCounts(5, {"pool": 1, "size": 4})])
    assert (together.texts, dict(together.holders)) == (8, {"pool": 3, "size": 4})


def test_a_hit_that_shares_no_word_has_to_be_clearly_nearer_than_chance() -> None:
    """Falls where whatever is a little nearer than chance is listed (MARGIN)."""
    chance = chance_cosine(1_000, 0.0)
    assert not is_near(chance + 0.05, chance)
    assert is_near(chance + 0.15, chance)
    assert is_near(np.array([chance + 0.02, chance + 0.12]), chance).tolist() == [False, True]


def test_what_can_be_said_of_a_question_is_as_many_rare_words_as_it_has() -> None:
    """Falls where every synonym that is searched for counts as a word of the question."""
    plain = WordCounts(100, {"backup": 5, "kept": 40, "long": 0})
    spelled_out = WordCounts(100, {**plain.holders, "archiv": 60, "restor": 70})
    rarest = WordCounts(100, {"backup": 5})
    assert spelled_out.weight("backups kept") == pytest.approx(plain.weight("backups kept"))
    assert 0.0 < spelled_out.weight("backups") == rarest.weight("backups kept") < plain.weight("backups kept")
    assert WordCounts(100, {"long": 0}).weight("long") == WordCounts().weight("long") == 0.0


def test_of_several_projects_the_one_counts_that_can_say_least() -> None:
    """BM25 goes by a project's own frequencies. Falls where a large shared project makes every word rare."""
    own, shared = WordCounts(1, {"backup": 1, "kept": 1}), WordCounts(10_000, {"backup": 0, "kept": 0})
    assert added_up([own, shared]).weight("backups kept") == own.weight("backups kept") > 0.0
    busy = WordCounts(10_000, {"backup": 1, "kept": 0})
    assert added_up([own, busy]).weight("backups kept") == own.weight("backups kept")
    assert added_up([shared, shared]).weight("backups kept") == 0.0
