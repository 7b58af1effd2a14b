"""Stored rows in a mapped file: every view keeps its rows, and without a file they lie in memory."""

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

from memory_layer.adapters.project_index.mapped_rows import MappedRows, MappedView
from memory_layer.adapters.project_index.vector_matrix import VectorMatrix
from tests.index_examples import DIMENSIONS, unit_vectors

NUMBERED = np.arange(100_000 * DIMENSIONS).reshape(-1, DIMENSIONS) % 2_039
"""Rows that differ from their neighbours, whole in float16."""


def rows(first: int, count: int) -> NDArray[np.float16]:
    return NUMBERED[first : first + count].astype(np.float16)


def held(view: MappedView, count: int) -> list[list[float]]:
    return view.take(np.arange(count)).tolist()


steps = st.lists(
    st.one_of(st.integers(1, 300), st.tuples(st.just("keep"), st.integers(2, 5)), st.just("reserve")),
    max_size=12,
)


@given(steps)
def test_views_keep_their_rows_whatever_comes_after(drawn: list[int | tuple[str, int] | str]) -> None:
    """Safeguard: `RowBlock` goes back to its file when its last view does, and not as the matrix drops it."""
    matrix, expected, next_row = MappedRows(DIMENSIONS), rows(0, 0), 0
    views = []
    for step in drawn:
        if isinstance(step, int):
            matrix.extend(rows(next_row, step))
            expected = np.concatenate((expected, rows(next_row, step)))
            next_row += step
        elif isinstance(step, tuple):
            kept = np.arange(len(expected)) % step[1] > 0
            matrix.keep(kept)
            expected = expected[kept]
        else:
            matrix.reserve(len(expected) + 500)
        views.append((matrix.view, expected))
    assert len(matrix) == len(expected)
    for view, rows_then in views:
        assert held(view, len(rows_then)) == rows_then.tolist()


def test_stored_rows_are_no_private_memory_and_leave_no_file(tmp_path: Path) -> None:
    mapped, nowhere = VectorMatrix(DIMENSIONS, tmp_path), VectorMatrix(DIMENSIONS, tmp_path / "missing")
    vectors = unit_vectors(1_000).astype(np.float16)
    for matrix in (mapped, nowhere):
        matrix.extend(np.arange(1_000, dtype=np.int32), vectors)
        assert matrix.view.stored_rows(np.array([7, 999])).tolist() == vectors[[7, 999]].tolist()
    assert nowhere.nbytes >= mapped.nbytes + vectors.nbytes
    assert not list(tmp_path.iterdir())


def test_rows_move_into_memory_when_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, write, full = MappedRows(DIMENSIONS, tmp_path), os.pwrite, False

    def pwrite(*given: object) -> int:
        if full:
            raise OSError(errno.ENOSPC, "no space left on device")
        return write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "pwrite", pwrite)
    matrix.extend(rows(0, 100))
    earlier, full = matrix.view, True
    matrix.extend(rows(100, 500))
    assert held(earlier, 100) == rows(0, 100).tolist()
    assert held(matrix.view, 600) == rows(0, 600).tolist()
    assert matrix.nbytes > 0


def test_room_of_rows_that_nobody_reads_is_used_again(tmp_path: Path) -> None:
    """Safeguard: `RowFile.free`; without it the file grows with every compaction."""
    matrix = MappedRows(DIMENSIONS, tmp_path)
    matrix.extend(rows(0, 64))
    file = matrix.view.blocks[0].file
    for _ in range(50):
        matrix.keep(np.ones(64, np.bool_))
        gc.collect()
    assert file is not None
    assert file.rows_lent <= 3 * 64


def test_a_forked_process_writes_no_row_of_its_parents(tmp_path: Path) -> None:
    """Safeguard: `RowFile.is_ours`; both would append at the same place of one file."""
    matrix, (read, write) = MappedRows(DIMENSIONS, tmp_path), os.pipe()
    matrix.extend(rows(0, 10))
    child = os.fork()
    if not child:
        os.read(read, 1)  # until the parent has appended
        matrix.extend(rows(500, 10))
        os._exit(held(matrix.view, 20) != [*rows(0, 10).tolist(), *rows(500, 10).tolist()])
    matrix.extend(rows(10, 10))
    os.write(write, b"1")
    assert os.waitpid(child, 0)[1] == 0
    assert held(matrix.view, 20) == rows(0, 20).tolist()
