"""Arrays that rows are appended to while searches go on reading the earlier ones."""

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

T = TypeVar("T", bound=np.generic)

_FEWEST_ROWS = 16
_GROWTH_SHARE = 4
"""Part of its length by which an array grows: room that lay in freed memory before is private, used or not."""


class GrowingArray(Generic[T]):
    """Array with appends in amortised constant time; a view once taken keeps its rows, whatever is appended.

    Args:
        dtype: of the elements.
        row_shape: () for a column, (dimensions,) for a matrix.
    """

    def __init__(self, dtype: DTypeLike, row_shape: tuple[int, ...] = ()) -> None:
        self._buffer: NDArray[T] = np.empty((0, *row_shape), dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def rows(self) -> NDArray[T]:
        """View of the rows appended so far; writing into it changes the array."""
        return self._buffer[: self._length]

    @property
    def nbytes(self) -> int:
        """Bytes of the rows; spare room is not touched, so it takes no memory."""
        return self.rows.nbytes

    def reserve(self, rows: int) -> None:
        """Makes room for that many rows in all."""
        if rows > len(self._buffer):
            grown = np.empty((rows, *self._buffer.shape[1:]), self._buffer.dtype)
            grown[: self._length] = self.rows
            self._buffer = grown

    def extend(self, rows: NDArray[Any]) -> None:
        needed = self._length + len(rows)
        if needed > len(self._buffer):
            self.reserve(max(needed, len(self._buffer) + len(self._buffer) // _GROWTH_SHARE, _FEWEST_ROWS))
        self._buffer[self._length : needed] = rows
        self._length = needed

    def clear(self) -> None:
        """Drops all rows and gives their room back."""
        self._buffer, self._length = self._buffer[:0].copy(), 0

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drops all rows but these; earlier views keep theirs."""
        self._buffer = self.rows[kept]
        self._length = len(self._buffer)
