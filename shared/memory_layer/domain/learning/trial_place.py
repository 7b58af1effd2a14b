"""Trial place: the last place of a list goes to a new memory that no verdict has met, where proven ones stand above it.

What has proven itself keeps its place by its proof, so that what comes later is shown too seldom to prove anything.
All constants: ADR-0005.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.learning.exploration import rows_in_reach

if TYPE_CHECKING:
    Column: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]
    Rows: TypeAlias = NDArray[np.intp]

LEAST_LIST: Final = 5
"""Places of a list from which on the last one is for trials: a fifth of what is shown at most."""

NEW_DAYS: Final = 60
"""Days for which a memory is new after it was written, or changed."""

TRIES: Final = 10
"""Times that a memory was shown, by merit or for a trial, after which the trial is over."""

WORKED_FROM: Final = 0.5
"""Outcome signal above which verdicts speak for a memory; that of one which nobody has judged."""


@dataclass(frozen=True, slots=True)
class TrialHits:
    """Ranked hits, best first, as trials see them; shape (n,).

    Args:
        semantic: blended relevance.
        is_proven: verdicts speak for it.
        is_new: unjudged, and younger than `NEW_DAYS`.
        is_trusted: a person said it, or a reviewer approved it.
    """

    semantic: Column
    is_proven: Flags
    is_new: Flags
    is_trusted: Flags


def rows_to_try(hits: TrialHits, k: int) -> Rows:
    """Rows of new memories of which one may take the last place of the first `k`, best first.

    None where nothing that is shown is proven, or something new is shown already. They are about as relevant as what
    is shown, and an unreviewed one is tried only among unreviewed ones.
    """
    is_shown = np.arange(len(hits.semantic)) < k
    may_try = LEAST_LIST <= k < len(is_shown) and hits.is_proven[:k].any() and not hits.is_new[:k].any()
    if not may_try:
        return np.empty(0, np.intp)
    in_reach = np.zeros(len(is_shown), np.bool_)
    in_reach[rows_in_reach(hits.semantic, k)] = True
    may_be_tried = hits.is_trusted | (not hits.is_trusted[:k].any())
    return true_rows(hits.is_new & in_reach & may_be_tried & ~is_shown)
