"""Score a handful of records without an index: writes that it has not seen yet, or all there is while it is down."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from memory_layer.domain.retrieval.exact_scores import K1, B
from memory_layer.domain.text.analyzer import analyze

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K = TypeVar("K")


def bm25(query: str, texts: Mapping[K, str]) -> dict[K, float]:
    """BM25 of each text that shares a term with the query, with the statistics of these texts alone.

    Args:
        query: what is asked, in plain words.
        texts: some hundreds at most; they are analysed on the spot.

    Returns:
        Score by key, > 0; texts without a match are absent.
    """
    counts = {key: Counter(analyze(text)) for key, text in texts.items()}
    if not counts:
        return {}
    mean_length = max(1.0, sum(count.total() for count in counts.values()) / len(counts))
    terms = set(analyze(query))
    holders = {term: sum(term in count for count in counts.values()) for term in terms}
    scores = {
        key: sum(
            _term_score(count[term], count.total() / mean_length, holders[term], len(counts))
            for term in terms
            if term in count
        )
        for key, count in counts.items()
    }
    return {key: score for key, score in scores.items() if score > 0.0}


def _term_score(occurrences: int, relative_length: float, holders: int, total: int) -> float:
    idf = math.log(1.0 + (total - holders + 0.5) / (holders + 0.5))
    return idf * occurrences / (occurrences + K1 * (1.0 - B + B * relative_length))


def cosines(query: NDArray[np.float32], vectors: Mapping[K, NDArray[np.float32]]) -> dict[K, float]:
    """Cosine of each vector with the query; all of unit length, shape (dimensions,)."""
    if not vectors:
        return {}
    import numpy as np  # late: who reads a record need not load it

    keys: Sequence[K] = list(vectors)
    similarities = np.stack([vectors[key] for key in keys]) @ query
    return dict(zip(keys, similarities.tolist(), strict=True))
