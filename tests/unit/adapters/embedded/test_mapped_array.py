"""Rows of one mapped block: every view keeps its rows, and without a file they lie in memory."""

from __future__ import annotations

import errno
import gc
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_layer.adapters.project_index.mapped_rows import MappedArray
from memory_layer.adapters.project_index.vector_matrix import VectorMatrix
from tests.index_examples import DIMENSIONS, unit_vectors

NUMBERED = np.arange(20_000 * DIMENSIONS).reshape(-1, DIMENSIONS) % 127
"""Rows that differ from their neighbours."""


def rows(first: int, count: int) -> NDArray[np.int8]:
    return NUMBERED[first : first + count].astype(np.int8)


steps = st.lists(
    st.one_of(st.integers(1, 300), st.tuples(st.just("keep"), st.integers(2, 5)), st.just("reserve")),
    max_size=12,
)


@given(steps)
def test_views_keep_their_rows_whatever_comes_after(drawn: list[int | tuple[str, int] | str]) -> None:
    """Safeguard: `RowBlock.__array_interface__`; a view of `block.rows` does not hold the block."""
    array, expected, next_row = MappedArray(np.int8, DIMENSIONS), rows(0, 0), 0
    views = []
    for step in drawn:
        if isinstance(step, int):
            array.extend(rows(next_row, step))
            expected = np.concatenate((expected, rows(next_row, step)))
            next_row += step
        elif isinstance(step, tuple):
            kept = np.arange(len(expected)) % step[1] > 0
            array.keep(kept)
            expected = expected[kept]
        else:
            array.reserve(len(expected) + 500)
        views.append((array.rows, expected))
    for view, rows_then in views:
        assert view.tolist() == rows_then.tolist()


def test_rows_are_no_private_memory_and_cannot_be_written(tmp_path: Path) -> None:
    mapped, nowhere = MappedArray(np.int8, 8, tmp_path), MappedArray(np.int8, 8, tmp_path / "missing")
    for array in (mapped, nowhere):
        array.extend(np.ones((1_000, 8), np.int8))
    assert (mapped.nbytes, nowhere.nbytes) == (0, 1_024 * 8)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="read-only"):
        mapped.rows[0] = 2


def test_rows_move_into_memory_when_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array, write, full = MappedArray(np.int8, DIMENSIONS, tmp_path), os.pwrite, False

    def pwrite(*given: object) -> int:
        if full:
            raise OSError(errno.ENOSPC, "no space left on device")
        return write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "pwrite", pwrite)
    array.extend(rows(0, 40))
    earlier, full = array.rows, True
    array.extend(rows(40, 10))
    array.extend(rows(50, 500))
    assert earlier.tolist() == rows(0, 40).tolist()
    assert array.rows.tolist() == rows(0, 550).tolist()
    assert array.nbytes > 0


def test_a_forked_process_writes_no_row_of_its_parents(tmp_path: Path) -> None:
    """Safeguard: `takes_more`; both would append at the same place of one file."""
    array, (read, write) = MappedArray(np.int8, DIMENSIONS, tmp_path), os.pipe()
    array.extend(rows(0, 10))
    child = os.fork()
    if not child:
        os.read(read, 1)  # until the parent has appended
        array.extend(rows(500, 10))
        os._exit(array.rows.tolist() != [*rows(0, 10).tolist(), *rows(500, 10).tolist()])
    array.extend(rows(10, 10))
    os.write(write, b"1")
    assert os.waitpid(child, 0)[1] == 0
    assert array.rows.tolist() == rows(0, 20).tolist()


def test_room_that_an_array_has_left_is_lent_again(tmp_path: Path) -> None:
    arrays = [MappedArray(np.int8, DIMENSIONS, tmp_path) for _ in range(2)]
    for _ in range(30):
        for array in arrays:
            array.extend(rows(0, 60))
            array.keep(np.arange(len(array)) < 60)
        gc.collect()
    file = arrays[0]._block.file
    assert file is not None
    assert file.rows_lent <= 4 * (64 + 128)


def test_a_matrix_takes_a_few_private_bytes_a_row(tmp_path: Path) -> None:
    """Safeguard: int8 rows in a `MappedArray`; in a `GrowingArray` they take as many as there are dimensions."""
    matrix, vectors = VectorMatrix(DIMENSIONS, tmp_path), unit_vectors(1_000).astype(np.float16)
    matrix.extend(np.arange(1_000, dtype=np.int32), vectors)
    assert matrix.nbytes == 1_000 * (4 + 4)
