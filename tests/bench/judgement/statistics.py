"""Statistics of judged hits: area under the curve, calibration error, retention of what was written."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

BINS = 10
_WORD = re.compile(r"[\w.:/-]*\w", re.UNICODE)


def area_under_curve(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Chance that a right one scores above a wrong one, a tie counting half; NaN if there are none of either."""
    if not len(right) or not len(wrong):
        return float("nan")
    scores = np.concatenate([np.asarray(right, float), np.asarray(wrong, float)])
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    above = ranks[: len(right)].sum() - len(right) * (len(right) + 1) / 2
    return float(above / (len(right) * len(wrong)))


def calibration_error(chances: Sequence[float], is_right: Sequence[bool]) -> float:
    """Expected calibration error: the mean distance of what is said from what holds, over ten bins, by their sizes.

    Source: Naeini et al., Obtaining Well Calibrated Probabilities Using Bayesian Binning, AAAI 2015.
    """
    if not len(chances):
        return float("nan")
    said, held = np.asarray(chances, float), np.asarray(is_right, float)
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    gaps = [abs(said[bins == one].sum() - held[bins == one].sum()) for one in range(BINS)]
    return float(sum(gaps) / len(said))


def words_lost(text: str, kept: str) -> list[str]:
    """Words of a text that what was kept does not have, in their order."""
    there = {word.casefold() for word in _WORD.findall(kept)}
    return [word for word in dict.fromkeys(_WORD.findall(text)) if word.casefold() not in there]


def is_kept_in(text: str, kept: str) -> bool:
    """Tells if a text stands in what was kept, word for word; markup and spaces aside."""
    return bare(text) in bare(kept)


def bare(text: str) -> str:
    """Text without markup, with single spaces, case ignored."""
    return " ".join(re.sub(r"[*_`#>\\]+", "", text).split()).casefold()
