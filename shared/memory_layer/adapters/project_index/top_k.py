"""Selection of the highest scores without sorting all."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.domain.arrays import kth_highest, true_rows

Positions = NDArray[np.intp]
Scores = NDArray[Any]

_MOST_STRIDES = 64
_FEWEST_STRIDES = 8
_SPARE = 4
"""Factor: so many times the k scores asked for are looked at first, as not all of them will be accepted."""


def best_positions(
    scores: Scores,
    accepted: NDArray[np.bool_],
    k: int,
    *,
    above: float = -np.inf,
    slots: NDArray[np.signedinteger[Any]] | None = None,
) -> Positions:
    """Positions of the `k` highest accepted scores, and of every other that ties with the last; unordered.

    Args:
        scores: shape (n,).
        accepted: mask of the slots that count; shape (n,), or that of all slots where `slots` is given.
        above: scores must be greater than this.
        slots: the slot of each score, where it is not its position.
    """
    positions = _high_positions(scores, accepted, k, above, slots)
    if len(positions) <= k:
        return positions
    values = scores[positions]
    best: Positions = positions[values >= kth_highest(values, k)]
    return best


def _high_positions(
    scores: Scores,
    accepted: NDArray[np.bool_],
    k: int,
    above: float,
    slots: NDArray[np.signedinteger[Any]] | None,
) -> Positions:
    """Positions with the best k among them: all above a floor if k of those are accepted, else all."""
    strides = min(_MOST_STRIDES, len(scores) // (2 * _SPARE * k))
    if strides >= _FEWEST_STRIDES:
        floor = _floor(scores, _SPARE * k, strides)
        high = true_rows(scores >= floor) if floor > above else np.empty(0, np.intp)
        high = high[accepted[high if slots is None else slots[high]]]
        if len(high) >= k:
            return high
    return true_rows((accepted if slots is None else accepted[slots]) & (scores > above))


def _floor(scores: Scores, k: int, strides: int) -> float:
    """The k-th highest of the peaks of disjoint groups, so at least k scores are as high."""
    width = len(scores) // strides
    peaks = scores[: width * strides].reshape(strides, width).max(axis=0)
    return float(kth_highest(peaks, k))
