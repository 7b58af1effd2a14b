"""Vectors of a large corpus, enlarged from real ones: mixes of them, with noise along their principal axes.

Real vectors of texts crowd a cone and few axes carry most of them. Noise in all directions alike would make every
memory about as far from every other, which no index meets in use.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
POOL = 4_096
NEIGHBOURS = 30
QUESTION_SHARE = 0.62
"""Weight of the memory in the vector of a question about it: a cosine of .6 to .7, as of real questions."""


@dataclass(frozen=True, slots=True)
class SeedVectors:
    """Real unit vectors, their nearest neighbours, and noise that is distributed as they are."""

    vectors: Matrix
    neighbours: NDArray[np.int64]
    noise: Matrix

    @classmethod
    def of(cls, vectors: Matrix) -> SeedVectors:
        return cls(vectors, _nearest(vectors), anisotropic_noise(vectors, POOL))

    def mixed(
        self, first: NDArray[np.int64], second: NDArray[np.int64], randomness: np.random.Generator
    ) -> Matrix:
        """Vectors of texts made of two: a mix of theirs, turned a little."""
        share = randomness.uniform(0.6, 0.85, (len(first), 1)).astype(np.float32)
        turned = self.noise[randomness.integers(0, POOL, len(first))]
        spread = randomness.uniform(0.35, 0.75, (len(first), 1)).astype(np.float32)
        return unit(share * self.vectors[first] + (1 - share) * self.vectors[second] + spread * turned)


class LookupEmbedder:
    """An `Embedder` that looks vectors up; a text that nobody gave a vector for gets one made of its hash."""

    def __init__(self, model: str, known: Mapping[str, NDArray[np.float32]], noise: Matrix) -> None:
        self.model, self.dimensions = model, noise.shape[1]
        self.known = known
        self._noise = noise

    def embed(self, texts: Sequence[str]) -> Matrix:
        rows = [self._vector(text) for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.dimensions), np.float32)

    def _vector(self, text: str) -> Matrix:
        known = vector_asked(text, self.known)
        if known is not None:
            return known
        begun = self.known.get(text.partition("\n")[0])
        made = self._made(text)
        return made if begun is None else unit((begun + 0.4 * made)[None])[0]

    def _made(self, text: str) -> Matrix:
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        first, second = (int.from_bytes(digest[start : start + 4]) % len(self._noise) for start in (0, 4))
        return unit((self._noise[first] + 0.7 * self._noise[second])[None])[0]


def vector_asked(text: str, known: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32] | None:
    """Vector of a text, or of the question that it begins with; None: of neither.

    The product searches for a question with what its short forms stand for behind it.
    """
    while text and text not in known:
        text = text.rpartition(" ")[0]
    return known.get(text)


def question_vectors(about: Matrix, noise: Matrix, randomness: np.random.Generator) -> Matrix:
    """Vectors of questions about memories with these vectors."""
    turned = noise[randomness.integers(0, len(noise), len(about))]
    return unit(QUESTION_SHARE * about + np.sqrt(1 - QUESTION_SHARE**2) * turned)


def anisotropic_noise(vectors: Matrix, count: int) -> Matrix:
    """Unit vectors drawn with the covariance of real ones."""
    randomness = np.random.default_rng(11)
    _, spreads, axes = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    drawn = randomness.standard_normal((count, len(spreads))) * (spreads / np.sqrt(len(vectors)))
    return unit((drawn @ axes).astype(np.float32))


def unit(vectors: Matrix) -> Matrix:
    scaled: Matrix = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def _nearest(vectors: Matrix) -> NDArray[np.int64]:
    """The nearest neighbours of each, itself left out."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1.0)
    nearest: NDArray[np.int64] = np.argpartition(-cosines, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
    return nearest
