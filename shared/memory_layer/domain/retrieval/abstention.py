"""Chance: the cosine with a question that the best of so many memories reaches without bearing on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import log10
from typing import Any
from zlib import crc32

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.exact_scores import inverse_frequencies
from memory_layer.domain.text.analyzer import analyze

Nearness = Any
"""Cosine, -1..1, or a column of cosines; and the boolean, or the column of booleans, that tells if it is near."""

CHANCE_OF_ONE = 0.035
CHANCE_PER_TENFOLD = 0.083
"""Cosine that chance reaches: grows with each tenfold of searched memories (ADR-0020)."""

CHANCE_OF_TYPICAL = 0.55
"""Share of the typical cosine that chance reaches, where the typical cosine is known."""

FEWEST_FOR_TYPICAL = 32
"""Fewest memories to measure the typical cosine of; among fewer it is a matter of luck."""

MARGIN = 0.10
"""Margin in cosine by which a hit that shares no word with the question has to be nearer than chance."""

TYPICAL_QUANTILE = 0.95
SAMPLE = 256
"""Vectors that determine the typical cosine to ± .01; 64 do to ± .03."""

UNKNOWN_TYPICAL_COSINE = 0.0
"""Typical cosine of projects too small to measure: it bounds nothing."""


def sample_seed(scope: Scope) -> int:
    """Seed of a project for `sample_place`."""
    return crc32(f"{scope.tenant}#{scope.project}#".encode())


def sample_place(id: str, seed: int) -> int:
    """Place of a memory in a pseudo-random order, 31 bits: the first `SAMPLE` of a project are its sample, the same on
    every backend and for every order of writes. Equal places go by id."""
    return crc32(id.encode(), seed) >> 1


def typical_cosine(rows: NDArray[np.int8], scales: NDArray[np.float32]) -> float:
    """Typical similarity of a project's memories: the scale on which a query's best cosine is judged.

    A fixed floor is not enough: conversations of the same two people have cosine .6, engineering facts .3.

    Args:
        rows, scales: of unit vectors, as `exact_scores.quantized`; the sample that `sample_place` draws is enough.

    Returns:
        95th percentile of the cosine between two different memories, or `UNKNOWN_TYPICAL_COSINE` below 32 vectors.
    """
    if len(rows) < FEWEST_FOR_TYPICAL:
        return UNKNOWN_TYPICAL_COSINE
    whole = rows.astype(np.float32)
    cosines = (whole @ whole.T) * scales[:, None] * scales  # sums of whole numbers below 2**24 are exact
    return float(_quantile(cosines[_above_diagonal(len(rows))], TYPICAL_QUANTILE))


def _quantile(values: NDArray[np.float32], share: float) -> float:
    """Quantile between its two neighbours in order, as `numpy.quantile`, which loads numpy's masked arrays."""
    place = (len(values) - 1) * share
    below = int(place)
    above = min(below + 1, len(values) - 1)
    ordered = np.partition(values, (below, above))
    low, high = float(ordered[below]), float(ordered[above])
    return low + (high - low) * (place - below)


@lru_cache(maxsize=8)
def _above_diagonal(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.triu_indices(n, 1)


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Document frequencies of a query's words in the searched texts.

    Args:
        texts: number of texts that are not empty.
        holders: number of texts that hold each analysed term; absent: none.
        projects: counts of each project, where these are of several.
    """

    texts: int = 0
    holders: Mapping[str, int] = field(default_factory=dict)
    projects: tuple[WordCounts, ...] = ()

    def weight(self, question: str) -> float:
        """The most that a text can say of a question: inverse frequencies, added up, of its rarest words in use.

        A word is searched for in its synonyms and translations too, of which a text says one.

        Returns:
            0: no text holds any. Of several projects the least, as BM25 goes by the frequencies of its own.
        """
        if self.projects:
            return min(filter(None, (project.weight(question) for project in self.projects)), default=0.0)
        held = sorted(count for count in self.holders.values() if count)[: len(set(analyze(question)))]
        return float(inverse_frequencies(self.texts, np.array(held, np.int64)).sum())


def added_up(counts: Iterable[WordCounts]) -> WordCounts:
    """Sums the counts of several projects into one."""
    every = list(counts)
    if len(every) == 1:
        return every[0]
    texts, holders = 0, Counter[str]()
    for one in every:
        texts += one.texts
        holders.update(one.holders)
    return WordCounts(texts, holders, tuple(every))


def chance_cosine(searched: int, typical: float) -> float:
    """Cosine with a query that the best of so many memories reaches without bearing on it.

    Args:
        searched: number of memories that could have been found.
        typical: `typical_cosine` of the project.
    """
    by_number = CHANCE_OF_ONE + CHANCE_PER_TENFOLD * log10(max(1, searched))
    return max(by_number, CHANCE_OF_TYPICAL * typical) if searched >= FEWEST_FOR_TYPICAL else by_number


def is_near(cosine: Nearness, chance: float) -> Nearness:
    """Tests if memories are clearly nearer to a query than chance.

    Args:
        cosine: of one memory, or a column of many.
        chance: `chance_cosine`.
    """
    return cosine >= chance + MARGIN
