"""Cells that no spreadsheet carries out, and that read back as what they were."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.csv_cells import cell_of, csv_row, text_of_cell


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@sum",
        "\tx",
        "\rx",
        "\nx",
        "  =1",
        "\n\t -1",
        "\u00a0=1",
        "\ufeff=1",
        "＝1",
        "＠x",
        "\x0b+1",
    ],
)
def test_what_a_spreadsheet_would_take_for_a_formula_is_guarded(text: str) -> None:
    """Falls without the guard: the first character decides."""
    assert cell_of(text) == f"'{text}"


@pytest.mark.parametrize("text", ["a=1", "1-1", "mail@example.org", "ünï", "(=1)", " x", '"=1"'])
def test_other_text_stands_as_it_is(text: str) -> None:
    assert cell_of(text) == text


def test_what_is_no_text_is_json_and_null_is_empty() -> None:
    assert [cell_of(value) for value in (None, -0.5, 7, True, ["a"], {"b": 1, "a": [None]})] == [
        *("", "-0.5", "7", "true", '["a"]'),
        '{"a":[null],"b":1}',
    ]
    assert [cell_of(text) for text in ("", "'", "'x")] == ["'", "''", "''x"]


@given(st.lists(st.none() | st.text(), min_size=1))
def test_every_text_and_null_is_read_back(values: list[str | None]) -> None:
    row = csv_row(map(cell_of, values))
    assert row.endswith("\r\n")
    (cells,) = csv.reader(io.StringIO(row, newline=""), strict=True)
    assert [text_of_cell(cell) for cell in cells] == values
