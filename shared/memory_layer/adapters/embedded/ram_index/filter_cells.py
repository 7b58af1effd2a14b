"""Cells of a record's row in SQLite that filters ask for, and the columns that they become."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from memory_layer.adapters.embedded.ram_index import packed_columns
from memory_layer.adapters.project_index import filter_columns
from memory_layer.adapters.project_index.coded_column import CodedValues, uncoded_values
from memory_layer.adapters.project_index.filter_columns import FilterRows
from memory_layer.domain.retrieval.facts import NEVER

_COMPLEXITY: Final = (
    "CASE WHEN instr(m.detail, '\"complexity\"') AND json_valid(m.detail)"
    " THEN json_extract(m.detail, '$.complexity') END"
)
"""Complexity that a record's detail names, in SQL over `memories m`; it may be no text."""

FILTER_CELLS: Final = {
    **{
        name: packed_columns.packed_texts(_COMPLEXITY if name == "complexity" else f"m.{name}")
        for name in filter_columns.TEXTS
    },
    **{
        name: packed_columns.packed_numbers(f"ifnull(m.{name}, {filter_columns.NO_SCORE})")
        for name in filter_columns.SCORES
    },
    **{
        name: packed_columns.packed_lines(f"m.{name}")
        for name in (*filter_columns.INSTANTS, *filter_columns.LABELS)
    },
}
"""What `filter_rows_of` needs, by name, in SQL over `memories m`."""


def filter_rows_of(chunk: packed_columns.Chunk) -> FilterRows:
    """Filtered fields of records. Args: chunk: with the columns of FILTER_CELLS.

    Raises:
        ValueError, TypeError: a cell is not as it was written.
    """
    count = chunk[packed_columns.COUNT]
    texts = {name: packed_columns.texts_of(chunk[name], count) for name in filter_columns.TEXTS}
    texts["complexity"] = _texts_only(texts["complexity"])
    return FilterRows(
        texts={name: uncoded_values(column) for name, column in texts.items()},
        scores={
            name: packed_columns.numbers_of(chunk[name], np.int16, count) for name in filter_columns.SCORES
        },
        instants={
            name: packed_columns.instants_of(chunk[name], count, NEVER) for name in filter_columns.INSTANTS
        },
        labels={name: _parsed(packed_columns.lines_of(chunk[name], count)) for name in filter_columns.LABELS},
    )


def _parsed(lines: Sequence[str]) -> CodedValues[Sequence[Any]]:
    """Parses JSON arrays, each distinct text once."""
    rows = {line: row for row, line in enumerate(dict.fromkeys(lines))}
    numbers = np.fromiter(map(rows.__getitem__, lines), np.intp, len(lines))
    return CodedValues(json.loads(f"[{','.join(rows)}]"), numbers)


def _texts_only(values: Sequence[Any]) -> list[str | None]:
    """The values that are texts: a detail may say anything under `complexity`, and filters compare texts."""
    return [value if isinstance(value, str) else None for value in values]
