"""Vectors as rows of int8: a quarter of what a scan reads, and sums of whole numbers, which no order changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INT8_MAX: Final = 127


def quantized(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows with a scale of their own, so that a component is off by at most 1/254 of its row's largest.

    Args:
        vectors: shape (n, dimensions).

    Returns:
        Rows, and what each is to be multiplied by; shapes (n, dimensions) and (n,). A row of zeros has scale 0.
    """
    import numpy as np  # late: who reads a record need not load it

    largest = np.maximum(vectors.max(axis=1), -vectors.min(axis=1))
    factors = np.divide(INT8_MAX, largest, out=np.zeros_like(largest), where=largest > 0)
    rows = vectors * factors[:, None]
    return np.rint(rows, out=rows).astype(np.int8), largest / np.float32(INT8_MAX)
