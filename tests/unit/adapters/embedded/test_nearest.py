"""Nearest rows by heads and tails: the same as by comparing every row, whatever the vectors are like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_layer.adapters.project_index import head_rows, int8_scan, vector_matrix
from memory_layer.adapters.project_index.content_neighbours import near_slots
from memory_layer.adapters.project_index.vector_matrix import VectorMatrix, VectorView, nearest
from memory_layer.domain.retrieval.exact_scores import exact_cosines

DIMENSIONS = 64
HEADS_FROM = 400

Vectors = NDArray[np.float16]


def subject(count: int, seed: int, decay: float = 0.9) -> Vectors:
    """Unit vectors as of one subject: around some centres, and long in few directions."""
    randomness = np.random.default_rng(seed)
    turned = np.linalg.qr(randomness.standard_normal((DIMENSIONS, DIMENSIONS)))[0]
    spread = decay ** np.arange(DIMENSIONS)
    centres = randomness.standard_normal((8, DIMENSIONS)) * spread
    drawn = centres[randomness.integers(0, 8, count)]
    vectors = (drawn + 0.7 * randomness.standard_normal((count, DIMENSIONS)) * spread) @ turned
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    return unit


@pytest.fixture(autouse=True)
def _heads_of_small_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_matrix, "_HEADS_FROM", HEADS_FROM)
    monkeypatch.setattr(vector_matrix, "_FEW_WANTED", 1)
    monkeypatch.setattr(vector_matrix, "_MOST_LEFT", 1)


def appended(matrix: VectorMatrix, vectors: Vectors) -> VectorView:
    """The view after these rows came, with the heads that are due."""
    matrix.extend(np.arange(len(matrix), len(matrix) + len(vectors), dtype=np.int32), vectors)
    view = matrix.view
    vector_matrix._fitter.submit(int).result()
    return matrix.view if view.heads is None else view


def near_copies(vector: Vectors, count: int, seed: int) -> Vectors:
    """Vectors that differ by less than an int8 row tells, and some that do not differ."""
    noise = 0.01 * np.random.default_rng(seed).standard_normal((count, DIMENSIONS)) / DIMENSIONS**0.5
    noise[::4] = 0
    copies: Vectors = (vector + noise).astype(np.float16)
    return copies


def by_comparing_all(
    vectors: Vectors, query: NDArray[np.float32], accepted: NDArray[np.bool_], k: int
) -> set[int]:
    slots = np.flatnonzero(accepted)
    cosines = exact_cosines(vectors[slots], query)
    if len(slots) <= k:
        return set(slots.tolist())
    return set(slots[cosines >= np.sort(cosines)[-k]].tolist())


queries = st.tuples(st.sampled_from(["first", "second", "between", "far"]), st.integers(0, 10**6))


def asked(kind: str, seed: int, vectors: Vectors) -> NDArray[np.float32]:
    randomness = np.random.default_rng(seed)
    here, there = vectors[seed % 500].astype(np.float32), vectors[-1 - seed % 2].astype(np.float32)
    noise = randomness.standard_normal(DIMENSIONS).astype(np.float32) / 8
    query = {
        "first": here + 0.3 * noise,
        "second": there + 0.3 * noise,
        "between": here + there,
        "far": noise,
    }[kind]
    return query / np.float32(np.linalg.norm(query))


@given(
    seed=st.integers(0, 10**6),
    decay=st.sampled_from([0.7, 0.9, 0.97, 1.0]),
    copies=st.sampled_from([0, 30, 120]),
    query=queries,
    share=st.sampled_from([1.0, 0.5, 0.1, 0.01]),
    k=st.sampled_from([1, 10, 50]),
    compacts=st.booleans(),
)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nearest_are_those_of_comparing_all(
    seed: int, decay: float, copies: int, query: tuple[str, int], share: float, k: int, compacts: bool
) -> None:
    """Safeguards: `HeadEstimates.reaching` and `_error`, and that heads follow what is appended after the fit."""
    matrix, first, second = VectorMatrix(DIMENSIONS), subject(700, seed, decay), subject(100, seed + 1, decay)
    appended(matrix, first)
    vectors = np.concatenate((first, near_copies(second[-1], copies, seed), second))
    view = appended(matrix, vectors[len(first) :])
    if compacts:
        kept = np.arange(len(vectors)) % 3 > 0
        matrix.renumber(np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32))
        vectors, view = vectors[kept], matrix.view
    assert view.heads is not None
    accepted = np.random.default_rng(seed + 2).random(len(vectors)) < share
    vector = asked(*query, vectors)
    slots, cosines = nearest(view, vector, accepted, k)
    assert set(slots.tolist()) == by_comparing_all(vectors, vector, accepted, k)
    assert cosines.tolist() == exact_cosines(vectors[slots], vector).tolist()


def test_an_index_whose_rows_are_all_of_another_model_has_nothing_near() -> None:
    """Falls where no row is handed to simsimd, which refuses an empty collection."""
    empty = VectorMatrix(DIMENSIONS).view
    vector = subject(8, seed=5)[0]
    assert near_slots(empty, vector[None], np.ones(4, np.bool_), 3, 0.5) == [[]]


@pytest.fixture
def counted_rows(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Shapes of the rows that were scanned."""
    shapes: list[tuple[int, int]] = []
    scan = int8_scan.scan

    def counting(rows: NDArray[np.int8], *given: object) -> NDArray[np.float32]:
        shapes.append(rows.shape)
        return scan(rows, *given)  # type: ignore[arg-type]

    for module in (vector_matrix, head_rows):
        monkeypatch.setattr(module, "scan", counting)
    return shapes


def test_of_a_question_on_the_subject_few_rows_are_scanned_whole(counted_rows: list[tuple[int, int]]) -> None:
    vectors = subject(4_000, seed=5)
    view = appended(VectorMatrix(DIMENSIONS), vectors)
    nearest(view, asked("first", 3, vectors), np.ones(4_000, np.bool_), 10)
    assert sum(count for count, width in counted_rows if width == DIMENSIONS) < 400


def test_under_a_filter_only_accepted_rows_are_scanned_whole(counted_rows: list[tuple[int, int]]) -> None:
    """Safeguard: `_left_by_heads` drops what is not accepted first; a filter on another subject leaves most rows."""
    vectors = np.concatenate((subject(3_600, seed=5), subject(400, seed=6)))
    view = appended(VectorMatrix(DIMENSIONS), vectors)
    accepted = np.arange(4_000) >= 3_600
    nearest(view, asked("first", 3, vectors), accepted, 300)
    assert sum(count for count, width in counted_rows if width == DIMENSIONS) <= 400


def test_where_heads_tell_nothing_the_rows_are_scanned_at_once(
    counted_rows: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safeguard: `_heads_tell`; without it heads and rows would be scanned."""
    monkeypatch.setattr(vector_matrix, "_MOST_LEFT", 6)
    monkeypatch.setattr(head_rows, "_TOLD_BY_ROWS", 256)
    vectors = subject(4_000, seed=5, decay=1.0)
    view = appended(VectorMatrix(DIMENSIONS), vectors)
    nearest(view, asked("far", 3, vectors), np.ones(4_000, np.bool_), 10)
    assert all(count < 1_000 or width == DIMENSIONS for count, width in counted_rows)


def test_where_the_sample_misled_the_rows_are_scanned_and_not_picked(
    counted_rows: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safeguard: `_left_by_heads` looks at how many rows are left; four fifths of them took 5 to 30 scans to pick."""
    monkeypatch.setattr(vector_matrix, "_MOST_LEFT", 6)
    monkeypatch.setattr(vector_matrix, "_heads_tell", lambda *_: True)
    vectors = subject(4_000, seed=5, decay=1.0)
    view = appended(VectorMatrix(DIMENSIONS), vectors)
    nearest(view, asked("far", 3, vectors), np.ones(4_000, np.bool_), 10)
    assert [count for count, width in counted_rows if width == DIMENSIONS] == [4_000]


def test_axes_are_fitted_anew_when_another_subject_has_come() -> None:
    """Safeguard: `_REFITTED_GROWTH`."""
    matrix = VectorMatrix(DIMENSIONS)
    first = appended(matrix, subject(600, seed=1))
    appended(matrix, subject(700, seed=2))
    later = matrix.view
    assert first.heads is not None
    assert later.heads is not None
    assert later.heads.axes.tolist() != first.heads.axes.tolist()
