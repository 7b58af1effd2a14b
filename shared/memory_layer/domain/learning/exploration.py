"""Exploration: lists try out memories about as relevant as those they would show, in proportion to what is unknown.

Thompson sampling: each memory stands by its score and by one draw from the posterior of its implicit feedback. All
constants: ADR-0042.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.learning.verdict_counts import PRIOR_FAILED, PRIOR_WORKED
from memory_layer.domain.ranking import RELEVANCE_MARGIN

if TYPE_CHECKING:
    Column: TypeAlias = NDArray[np.float64]
    Rows: TypeAlias = NDArray[np.intp]

EXPLORATION_MARGIN: Final = 0.4
"""Deficit of relevance that feedback makes up for, at most: as much as experience (RELEVANCE_MARGIN)."""

ABOUT_AS_RELEVANT: Final = 0.1
"""Deficit of blended relevance behind the last that is shown, up to which a memory is tried out: fame beyond it is no
reason to look at another topic."""

RELATED_FROM, RELATED_WHOLE = 0.7, 1.0
"""Share of a list that one run was shown together, from which on it counts as a list for the same task, and from which
on it does so entirely: what a memory did for another question says nothing of this one."""

RAISED_BY_FAILURES: Final = 4.0
"""Multiple of the share of failures by which a list explores more than the project's setting, up to 1: where what is
shown fails, there is less to lose by trying something else."""

DRAWS: Final = 64
"""Draws by which the sampling probability of a place is estimated."""


@dataclass(frozen=True, slots=True)
class ExploredOrder:
    """Order of ranked hits after exploration.

    Args:
        rows: of the hits, best first; shape (n,).
        scores: in this order, descending; shape (n,).
        has_risen: which of them stand before one that was ranked before them; shape (n,).
        chances: probability of standing among the first k, in this order; shape (n,).
    """

    rows: Rows
    scores: Column
    has_risen: NDArray[np.bool_]
    chances: Column


def reach(amount: float) -> float:
    """Most that one draw moves a score, up or down. Args: amount: the project's setting, 0..1."""
    return amount * EXPLORATION_MARGIN / (1.0 + RELEVANCE_MARGIN) / 2.0


def rows_in_reach(semantic: Column, k: int) -> Rows:
    """Rows that may come to stand among the first k: those that stand there, and those about as relevant.

    Args:
        semantic: blended relevance of ranked hits, in their order; shape (n,).
    """
    if len(semantic) <= k:
        return np.arange(len(semantic))
    as_relevant = np.sort(semantic)[-k] - ABOUT_AS_RELEVANT
    return true_rows((semantic >= as_relevant) | (np.arange(len(semantic)) < k))


def relatedness(runs: Iterable[Collection[str]], k: int) -> float:
    """Extent to which earlier runs were about what a list is about, 0..1: they were shown its memories together.

    Args:
        runs: ids of the runs that were shown each memory in reach.
        k: how many are shown.
    """
    together = Counter(chain.from_iterable(runs))
    share = max(together.values(), default=0) / k
    return min(1.0, max(0.0, (share - RELATED_FROM) / (RELATED_WHOLE - RELATED_FROM)))


def raised_by_failures(scores: Column, worked: Column, failed: Column, *, k: int, amount: float) -> float:
    """Amount by which a list explores: the more, the more of the evidence on its best k, prior included, are failures.

    Args:
        scores, worked, failed, k, amount: as `explore`; the best k are those by score and mean.
    """
    evidence = PRIOR_WORKED + worked + PRIOR_FAILED + failed
    best = np.argsort(-_moved(scores, (PRIOR_WORKED + worked) / evidence, amount), kind="stable")[:k]
    failures = float(failed[best].sum() / evidence[best].sum())
    return min(1.0, amount * (1.0 + RAISED_BY_FAILURES * failures))


def explore(
    scores: Column,
    worked: Column,
    failed: Column,
    *,
    k: int,
    amount: float,
    randomness: np.random.Generator,
) -> ExploredOrder:
    """Orders ranked hits by their score and one draw from the posterior of each.

    Args:
        scores: by the profile, 0..1, descending; shape (n,).
        worked, failed: implicit feedback without the prior; shape (n,).
        k: how many are shown.
        amount: the project's setting times `relatedness`, 0..1; it is raised by failures.
        randomness: of this request alone.
    """
    amount = raised_by_failures(scores, worked, failed, k=k, amount=amount)
    draws = randomness.beta(PRIOR_WORKED + worked, PRIOR_FAILED + failed, (DRAWS + 1, len(scores)))
    moved = _moved(scores, draws, amount)
    places = np.argsort(-moved, axis=1, kind="stable")
    rows = places[0]
    is_shown = np.zeros((DRAWS, len(scores)))
    np.put_along_axis(is_shown, places[1:, :k], 1.0, axis=1)
    chances = (is_shown.sum(axis=0) + (np.argsort(rows) < k)) / (DRAWS + 1)
    has_risen = np.minimum.accumulate(rows[::-1])[::-1] < rows
    return ExploredOrder(rows, np.clip(moved[0][rows], 0.0, 1.0), has_risen, chances[rows])


def _moved(scores: Column, draws: Column, amount: float) -> Column:
    """Scores as draws move them. Args: draws: 0..1; shape (n,) or (m, n)."""
    return np.asarray(scores + 2.0 * reach(amount) * (draws - 0.5))


def seed_of(*parts: str) -> int:
    """Seed of a request's randomness. Args: parts: what the request is told by."""
    return int.from_bytes(sha256("\n".join(parts).encode()).digest()[:8])
