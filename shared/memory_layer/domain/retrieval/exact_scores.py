"""Scores to the last digit the same on every backend, whichever engine found what they are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from memory_layer.domain.text.analyzer import analyze

INT8_MAX: Final = 127


def quantized(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows with a scale of their own, so that a component is off by at most 1/254 of its row's largest.

    Args:
        vectors: shape (n, dimensions).

    Returns:
        Rows, and what each is to be multiplied by; shapes (n, dimensions) and (n,). A row of zeros has scale 0.
    """
    import numpy as np  # late: who reads a record need not load it

    largest = np.maximum(vectors.max(axis=1), -vectors.min(axis=1))
    factors = np.divide(INT8_MAX, largest, out=np.zeros_like(largest), where=largest > 0)
    rows = vectors * factors[:, None]
    return np.rint(rows, out=rows).astype(np.int8), largest / np.float32(INT8_MAX)


K1: Final = 1.2
B: Final = 0.75
"""Lucene's defaults (`BM25Similarity`)."""

COSINE_DIGITS: Final = 9
"""Far above what the order of additions leaves open in float64, far below what tells two memories apart."""


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """One text field of one project.

    Args:
        texts: with at least one term.
        total_length: terms in all of them, repeats counted.
        holders: of each term asked for, by its hash, how many texts hold it.
    """

    texts: int
    total_length: int
    holders: Mapping[int, int]


def exact_cosines(vectors: NDArray[np.float16], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Of unit vectors as they are stored with a query; shapes (n, dimensions) and (dimensions,), result (n,)."""
    import numpy as np  # late: who reads a record need not load it

    return np.round(vectors.astype(np.float64) @ query.astype(np.float64), COSINE_DIGITS)


def inverse_frequencies(texts: int, holders: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """What each term weighs; shape of `holders`.

    Source: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework"; as in Lucene since 8.
    """
    import numpy as np  # late: who reads a record need not load it

    return np.asarray(np.log1p((texts - holders + 0.5) / (holders + 0.5)), np.float64)


def saturation(
    counts: NDArray[np.uint8], lengths: NDArray[np.uint16], texts: int, total_length: int
) -> NDArray[np.float32]:
    """What so many occurrences in a text of such a length count, 0..1: tf / (tf + k1 (1 - b + b length / average)).

    Args:
        counts, lengths: of each posting; shape (n,).
        texts, total_length: as `TextStatistics`.
    """
    import numpy as np  # late: who reads a record need not load it

    norm = np.float32(K1 * B * texts / max(total_length, 1)) * lengths
    tf = counts.astype(np.float32)
    return np.asarray(tf / (tf + np.float32(K1 * (1 - B)) + norm), np.float32)


def bm25_of_counts(
    counts: NDArray[np.uint8],
    lengths: NDArray[np.uint16],
    query: Mapping[int, int],
    statistics: TextStatistics,
) -> NDArray[np.float64]:
    """BM25 of some texts of a project.

    Args:
        counts: how often each text says each term of the query, as `analysis.encode_terms` counts; shape
            (texts, terms).
        lengths: of each text, as `analysis.encoded_length`; shape (texts,).
        query: hash of each term and how often the query says it, in the order of `counts`.

    Returns:
        Shape (texts,); 0 where no term occurs.
    """
    import numpy as np  # late: who reads a record need not load it

    scores = np.zeros(len(counts), np.float64)
    if not len(counts) or not statistics.texts:
        return scores
    holders = np.array([statistics.holders.get(term, 0) for term in query], np.int64)
    said = np.fromiter(query.values(), np.float64, len(query))
    weights = inverse_frequencies(statistics.texts, holders) * said
    for number, weight in enumerate(weights):
        found = np.flatnonzero(counts[:, number])
        scores[found] += weight * saturation(
            counts[found, number], lengths[found], statistics.texts, statistics.total_length
        )
    return scores


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
