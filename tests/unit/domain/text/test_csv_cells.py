"""Cells that no spreadsheet carries out, and that read back as what they were."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.text.csv_cells import cell_of, csv_row, text_of_cell


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
        "\u00a0=1",
        "\ufeff=1",
        "＝1",
        "＠x",
    ],
)
def test_what_a_spreadsheet_would_take_for_a_formula_is_guarded(text: str) -> None:
    """Falls without the guard: the first character decides."""
    assert cell_of(text) == f"'{text}"


@pytest.mark.parametrize("text", ["a=1", "1-1", "mail@example.org", "ünï", "(=1)", " x", '"=1"'])
def test_other_text_stands_as_it_is(text: str) -> None:
    assert cell_of(text) == text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a;=1+1", "a;'=1+1"),
        ("a;'=1", "a;''=1"),
        ('a;"=1"', 'a;"\'=1"'),
        ("a\t@x", "a\t'@x"),
        ("Steps:\n- one\r\n  +2", "Steps:\n'- one\r\n  '+2"),
        ("a; ＝1", "a; '＝1"),
        ("\n\t -1", "'\n\t '-1"),
        ("\x0b+1", "'\x0b'+1"),
        ("a; b, =1", "a; b, =1"),
        ('say "=1"', 'say "=1"'),
    ],
)
def test_what_is_a_formula_once_a_cell_is_parted_is_guarded(text: str, cell: str) -> None:
    """Falls without `_guarded_inside`: quotes do not keep a cell together where another sign parts cells."""
    assert (cell_of(text), text_of_cell(cell)) == (cell, text)


def test_json_is_guarded_inside_as_well() -> None:
    assert cell_of(["a;=1;b"]) == '["a;\'=1;b"]'
    assert text_of_cell('["a;\'=1;b"]') == '["a;=1;b"]'


def test_what_is_no_text_is_json_and_null_is_empty() -> None:
    assert [cell_of(value) for value in (None, -0.5, 7, True, ["a"], {"b": 1, "a": [None]})] == [
        *("", "-0.5", "7", "true", '["a"]'),
        '{"a":[null],"b":1}',
    ]
    assert [cell_of(text) for text in ("", "'", "'x")] == ["'", "''", "''x"]


NASTY = st.text(st.sampled_from("=+-@＝＋－＠;,\t\n\r\x0b\x85\u2028'\" a1\ufeff\u200b")) | st.text()
BLANK = " \t\r\n\x0b\x85\u2028\ufeff\u200b"
CELLS = st.lists(st.none() | NASTY | st.lists(NASTY) | st.dictionaries(NASTY, NASTY), min_size=1)


@given(CELLS)
def test_every_text_null_and_json_is_read_back(values: list[Any]) -> None:
    row = csv_row(map(cell_of, values))
    assert row.endswith("\r\n")
    (cells,) = csv.reader(io.StringIO(row, newline=""), strict=True)
    for cell, value in zip(cells, values, strict=True):
        text = text_of_cell(cell)
        assert (text if text is None or isinstance(value, str) else json.loads(text)) == value


@given(CELLS)
def test_no_formula_wherever_cells_are_parted(values: list[Any]) -> None:
    """By `;`, tabs and line ends, as if no quote meant anything, and by commas as they are meant.

    Falls without either guard.
    """
    row = csv_row(map(cell_of, values))
    (cells,) = csv.reader(io.StringIO(row, newline=""), strict=True)
    _, *parted = re.split("[;\t\n\r]", row)
    for begins in (*cells, *(piece.lstrip(f'"{BLANK}') for piece in parted)):
        assert begins.lstrip(BLANK)[:1] not in set("=+-@＝＋－＠"), row
