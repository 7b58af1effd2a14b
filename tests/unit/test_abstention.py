from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_layer.domain.abstention import (
    DEFAULT_TYPICAL_COSINE,
    FEWEST_VECTORS,
    is_off_topic,
    term_coverage,
    typical_cosine,
)
from memory_layer.domain.int8_rows import quantized


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
    orthogonal = np.eye(FEWEST_VECTORS, dtype=np.float32)
    assert typical_cosine(*quantized(orthogonal)) == 0.0


@given(order=st.permutations(range(64)))
def test_typical_cosine_is_the_same_to_the_last_bit_in_whatever_order_is_added(order: list[int]) -> None:
    """Safeguard: sums of whole numbers; processors add up float32 each in an order of its own."""
    vectors = unit_vectors(100, 0.5)
    assert typical_cosine(*quantized(vectors[:, order])) == typical_cosine(*quantized(vectors))


def test_small_project_gets_the_default() -> None:
    assert typical_cosine(*quantized(unit_vectors(FEWEST_VECTORS - 1, 1.0))) == DEFAULT_TYPICAL_COSINE


def test_coverage_counts_distinct_terms() -> None:
    assert term_coverage(["pool", "size", "pool"], ["pool", "limit"]) == 0.5
    assert term_coverage([], ["pool"]) == 0.0


@pytest.mark.parametrize(
    ("cosine", "coverage", "typical", "off_topic"),
    [
        (0.20, 0.0, 1 / 3, True),
        (0.26, 0.0, 1 / 3, False),
        (0.40, 0.4, 0.6, True),
        (0.40, 0.6, 0.6, False),
        (0.50, 0.0, 0.6, False),
    ],
)
def test_abstains_only_if_meaning_and_words_both_fail(
    cosine: float, coverage: float, typical: float, off_topic: bool
) -> None:
    assert is_off_topic(cosine, typical, lambda: coverage) is off_topic
