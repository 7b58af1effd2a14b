"""Scores of hits, computed from the columns that come with them: engines round, each in its own way."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory_layer.adapters.aws.search.filter_clauses import Body
from memory_layer.adapters.aws.search.queries import (
    ARMS,
    TERM_COUNTS,
    TOLD_DAYS,
    cosine_of,
    hits_of,
    ref_and_score,
)
from memory_layer.adapters.aws.search.term_weights import UNKNOWN, FieldStatistics, query_counts_by_hash
from memory_layer.domain.memory import Ref
from memory_layer.domain.retrieval.exact_scores import bm25_of_counts, exact_cosines
from memory_layer.domain.retrieval.told_days import TOLD_SPANS, DaySpans, shares_within
from memory_layer.manifest.index import EXACT, TOLD_COLUMN
from memory_layer.ports.index import IndexQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.abstention import UNKNOWN_TYPICAL_COSINE, typical_cosine
from memory_layer.domain.retrieval.exact_scores import quantized
from memory_layer.manifest.index import CONTENT_VECTOR

SampleFingerprint = int
"""Hash, within this process, of the records and versions in a sample; it names none of them."""

_MOST_PROJECTS = 10_000


def sample_fingerprint(hits: Sequence[Body]) -> SampleFingerprint:
    return hash(tuple(tuple(hit["sort"]) for hit in hits))


class TypicalCosines:
    """Typical cosines that this process has measured; threads may share them."""

    def __init__(self) -> None:
        self._measured: dict[Scope, tuple[SampleFingerprint, float]] = {}

    def knows(self, scope: Scope) -> bool:
        return scope in self._measured

    def of(self, scope: Scope, sample: SampleFingerprint) -> float | None:
        """Returns a project's typical cosine; None: it has to be measured."""
        measured = self._measured.get(scope)
        return measured[1] if measured is not None and measured[0] == sample else None

    def measure(self, scope: Scope, hits: Sequence[Body]) -> float:
        """Measures and keeps the typical cosine of a sample. Args: hits: with their vectors."""
        columns = [found for hit in hits if (found := hit_column(hit, EXACT[CONTENT_VECTOR])) is not None]
        cosine = UNKNOWN_TYPICAL_COSINE
        if columns:
            cosine = typical_cosine(*quantized(float16_rows(columns).astype("float32")))
        if len(self._measured) >= _MOST_PROJECTS:
            self._measured.clear()
        self._measured[scope] = (sample_fingerprint(hits), cosine)
        return cosine


def hit_column(hit: Body, name: str) -> bytes | None:
    """Column of a hit; None: its document was written before there was such a column."""
    values = hit.get("fields", {}).get(name)
    if not values:
        return None
    padding = "=" * (-len(values[0]) % 4)  # it comes without
    return b64decode(f"{values[0]}{padding}", validate=True)


def lists_of(
    answers: Mapping[str, Body], query: IndexQuery, statistics: FieldStatistics, terms: Mapping[str, int]
) -> dict[str, dict[Ref, float]]:
    """Scores of all arms. Args: answers: by arm; the others as `arm_scores`."""
    scored = {
        arm: arm_scores(arm, hits_of(answer), query, statistics, terms)
        for arm, answer in answers.items()
        if arm != TOLD_DAYS
    }
    if query.days:
        scored[TOLD_DAYS] = told_scores(answers, scored.values(), query.days)
    return scored


def arm_scores(
    arm: str, hits: Sequence[Body], query: IndexQuery, statistics: FieldStatistics, terms: Mapping[str, int]
) -> dict[Ref, float]:
    """Best `k` of an arm with their scores, equal ones by project and id; the engine's score without a column.

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


def told_scores(
    answers: Mapping[str, Body], listed: Iterable[Mapping[Ref, float]], days: DaySpans
) -> dict[Ref, float]:
    """Share of the days that records tell of in those asked for, of those that tell of any.

    Args:
        answers: by the names in LISTS, the one for the days among them.
        listed: records in the other lists, which alone count of what the other answers hold.
    """
    import numpy as np  # late: who reads a record need not load it

    told = {
        ref: spans for answer in answers.values() for ref, spans in map(_told_spans, hits_of(answer)) if spans
    }
    kept = {ref_and_score(hit)[0] for hit in hits_of(answers.get(TOLD_DAYS, {}))}.union(*listed)
    refs = [ref for ref in told if ref in kept]
    spans = np.array([(*told[ref], *told[ref])[:TOLD_SPANS] for ref in refs], np.int32)
    shares = shares_within(spans.reshape(-1, TOLD_SPANS, 2), days).tolist()
    return {ref: share for ref, share in zip(refs, shares, strict=True) if share}


def _told_spans(hit: Body) -> tuple[Ref, list[list[int]]]:
    """Record of a hit with the days that it tells of; none of a document of before."""
    told = hit.get("fields", {}).get(TOLD_COLUMN, [])
    return ref_and_score(hit)[0], [[int(day) for day in span.split("/")] for span in told]


def float16_rows(columns: Sequence[bytes]) -> NDArray[np.float16]:
    """Matrix of columns, of shape (len(columns), dimensions)."""
    import numpy as np  # late: who reads a record need not load it

    return np.frombuffer(b"".join(columns), "<f2").reshape(len(columns), -1)


def _cosines(hits: Sequence[Body], name: str, query: Any) -> dict[Ref, float]:
    scores = {ref: cosine_of(score) for ref, score in map(ref_and_score, hits)}
    stored = {ref_and_score(hit)[0]: vector for hit in hits if (vector := hit_column(hit, name))}
    if stored:
        exact = exact_cosines(float16_rows(list(stored.values())), query)
        scores |= zip(stored, exact.tolist(), strict=True)
    return scores


def _bm25(
    hits: Sequence[Body], field: str, statistics: FieldStatistics, terms: Mapping[str, int]
) -> dict[Ref, float]:
    import numpy as np  # late: who reads a record need not load it

    scores = {ref: float(score) for ref, score in map(ref_and_score, hits)}
    counted: dict[str, dict[Ref, tuple[list[int], int]]] = {project: {} for project in statistics}
    for hit, ref in zip(hits, scores, strict=True):
        if counts := hit.get("fields", {}).get(TERM_COUNTS):
            counted[ref.project][ref] = counts, hit["sort"][1]
    for project, found in counted.items():
        of_field = statistics[project][field]
        if found and of_field.total_length != UNKNOWN:
            counts = np.array([counts for counts, _ in found.values()], np.uint8)
            lengths = np.array([length for _, length in found.values()], np.uint16)
            exact = bm25_of_counts(counts, lengths, query_counts_by_hash(terms), of_field)
            scores |= zip(found, exact.tolist(), strict=True)
    return {ref: score for ref, score in scores.items() if score > 0.0}
