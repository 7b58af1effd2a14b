"""The trial's inverted lists: exact when all are probed, and whole about what came after training."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_layer.adapters.project_index import vector_matrix
from memory_layer.adapters.project_index.vector_matrix import VectorMatrix, VectorView, nearest
from tests.bench.centroid_lists import Lists, assigned, by_lists, listed, trained

DIMENSIONS, LISTS, EARLY, LATE, K = 64, 16, 700, 100, 20


def rows_of(seed: int, count: int) -> NDArray[np.float32]:
    """Unit vectors around some centres, those of another seed in other directions."""
    randomness = np.random.default_rng(seed)
    centres = randomness.standard_normal((6, DIMENSIONS))
    rows = centres[randomness.integers(0, 6, count)] + 0.6 * randomness.standard_normal((count, DIMENSIONS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(autouse=True)
def _heads_of_small_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_matrix, "_HEADS_FROM", 100)


def built(seed: int, *, with_overflow: bool) -> tuple[VectorView, Lists, NDArray[np.float32]]:
    """Lists trained on the rows of one subject; those of another came later."""
    rows = np.concatenate((rows_of(seed, EARLY), rows_of(seed + 1, LATE)))
    matrix = VectorMatrix(DIMENSIONS)
    matrix.extend(np.arange(len(rows), dtype=np.int32), rows.astype(np.float16))
    matrix.view  # noqa: B018  (it has the heads fitted)
    vector_matrix._fitter.submit(int).result()
    centroids = trained(rows[:EARLY], LISTS, np.random.default_rng(seed))
    of_rows, _ = assigned(rows, centroids)
    if with_overflow:
        of_rows[EARLY:] = LISTS
    return matrix.view, listed(matrix.view, centroids, of_rows), rows


@given(seed=st.integers(0, 10**6), at=st.integers(0, EARLY + LATE - 1), accepts=st.sampled_from([1.0, 0.5]))
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_lists_together_answer_as_the_exact_scan(seed: int, at: int, accepts: float) -> None:
    view, lists, rows = built(seed, with_overflow=bool(seed % 2))
    accepted = np.random.default_rng(seed).random(len(rows)) < accepts
    slots, cosines = nearest(view, rows[at], accepted, K)
    _, found, _ = by_lists(view, lists, rows[at], accepted, 1.0, K)
    assert found.tolist() == sorted(cosines.tolist(), reverse=True)[:K]
    assert len(slots) >= K


@pytest.mark.parametrize("with_overflow", [True, False])
def test_what_came_after_training_is_found_by_the_overflow_alone(with_overflow: bool) -> None:
    """Safeguard: the overflow list; without it half of a late subject's nearest are lost."""
    view, lists, rows = built(3, with_overflow=with_overflow)
    everything, kept = np.ones(len(rows), np.bool_), []
    for query in rows[EARLY:]:
        exact, _ = nearest(view, query, everything, K)
        found, _, _ = by_lists(view, lists, query, everything, 0.06, K)
        kept.append(len(set(exact.tolist()) & set(found.tolist())) / K)
    assert (np.mean(kept) > 0.9) == with_overflow


def test_the_same_rows_and_seed_give_the_same_centroids() -> None:
    rows = rows_of(1, EARLY)
    one, other = (trained(rows, LISTS, np.random.default_rng(4)) for _ in range(2))
    assert one.tolist() == other.tolist()
