"""What a hit scores: computed from the columns that come with it, since engines round, each in its own way."""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory_layer.adapters.aws.index_queries import ARMS, Body, cosine_of, ref_and_score
from memory_layer.adapters.aws.term_weights import UNKNOWN, FieldStatistics
from memory_layer.domain.analysis import term_hash
from memory_layer.domain.exact_scores import bm25_of_rows, exact_cosines
from memory_layer.domain.memory import Ref
from memory_layer.manifest.index import EXACT, TERMS
from memory_layer.ports import IndexQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def column(hit: Body, name: str) -> bytes | None:
    """What a hit brings of it; None: its document was written before there was such a column."""
    values = hit.get("fields", {}).get(name)
    if not values:
        return None
    padding = "=" * (-len(values[0]) % 4)  # it comes without
    return b64decode(f"{values[0]}{padding}", validate=True)


def arm_scores(
    arm: str, hits: Sequence[Body], query: IndexQuery, statistics: FieldStatistics, terms: Mapping[str, int]
) -> dict[Ref, float]:
    """The best `k` of an arm, best first, equal ones by project and id; the engine's score where there is no column.

    Args:
        statistics, terms: as those that the words were looked for with.
    """
    field = ARMS[arm]
    if arm.endswith("_semantic"):
        scores = _cosines(hits, EXACT[field], query.vector)
    else:
        scores = _bm25(hits, field, statistics, terms)
    best = sorted(((-score, ref) for ref, score in scores.items()))
    return {ref: -score for score, ref in best[: query.k]}


def float16_rows(columns: Sequence[bytes]) -> NDArray[np.float16]:
    """Shape (len(columns), dimensions)."""
    import numpy as np  # late: who reads a record need not load it

    return np.frombuffer(b"".join(columns), "<f2").reshape(len(columns), -1)


def _cosines(hits: Sequence[Body], name: str, query: Any) -> dict[Ref, float]:
    scores = {ref: cosine_of(score) for ref, score in map(ref_and_score, hits)}
    stored = {ref_and_score(hit)[0]: vector for hit in hits if (vector := column(hit, name))}
    if stored:
        exact = exact_cosines(float16_rows(list(stored.values())), query)
        scores |= zip(stored, exact.tolist(), strict=True)
    return scores


def _bm25(
    hits: Sequence[Body], field: str, statistics: FieldStatistics, terms: Mapping[str, int]
) -> dict[Ref, float]:
    scores = {ref: float(score) for ref, score in map(ref_and_score, hits)}
    asked: Counter[int] = Counter()
    for term, count in terms.items():
        asked[term_hash(term)] += count
    rows: dict[str, dict[Ref, bytes]] = {project: {} for project in statistics}
    for hit, ref in zip(hits, scores, strict=True):
        if (row := column(hit, TERMS[field])) is not None:
            rows[ref.project][ref] = row
    for project, found in rows.items():
        of_field = statistics[project][field]
        if of_field.total_length != UNKNOWN:
            scores |= zip(found, bm25_of_rows(list(found.values()), asked, of_field).tolist(), strict=True)
    return {ref: score for ref, score in scores.items() if score > 0.0}
