"""Lines of a batch are compared with all before them that may be duplicates, and with the nearest related ones."""

from __future__ import annotations

import numpy as np
import pytest

from memory_layer.domain.conflicts.contradiction import CANDIDATE_COSINE
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.ports.commit import Vectors
from memory_layer.usecases.write.near_duplicates import NEIGHBOURS, PendingBatch, PendingRecord
from tests.given import a_memory, new_scope

SCOPE = new_scope()


@pytest.mark.parametrize("duplicates", [0, 3, NEIGHBOURS, NEIGHBOURS + 4])
@pytest.mark.parametrize("related", [0, 2, NEIGHBOURS, 30])
def test_all_duplicates_are_compared_and_of_related_lines_the_nearest(duplicates: int, related: int) -> None:
    """Falls where one of the nearest eight is left out, or a duplicate because eight others are nearer."""
    cosines = [
        *np.linspace(0.999, DUPLICATE_COSINE + 0.001, duplicates),
        *np.linspace(DUPLICATE_COSINE - 0.001, CANDIDATE_COSINE + 0.001, related),
        *np.linspace(CANDIDATE_COSINE - 0.01, -1.0, 9),
    ]
    batch = PendingBatch(len(cosines), 2)
    for at in np.random.default_rng(3).permutation(len(cosines)):
        row = np.array([cosines[at], np.sqrt(1 - cosines[at] ** 2)], np.float32)
        batch.add(PendingRecord(a_memory(SCOPE, id=f"m{at}"), Vectors(row)))
    found = {memory.id for memory, _ in batch.near(np.array([1.0, 0.0], np.float32))}
    kept = max(duplicates, min(NEIGHBOURS, duplicates + related))
    assert found == {f"m{at}" for at in range(kept)}
