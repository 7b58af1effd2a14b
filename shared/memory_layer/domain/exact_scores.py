"""Scores to the last digit the same on every backend, whichever engine found what they are of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memory_layer.domain.analysis import MAX_LENGTH, decode_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


def bm25_of_rows(
    rows: Sequence[bytes], query: Mapping[int, int], statistics: TextStatistics
) -> NDArray[np.float64]:
    """BM25 of some texts of a project.

    Args:
        rows: of each text what `analysis.encode_terms` made of it.
        query: hash of each term and how often the query says it.

    Returns:
        Shape (len(rows),); 0 where no term occurs.
    """
    import numpy as np  # late: who reads a record need not load it

    scores = np.zeros(len(rows), np.float64)
    if not rows or not statistics.texts:
        return scores
    decoded = [decode_terms(row) for row in rows]
    hashes = np.concatenate([hashes for hashes, _ in decoded])
    counts = np.concatenate([counts for _, counts in decoded])
    owners = np.repeat(np.arange(len(rows)), [len(hashes) for hashes, _ in decoded])
    lengths = np.bincount(owners, counts, len(rows)).clip(max=MAX_LENGTH).astype(np.uint16)
    holders = np.array([statistics.holders.get(term, 0) for term in query], np.int64)
    weights = inverse_frequencies(statistics.texts, holders) * np.fromiter(
        query.values(), np.float64, len(query)
    )
    for term, weight in zip(query, weights, strict=True):
        at = np.flatnonzero(hashes == term)
        found = owners[at]
        scores[found] += weight * saturation(
            counts[at], lengths[found], statistics.texts, statistics.total_length
        )
    return scores
