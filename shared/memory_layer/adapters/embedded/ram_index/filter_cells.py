"""Cells of a record's row in SQLite that filters ask for, and the columns that they become."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index import filter_columns
from memory_layer.adapters.project_index.coded_column import CodedValues, uncoded_values
from memory_layer.adapters.project_index.filter_columns import FilterRows
from memory_layer.domain.retrieval.facts import NEVER

_INSTANT_LETTERS: Final = 26
"""Length of a `fields.rfc3339` text without its Z, which numpy does not read."""

COMPLEXITY: Final = (
    "CASE WHEN instr(m.detail, '\"complexity\"') AND json_valid(m.detail)"
    " THEN json_extract(m.detail, '$.complexity') END"
)
"""Complexity that a record's detail names, in SQL over `memories m`; it may be no text."""

_SHARED_TEXTS: Final = tuple(
    name for name in filter_columns.TEXTS if name not in ("session_id", "complexity")
)

FILTER_CELLS: Final = (
    # Texts that many records share come as one JSON array, parsed once for all of them: half the time of a load.
    (
        "shared_texts",
        f"json_array(m.embedding_model, {COMPLEXITY}, {', '.join(f'm.{name}' for name in _SHARED_TEXTS)})",
    ),
    *(
        (name, f"m.{name}")
        for name in (
            "session_id",
            *filter_columns.SCORES,
            *filter_columns.INSTANTS,
            *filter_columns.LABELS,
        )
    ),
)
"""What `filter_rows_of` needs, by name, in SQL over `memories m`."""


def filter_rows_of(columns: Mapping[str, Sequence[Any]]) -> tuple[FilterRows, CodedValues[str | None]]:
    """Filtered fields of records, and the names of their models. Args: columns: by the names of FILTER_CELLS.

    Raises:
        ValueError, TypeError: a cell is not as it was written.
    """
    shared = parsed(columns["shared_texts"])
    models, complexities, *others = zip(*shared.values, strict=True)
    texts = dict(zip(_SHARED_TEXTS, others, strict=True)) | {"complexity": texts_only(complexities)}
    filters = FilterRows(
        texts={name: CodedValues(values, shared.rows) for name, values in texts.items()}
        | {"session_id": uncoded_values(columns["session_id"])},
        scores={name: _scores(columns[name]) for name in filter_columns.SCORES},
        instants={name: instants(columns[name], NEVER) for name in filter_columns.INSTANTS},
        labels={name: parsed(columns[name]) for name in filter_columns.LABELS},
    )
    return filters, CodedValues(models, shared.rows)


def parsed(texts: Sequence[str]) -> CodedValues[Sequence[Any]]:
    """Parses JSON arrays, each distinct text once."""
    rows: dict[str, int] = {}
    numbers = [rows.setdefault(text, len(rows)) for text in texts]
    return CodedValues(json.loads(f"[{','.join(rows)}]"), np.array(numbers, np.intp))


def texts_only(values: Sequence[Any]) -> list[str | None]:
    """The values that are texts: a detail may say anything under `complexity`, and filters compare texts."""
    return [value if isinstance(value, str) else None for value in values]


def _scores(values: Sequence[int | None]) -> NDArray[np.int16]:
    return np.array([filter_columns.NO_SCORE if value is None else value for value in values], np.int16)


def instants(values: Sequence[str | None], absent: int) -> NDArray[np.int64]:
    """Microseconds since 1970. Args: absent: of None."""
    moments = np.full(len(values), absent, np.int64)
    present = [position for position, value in enumerate(values) if value is not None]
    texts = np.array([values[position] for position in present], f"S{_INSTANT_LETTERS}")
    moments[present] = texts.astype("datetime64[us]").astype(np.int64)
    return moments
