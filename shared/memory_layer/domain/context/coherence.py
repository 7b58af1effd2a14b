"""Similarity of the offers of a context, and the near-duplicates among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.context.fragment_conflicts import contradicts
from memory_layer.domain.context.fragments import Offer
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.domain.text.line_order import vouched_place

COMPARABLE_SHARE: Final = 0.5
"""Share of offers with vectors below which their coherence is unknown."""


def similarities(offers: Sequence[Offer]) -> NDArray[np.float64] | None:
    """Cosines of every two contents.

    Returns:
        Shape (n, n), thousandths, so that no engine's last bits decide; an offer without a vector is as similar to the
        others as the others are among each other. None: too few have vectors of one length.
    """
    sizes = [offer.vector.size for offer in offers if offer.vector is not None]
    size = max(set(sizes), key=lambda each: (sizes.count(each), each), default=0)
    vectors = np.zeros((len(offers), size), dtype=np.float32)
    fitting = [
        (row, offer.vector)
        for row, offer in enumerate(offers)
        if offer.vector is not None and offer.vector.size == size
    ]
    if fitting:
        rows, found = zip(*fitting, strict=True)
        vectors[list(rows)] = np.concatenate(found).reshape(len(rows), size)
    known = np.isfinite(vectors).all(axis=1) & (vectors != 0.0).any(axis=1)
    if len(offers) > 1 and known.sum() < COMPARABLE_SHARE * len(offers):
        return None
    vectors[~known] = 0.0
    alike = np.clip((vectors @ vectors.T).astype(np.float64), -1.0, 1.0)
    count = int(known.sum())
    typical = float((alike.sum() - np.trace(alike)) / (count * (count - 1))) if count > 1 else 0.0
    alike[~known, :] = typical
    alike[:, ~known] = typical
    np.fill_diagonal(alike, 1.0)
    rounded: NDArray[np.float64] = np.round(alike, 3)
    return rounded


def near_duplicates(offers: Sequence[Offer], alike: NDArray[np.float64] | None) -> dict[int, list[int]]:
    """Near-duplicates of each offer: the same words, or a near-duplicate that does not contradict it.

    Texts that differ in one number are nearly the same to a vector, and not to a reader; so are two lines of a file.
    """
    pairs = {
        pair
        for pair in _similar_pairs(alike)
        if not _are_of_one_file(offers, *pair) and not _disagree(offers, alike, *pair)
    } | set(_equal_pairs(offers))
    found: dict[int, list[int]] = defaultdict(list)
    for one, other in sorted(pairs):
        found[one].append(other)
        found[other].append(one)
    return dict(found)


def _similar_pairs(alike: NDArray[np.float64] | None) -> list[tuple[int, int]]:
    if alike is None:
        return []
    ones, others = np.nonzero(alike > DUPLICATE_COSINE)
    return [(one, other) for one, other in zip(ones.tolist(), others.tolist(), strict=True) if one < other]


def _are_of_one_file(offers: Sequence[Offer], one: int, other: int) -> bool:
    """Tests if a file that people vouch for says both: whoever wrote two lines of it meant two things."""
    places = [vouched_place(offers[at].memory) for at in (one, other)]
    return places[0] is not None and places[1] is not None and places[0][0] == places[1][0]


def _disagree(offers: Sequence[Offer], alike: NDArray[np.float64] | None, one: int, other: int) -> bool:
    cosine = 1.0 if alike is None else float(alike[one, other])
    return contradicts(offers[one].memory, offers[other].memory, cosine) is not None


def _equal_pairs(offers: Sequence[Offer]) -> list[tuple[int, int]]:
    by_words: dict[str, list[int]] = defaultdict(list)
    for at, offer in enumerate(offers):
        by_words[offer.memory.content.strip()].append(at)
    return [pair for group in by_words.values() for pair in combinations(group, 2)]


def mean_coherence(alike: NDArray[np.float64] | None, chosen: Sequence[int]) -> float:
    """Mean cosine between two of the chosen, 0..1; 1 for fewer than two, 0 where nothing is known."""
    if len(chosen) < 2:
        return 1.0
    if alike is None:
        return 0.0
    rows = np.array(chosen, dtype=np.intp)
    among = alike[np.ix_(rows, rows)]
    pairs = len(rows) * (len(rows) - 1)
    return float(np.round(max(0.0, (among.sum() - np.trace(among)) / pairs), 3))
