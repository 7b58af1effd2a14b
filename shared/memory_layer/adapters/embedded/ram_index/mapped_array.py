"""Rows of a matrix that scans read end to end: one block of a mapped file, which grows by moving to a longer one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from memory_layer.adapters.embedded.ram_index.mapped_rows import RowBlock, lent_block, written


class MappedArray:
    """Array as `GrowingArray`, but no private memory; a view once taken keeps its rows and can only be read.

    Args:
        dtype: of the elements.
        dimensions: of a row.
        folder: where the rows lie in an unlinked file; None: tempfile's.
    """

    def __init__(self, dtype: DTypeLike, dimensions: int, folder: Path | None = None) -> None:
        self._folder = folder
        self._block = RowBlock(np.empty((0, dimensions), dtype))
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def rows(self) -> NDArray[Any]:
        """View of the rows appended so far; it holds their block."""
        return np.asarray(self._block)[: self._length]

    @property
    def nbytes(self) -> int:
        """Bytes of private memory."""
        return self._block.private_bytes

    def reserve(self, rows: int) -> None:
        """Makes room for that many rows in all."""
        if rows > len(self._block.rows):
            self._move(rows, self.rows)

    def extend(self, rows: NDArray[Any]) -> None:
        needed = self._length + len(rows)
        if needed > len(self._block.rows) or not self._block.takes_more:
            self._move(needed, self.rows)
        self._block = written(self._block, self._length, rows)
        self._length = needed

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drops all rows but these; earlier views keep theirs."""
        rows = self.rows[kept]
        self._move(len(rows), rows)

    def _move(self, room: int, rows: NDArray[Any]) -> None:
        """Moves to a block with this much room, and these rows in it."""
        dtype, dimensions = rows.dtype, rows.shape[1]
        self._block = written(lent_block(room, dimensions, self._folder, dtype), 0, rows)
        self._length = len(rows)
