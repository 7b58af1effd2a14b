"""Contents near to each of many vectors, in one product: the search for the near-duplicates of a batch."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.int8_scan import quantized_query, scan
from memory_layer.adapters.project_index.vector_matrix import VectorView, nearest
from memory_layer.domain.retrieval.exact_scores import exact_cosines

_FEW_VECTORS = 4
"""Vectors that are scanned one by one: for so few a product has to convert too many rows."""
_CHUNK_ROWS = 2_048
"""Rows converted at once: so many fit the second-level cache."""
_MOST_SCANNED = 65_536
"""Rows of which all are scanned for one vector: next to none is as near as a duplicate, so none need be ranked."""
_SCAN_ERROR = 0.02
"""Bound of the error of a cosine of an int8 row."""

Near = list[tuple[int, float]]
"""Slots with their estimated cosines, best first."""


def near_slots(
    view: VectorView, vectors: NDArray[np.float32], accepted: NDArray[np.bool_], k: int, above: float
) -> list[Near]:
    """The `k` slots nearest to each vector, of those whose cosine may be above the bound.

    Args:
        vectors: of unit length; shape (n, dimensions).
        accepted: mask of the slots that count.
    """
    if len(vectors) <= _FEW_VECTORS:
        return [_near_one(view, vector, accepted, k, above - _SCAN_ERROR) for vector in vectors]
    found: list[Near] = [[] for _ in vectors]
    for start in range(0, len(view.rows), _CHUNK_ROWS):
        for line, slot, cosine in _near_in(
            view, slice(start, start + _CHUNK_ROWS), vectors, accepted, k, above - _SCAN_ERROR
        ):
            found[line].append((slot, cosine))
    return [_best(near, k) for near in found]


def near_rows(
    stored: Sequence[tuple[str, bytes]], vectors: NDArray[np.float32], k: int, above: float
) -> list[Mapping[str, float]]:
    """As `near_slots`, of contents as they are stored: an id and a float16 vector each."""
    if not stored:
        return [{} for _ in vectors]
    rows = np.frombuffer(b"".join(blob for _, blob in stored), "<f2").reshape(len(stored), -1)
    cosines = vectors @ rows.astype(np.float32).T
    return [
        {
            stored[at][0]: cosine
            for at, cosine in _best([(int(at), float(line[at])) for at in np.flatnonzero(line > above)], k)
        }
        for line in cosines
    ]


def _near_one(
    view: VectorView, vector: NDArray[np.float32], accepted: NDArray[np.bool_], k: int, above: float
) -> Near:
    if len(view.rows) > _MOST_SCANNED:
        slots, cosines = nearest(view, vector, accepted, k)
        near = np.flatnonzero(cosines > above)
        return _best(list(zip(slots[near].tolist(), cosines[near].tolist(), strict=True)), k)
    scanned = scan(view.rows, view.scales, quantized_query(vector))
    near = np.flatnonzero(scanned > above)
    near = near[accepted[view.slots[near]]]
    if not len(near):
        return []
    near = near[_may_be_nearest(scanned[near], k)]
    cosines = exact_cosines(view.stored_rows(near), vector)
    return _best(list(zip(view.slots[near].tolist(), cosines.tolist(), strict=True)), k)


def _may_be_nearest(scanned: NDArray[np.float32], k: int) -> NDArray[np.bool_]:
    """Mask of the estimates that may belong to the `k` nearest."""
    least = np.partition(scanned, -k)[-k] if len(scanned) > k else -1.0
    return np.asarray(scanned >= least - 2 * _SCAN_ERROR)


def _near_in(
    view: VectorView,
    part: slice,
    vectors: NDArray[np.float32],
    accepted: NDArray[np.bool_],
    k: int,
    above: float,
) -> Iterator[tuple[int, int, float]]:
    """Lines, slots and cosines of the accepted rows of a part that are among the `k` nearest to some vector."""
    counting = np.flatnonzero(accepted[view.slots[part]])
    rows = view.rows[part][counting].astype(np.float32) * view.scales[part][counting, None]
    dots = vectors @ rows.T
    least = np.full(len(vectors), above, np.float32)
    if dots.shape[1] > k:
        least = np.maximum(least, np.partition(dots, -k, axis=1)[:, -k])
    lines, near = np.nonzero((dots >= least[:, None]) & (dots > above))
    slots = view.slots[part][counting[near]]
    return zip(lines.tolist(), slots.tolist(), dots[lines, near].tolist(), strict=True)


def _best(near: Near, k: int) -> Near:
    return sorted(near, key=lambda item: (-item[1], item[0]))[:k]
