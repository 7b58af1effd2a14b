"""What a process keeps of how alike the contents of each project are."""

from __future__ import annotations

import pickle
from base64 import b64encode
from typing import Any

from memory_layer.adapters.aws.search.hit_scores import TypicalCosines, sample_fingerprint
from memory_layer.domain.retrieval.abstention import SAMPLE, typical_cosine
from memory_layer.domain.retrieval.exact_scores import quantized
from memory_layer.manifest.index import CONTENT_VECTOR, EXACT
from tests.index_examples import SCOPE, unit_vectors

STORED = unit_vectors(SAMPLE, seed=9).astype("<f2")


def hits(version: int = 1) -> list[dict[str, Any]]:
    columns = (b64encode(vector.tobytes()).decode().rstrip("=") for vector in STORED)
    return [
        {"sort": [n, f"mem_{n:032x}", version], "fields": {EXACT[CONTENT_VECTOR]: [column]}}
        for n, column in enumerate(columns)
    ]


def test_a_sample_is_known_by_its_records_and_their_versions_and_takes_no_room() -> None:
    """With the ids themselves ten thousand projects took 600 MB."""
    typical = TypicalCosines()
    measured = typical.measure(SCOPE, hits())
    assert (
        measured
        == typical.of(SCOPE, sample_fingerprint(hits()))
        == typical_cosine(*quantized(STORED.astype("float32")))
    )
    assert typical.of(SCOPE, sample_fingerprint(hits(version=2))) is None
    assert typical.of(SCOPE, sample_fingerprint(hits()[:-1])) is None
    assert len(pickle.dumps(vars(typical))) < 300
