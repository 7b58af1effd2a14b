"""When to say that nothing is relevant: the best hit is no nearer than chance, in meaning and in words."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

from memory_layer.domain.memory import Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COSINE_FLOOR = 0.75
"""Of the project's typical cosine; ADR-0004 has the trade-off from .65 to .80."""

COVERAGE_FLOOR = 0.6
"""A text with three of the query's five words is worth showing however far its vector lies (ADR-0004)."""

TYPICAL_QUANTILE = 0.95
SAMPLE = 256
"""Vectors that settle the typical cosine to ± .01; 64 do to ± .03."""

FEWEST_VECTORS = 32
DEFAULT_TYPICAL_COSINE = 1 / 3
"""For projects too small to measure; makes a floor of .25, under which no right answer was seen."""


def sample_seed(scope: Scope) -> int:
    """Of a project, for `sample_place`."""
    return crc32(f"{scope.tenant}#{scope.project}#".encode())


def sample_place(id: str, seed: int) -> int:
    """Where a memory stands in an order that is nobody's, 31 bits: the first `SAMPLE` of a project are its sample,
    whoever draws it and in whatever order they were written. Equal places go by id."""
    return crc32(id.encode(), seed) >> 1


def typical_cosine(rows: NDArray[np.int8], scales: NDArray[np.float32]) -> float:
    """How alike a project's memories are anyway: the scale on which a query's best cosine is judged.

    A fixed floor does not do: conversations of the same two people are .6 alike, engineering facts .3.

    Args:
        rows, scales: of unit vectors, as `int8_rows.quantized`; the sample that `sample_place` draws is enough.

    Returns:
        95th percentile of the cosine between two different memories, or a default below 32 vectors.
    """
    import numpy as np  # late: who reads a record need not load it

    if len(rows) < FEWEST_VECTORS:
        return DEFAULT_TYPICAL_COSINE
    whole = rows.astype(np.float32)
    cosines = (whole @ whole.T) * scales[:, None] * scales  # sums of whole numbers below 2**24 are exact
    return float(np.quantile(cosines[_above_diagonal(len(rows))], TYPICAL_QUANTILE))


@lru_cache(maxsize=8)
def _above_diagonal(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    import numpy as np  # late: who reads a record need not load it

    return np.triu_indices(n, 1)


def term_coverage(query_terms: Collection[str], text_terms: Collection[str]) -> float:
    """Share of the query's distinct analysed terms that a text holds, 0..1."""
    asked = set(query_terms)
    return len(asked.intersection(text_terms)) / len(asked) if asked else 0.0


def is_near(cosine: float, typical: float) -> bool:
    """Whether a memory is nearer to a query than memories are to each other by chance."""
    return cosine >= COSINE_FLOOR * typical


def is_off_topic(best_cosine: float, typical: float, best_coverage: Callable[[], float]) -> bool:
    """Whether the best that recall found is too poor to show.

    Args:
        best_cosine: highest cosine of a content with the query, -1..1.
        typical: `typical_cosine` of the project.
        best_coverage: highest `term_coverage` among the first ten, over content with context, 0..1; asked for
            only where nothing is near in meaning.

    Source: ADR-0004.
    """
    return not is_near(best_cosine, typical) and best_coverage() < COVERAGE_FLOOR
