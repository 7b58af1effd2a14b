"""When a record's vectors are not those of its text, and how coverage counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_layer.domain.integrity.index_comparison import ReconcileReport, VectorCoverage
from memory_layer.domain.memory import needs_vectors
from memory_layer.edge.shapes.answers import coverage_ratio
from memory_layer.usecases.ground.embed import stamped
from tests.index_examples import MODEL, memory

CURRENT = stamped(memory(context="said in a meeting"), MODEL)


def test_current_vectors_are_left_alone() -> None:
    assert not needs_vectors(CURRENT, MODEL)
    assert not needs_vectors(replace(CURRENT, tags=("new",), confidence=0.1, status="archived"), MODEL)


@pytest.mark.parametrize(
    "changed",
    [
        {"embedding_model": None, "embedding_text_hash": None},
        {"embedding_model": "another"},
        {"embedding_text_hash": None},
        {"content": "use WAL mode."},
        {"context": None},
        {"context": "said in a meeting."},
    ],
)
def test_all_else_is_made_anew(changed: dict[str, str | None]) -> None:
    assert needs_vectors(replace(CURRENT, **changed), MODEL)  # type: ignore[arg-type]


def test_coverage_of_nothing_is_whole_and_one_missing_of_many_shows() -> None:
    assert VectorCoverage(0, 0).ratio == 1.0
    assert coverage_ratio(VectorCoverage(0, 0)) == coverage_ratio(VectorCoverage(7, 7)) == 1.0
    assert coverage_ratio(VectorCoverage(1_000_000, 999_999)) == 0.9999


def test_only_what_was_found_is_counted() -> None:
    assert ReconcileReport(looked_at=3).counts == {}
    assert ReconcileReport(stale=2, orphan=1).counts == {"stale": 2, "orphan": 1}
