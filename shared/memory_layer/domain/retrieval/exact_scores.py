"""Exact scores (cosine, BM25) that are the same to the last digit on every backend, whatever engine found the hits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.text.analyzer import analyze

INT8_MAX: Final = 127


def quantized(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantizes rows to int8 with a scale each, so that a component is off by at most 1/254 of its row's largest.

    Args:
        vectors: shape (n, dimensions).

    Returns:
        Rows, and the factor of each; shapes (n, dimensions) and (n,). A row of zeros has scale 0.
    """
    largest = np.maximum(vectors.max(axis=1), -vectors.min(axis=1))
    factors = np.divide(INT8_MAX, largest, out=np.zeros_like(largest), where=largest > 0)
    rows = vectors * factors[:, None]
    return np.rint(rows, out=rows).astype(np.int8), largest / np.float32(INT8_MAX)


K1: Final = 1.2
B: Final = 0.75
"""BM25 parameters, Lucene's defaults (`BM25Similarity`)."""

COSINE_DIGITS: Final = 9
"""Digits of a cosine: coarser than float64's summation error, finer than the difference of any two memories."""


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """Statistics of one text field of one project, for BM25.

    Args:
        texts: number of texts with at least one term.
        total_length: terms in all of them, repeats counted.
        holders: number of texts that hold each query term, by the term's hash.
    """

    texts: int
    total_length: int
    holders: Mapping[int, int]


def exact_cosines(vectors: NDArray[np.float16], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Cosine of each stored unit vector with a query; shapes (n, dimensions) and (dimensions,), result (n,)."""
    return np.round(vectors.astype(np.float64) @ query.astype(np.float64), COSINE_DIGITS)


def inverse_frequencies(texts: int, holders: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Inverse document frequency of each term; shape of `holders`.

    Source: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework"; as in Lucene since 8.
    """
    return np.asarray(np.log1p((texts - holders + 0.5) / (holders + 0.5)), np.float64)


def said_once(lengths: NDArray[np.uint16], texts: int, total_length: int) -> NDArray[np.float32]:
    """Count of a term that a text says once: 1 / (1 + K), K = k1 (1 - b + b length / average length).

    Args:
        lengths: of each text; shape (n,).
        texts, total_length: as `TextStatistics`.
    """
    damped = lengths * np.float32(K1 * B * texts / max(total_length, 1))
    damped += np.float32(1 + K1 * (1 - B))
    return np.asarray(np.divide(np.float32(1), damped, out=damped), np.float32)


def repeat_factors(counts: NDArray[np.uint8], once: NDArray[np.float32]) -> NDArray[np.float32]:
    """Factor of a term that is said c times, as a share of what it counts once: c (1 + K) / (c + K) - 1.

    Args:
        counts: of each posting.
        once: of its text, as `said_once`.
    """
    more = counts.astype(np.float32)
    more -= np.float32(1)
    return np.asarray(more * (np.float32(1) - once) / (more * once + np.float32(1)), np.float32)


def bm25_of_counts(
    counts: NDArray[np.uint8],
    lengths: NDArray[np.uint16],
    query: Mapping[int, int],
    statistics: TextStatistics,
) -> NDArray[np.float64]:
    """BM25 of some texts of a project.

    Args:
        counts: occurrences of each query term in each text, as `analyzer.encode_terms` counts; shape (texts, terms).
        lengths: of each text, as `analyzer.encoded_length`; shape (texts,).
        query: occurrences in the query by the term's hash, in the order of `counts`.

    Returns:
        Shape (texts,); 0 where no term occurs.
    """
    scores = np.zeros(len(counts), np.float64)
    if not len(counts) or not statistics.texts:
        return scores
    holders = np.array([statistics.holders.get(term, 0) for term in query], np.int64)
    repeats = np.fromiter(query.values(), np.float64, len(query))
    weights = inverse_frequencies(statistics.texts, holders) * repeats
    once = said_once(lengths, statistics.texts, statistics.total_length)
    for number, weight in enumerate(weights):
        scores[counts[:, number] > 0] += weight
    for number, weight in enumerate(weights):
        many = np.flatnonzero(counts[:, number] > 1)
        scores[many] += repeat_factors(counts[many, number], once[many]) * weight
    scores *= once
    return scores


K = TypeVar("K")


def bm25(query: str, texts: Mapping[K, str]) -> dict[K, float]:
    """BM25 of each text that shares a term with the query, with the statistics of these texts alone.

    Args:
        query: in plain words.
        texts: some hundreds at most; they are analysed on each call.

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
    keys: Sequence[K] = list(vectors)
    similarities = np.stack([vectors[key] for key in keys]) @ query
    return dict(zip(keys, similarities.tolist(), strict=True))
