"""Data for the speed benchmarks: clustered unit vectors and texts with Zipf's frequencies, both from a seed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

CLUSTERS = 1_000
NOISE = 0.75
VOCABULARY = 50_000
ZIPF_EXPONENT = 1.1
SHORTEST, LONGEST = 8, 40
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]


def clustered_vectors(n: int, dimensions: int, seed: int) -> NDArray[np.float16]:
    """Unit vectors around 1,000 centres: neighbours have a cosine of about .6, others of about 0.

    Returns:
        Shape (n, dimensions), float16.
    """
    randomness = np.random.default_rng(seed)
    centres = _unit(randomness.standard_normal((CLUSTERS, dimensions), dtype=np.float32))
    vectors = np.empty((n, dimensions), np.float16)
    for start in range(0, n, 50_000):
        stop = min(n, start + 50_000)
        noise = _unit(randomness.standard_normal((stop - start, dimensions), dtype=np.float32))
        vectors[start:stop] = _unit(centres[randomness.integers(0, CLUSTERS, stop - start)] + NOISE * noise)
    return vectors


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def vocabulary(size: int = VOCABULARY) -> list[str]:
    """Pronounceable pseudo-words, all different, commonest first and shorter."""
    base = len(_SYLLABLES)
    words = []
    for number in range(size):
        left, parts = number + base, []
        while left:
            left, digit = divmod(left, base)
            parts.append(_SYLLABLES[digit])
        words.append("".join(parts))
    return words


def zipfian_texts(n: int, seed: int) -> list[str]:
    """Texts of 8 to 40 words, drawn with Zipf's frequencies."""
    randomness = np.random.default_rng(seed)
    words = np.array(vocabulary())
    shares = 1.0 / np.arange(1, VOCABULARY + 1) ** ZIPF_EXPONENT
    ends = np.cumsum(shares / shares.sum())
    lengths = randomness.integers(SHORTEST, LONGEST + 1, n)
    drawn = words[np.searchsorted(ends, randomness.random(int(lengths.sum()))).clip(max=VOCABULARY - 1)]
    starts = np.concatenate(([0], np.cumsum(lengths)))
    return [" ".join(drawn[a:b]) for a, b in pairwise(starts)]
