"""Rows of an unlinked temporary file that is mapped: the kernel drops them under pressure, the process never pays."""

from __future__ import annotations

import mmap
import os
import threading
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import DTypeLike, NDArray

_FIRST_FILE_ROWS = 4_096
_FEWEST_ROWS = 64

Rows = NDArray[np.float16]
AnyRows = NDArray[Any]


class RowFile:
    """File of rows that is lent out in blocks; one serves every matrix of a process, since files are few.

    Args:
        folder: where it lies, unlinked; None: tempfile's. It doubles as it fills, and takes room as it is written.
    """

    def __init__(self, dimensions: int, folder: Path | None = None, dtype: DTypeLike = np.float16) -> None:
        self.dimensions = dimensions
        self._dtype: np.dtype[Any] = np.dtype(dtype)
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115  (it lives as long as a block of it)
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._free: defaultdict[int, list[int]] = defaultdict(list)
        self.rows_lent = 0
        self._rows: AnyRows = np.empty((0, dimensions), dtype)

    @property
    def is_ours(self) -> bool:
        """False after a fork: parent and child would write over each other."""
        return self._process == os.getpid()

    def block(self, rows: int) -> RowBlock:
        """A block with room for so many rows.

        Raises:
            OSError: the file cannot grow.
        """
        with self._lock:
            start = self._free[rows].pop() if self._free[rows] else self._grow(rows)
            return RowBlock(self._rows[start : start + rows], self, start)

    def write(self, at: int, rows: AnyRows) -> None:
        """Writes rows by a call and not through the map, so that a full disk is an error and not a signal.

        Raises:
            OSError: the disk is full.
        """
        left = np.ascontiguousarray(rows, self._dtype).reshape(-1).view(np.uint8).data
        offset = at * self._row_bytes
        while left:
            written = os.pwrite(self._file.fileno(), left, offset)
            left, offset = left[written:], offset + written

    def free(self, start: int, rows: int) -> None:
        """Takes a block back that nobody reads any more; called as it is collected, so it takes no lock."""
        self._free[rows].append(start)

    @property
    def _row_bytes(self) -> int:
        return self.dimensions * self._dtype.itemsize

    def _grow(self, rows: int) -> int:
        start, end = self.rows_lent, self.rows_lent + rows
        if end > len(self._rows):
            self._map(max(end, 2 * len(self._rows), _FIRST_FILE_ROWS))
        self.rows_lent = end
        return start

    def _map(self, rows: int) -> None:
        """Maps the file anew, longer; blocks lent before keep the map that they have, of the same pages."""
        os.ftruncate(self._file.fileno(), rows * self._row_bytes)
        mapped = mmap.mmap(self._file.fileno(), rows * self._row_bytes, access=mmap.ACCESS_READ)
        self._rows = np.frombuffer(mapped, self._dtype).reshape(rows, self.dimensions)


class RowBlock:
    """Block of a file, or of memory where `file` is None; it goes back to the file when no view holds it."""

    def __init__(self, rows: AnyRows, file: RowFile | None = None, start: int = 0) -> None:
        self.rows = rows
        self.file = file
        self._start = start

    @property
    def takes_more(self) -> bool:
        return self.file is None or self.file.is_ours

    @property
    def private_bytes(self) -> int:
        return self.rows.nbytes if self.file is None else 0

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """Lets numpy.asarray make an array that holds the block."""
        return self.rows.__array_interface__

    def write(self, at: int, rows: AnyRows) -> None:
        if self.file is None:
            self.rows[at : at + len(rows)] = rows
        else:
            self.file.write(self._start + at, rows)

    def __del__(self) -> None:
        if self.file is not None:
            self.file.free(self._start, len(self.rows))


_files: WeakValueDictionary[tuple[int, np.dtype[Any], Path | None], RowFile] = WeakValueDictionary()
_files_lock = threading.Lock()


def _shared_file(dimensions: int, folder: Path | None, dtype: np.dtype[Any]) -> RowFile:
    """The file of this process for rows of this length and kind.

    Raises:
        OSError: none can be made.
    """
    with _files_lock:
        file = _files.get((dimensions, dtype, folder))
        if file is None or not file.is_ours:
            file = _files[dimensions, dtype, folder] = RowFile(dimensions, folder, dtype)
        return file


def lent_block(rows: int, dimensions: int, folder: Path | None, dtype: DTypeLike = np.float16) -> RowBlock:
    """A block with room for that many rows at least; in memory where no file can be made."""
    rows = 1 << max(rows - 1, _FEWEST_ROWS - 1).bit_length()  # a power of two, so that freed ones fit again
    try:
        return _shared_file(dimensions, folder, np.dtype(dtype)).block(rows)
    except OSError:  # no folder, no room, no more open files
        return RowBlock(np.empty((rows, dimensions), dtype))


def written(block: RowBlock, at: int, rows: AnyRows) -> RowBlock:
    """The block with these rows in it; a copy in memory where the disk is full."""
    try:
        block.write(at, rows)
    except OSError:
        block = _in_memory(block, at)
        block.write(at, rows)
    return block


@dataclass(frozen=True, slots=True)
class MappedView:
    """View of the rows appended until it was taken; row i is in the last block that starts at or before it."""

    blocks: tuple[RowBlock, ...]
    starts: NDArray[np.int64]
    dimensions: int

    def take(self, positions: NDArray[Any]) -> Rows:
        """The rows at these positions; shape (m, dimensions)."""
        if len(self.blocks) == 1:
            return np.asarray(self.blocks[0].rows[positions])
        owners = self.starts.searchsorted(positions, "right") - 1
        if len(owners) and (owners == owners[0]).all():
            number = int(owners[0])
            return np.asarray(self.blocks[number].rows[positions - self.starts[number]])
        taken = np.empty((len(positions), self.dimensions), np.float16)
        for number in set(owners.tolist()):
            here = np.flatnonzero(owners == number)
            taken[here] = self.blocks[number].rows[positions[here] - self.starts[number]]
        return taken


class MappedRows:
    """Rows appended in blocks that double; where no file can be made, or its disk is full, they lie in memory."""

    def __init__(self, dimensions: int, folder: Path | None = None) -> None:
        self._dimensions = dimensions
        self._folder = folder
        self._blocks: list[RowBlock] = []
        self._starts: list[int] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def view(self) -> MappedView:
        return MappedView(tuple(self._blocks), np.array(self._starts, np.int64), self._dimensions)

    @property
    def nbytes(self) -> int:
        """Bytes of private memory."""
        return sum(block.private_bytes for block in self._blocks)

    def reserve(self, rows: int) -> None:
        """Makes room for that many rows in all."""
        if rows > self._end:
            self._add_block(rows - self._length)

    def extend(self, rows: Rows) -> None:
        while len(rows):
            if self._length == self._end or not self._blocks[-1].takes_more:
                self._add_block(max(len(rows), self._length, _FEWEST_ROWS))
            room = rows[: self._end - self._length]
            self._write(room)
            rows = rows[len(room) :]

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drops all rows but these; earlier views keep theirs."""
        blocks = list(zip(self._blocks, np.split(kept, self._starts[1:]), strict=False))
        self._blocks, self._starts, self._length = [], [], 0
        self.reserve(int(np.count_nonzero(kept)))
        for block, kept_here in blocks:
            self.extend(block.rows[: len(kept_here)][kept_here])

    @property
    def _end(self) -> int:
        return self._starts[-1] + len(self._blocks[-1].rows) if self._blocks else 0

    def _write(self, rows: Rows) -> None:
        self._blocks[-1] = written(self._blocks[-1], self._length - self._starts[-1], rows)
        self._length += len(rows)

    def _add_block(self, rows: int) -> None:
        """Adds a block behind the last row; the room left in the block before it is given up."""
        if self._starts and self._starts[-1] == self._length:  # the block before has no row
            self._blocks.pop(), self._starts.pop()
        self._blocks.append(lent_block(rows, self._dimensions, self._folder))
        self._starts.append(self._length)


class MappedArray:
    """Array as `GrowingArray`, in one block that scans read end to end: no private memory, and views only to read.

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


def _in_memory(block: RowBlock, rows: int) -> RowBlock:
    """Copy in memory of a block and its first rows; views of the one in the file keep it."""
    copied = np.empty_like(block.rows)
    copied[:rows] = block.rows[:rows]
    return RowBlock(copied)
