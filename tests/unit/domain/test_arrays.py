"""Rows of structured tables joined, and rows where a mask is true, as numpy's own functions give them."""

import numpy as np
import pytest

from memory_layer.domain.arrays import joined_rows, true_rows

ROW = np.dtype([("name", "<i2"), ("spans", "<i4", (2, 2))])


def rows(*names: int) -> np.ndarray:
    table = np.zeros(len(names), ROW)
    table["name"] = names
    table["spans"][:, 1, 1] = names
    return table


@pytest.mark.parametrize("tables", [[rows(1, 2), rows(3)], [rows(), rows(4)], [rows()], [rows(5)]])
def test_joined_rows_are_those_of_concatenate(tables: list[np.ndarray]) -> None:
    joined = joined_rows(tables)
    assert joined.dtype == ROW
    assert joined.tobytes() == np.concatenate(tables).tobytes()


def test_joined_rows_of_columns_that_were_cut_out_are_the_same() -> None:
    table = rows(1, 2, 3, 4)
    assert joined_rows([table[1:3], table[:1]])["name"].tolist() == [2, 3, 1]


@pytest.mark.parametrize("mask", [[True, False, True], [False], []])
def test_true_rows_are_those_of_flatnonzero(mask: list[bool]) -> None:
    asked = np.array(mask, np.bool_)
    assert true_rows(asked).tolist() == np.flatnonzero(asked).tolist()
