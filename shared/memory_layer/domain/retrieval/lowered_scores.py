"""Scores of hits whose authors others found wrong: lower, but no lower than just behind so many of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_layer.domain.arrays import NDArray, np

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column
    from memory_layer.domain.retrieval.candidates import Rows


def lowered_scores(scores: Column, kept: Column, behind: Rows, *, is_sunk: NDArray[np.bool_]) -> Column:
    """Scores of hits, lower where less than all of them is kept.

    Args:
        kept: share that each keeps.
        behind: places of others behind which each comes to stand at most.
        is_sunk: hits that stand behind the others anyway: they hold nobody up.
    """
    is_lowered = kept < 1.0
    others = np.sort(scores[~is_lowered & ~is_sunk])[::-1]
    if not len(others):
        return scores
    floors = np.nextafter(others[np.minimum(behind, len(others)) - 1], -np.inf)
    return np.where(is_lowered, np.minimum(scores, np.maximum(scores * kept, floors)), scores)
