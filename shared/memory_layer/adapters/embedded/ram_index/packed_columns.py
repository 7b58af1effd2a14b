"""Columns of changed records as SQLite packs them: one text a column, for thousands of records at a time.

A cell that becomes an object of Python's takes as long as all else that is done with it. Packed by SQLite, which lets
other threads run meanwhile, the columns of 100,000 records are read in half the time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index import filter_cells
from memory_layer.adapters.project_index import filter_columns
from memory_layer.adapters.project_index.coded_column import uncoded_values
from memory_layer.adapters.project_index.filter_columns import FilterRows
from memory_layer.domain.retrieval.facts import AMOUNT_MAX, IS_APPROVED, IS_DOUBTED, IS_PINNED, NEVER

NUMBERS: Final = {
    "key": ("<i8", "m.key"),
    "use_count": ("<i4", f"min(m.use_count, {AMOUNT_MAX})"),
    "flags": (
        "<u2",
        f"{IS_APPROVED} * (m.approved_by IS NOT NULL) + {IS_DOUBTED} * (m.doubted IS NOT NULL)"
        f" + {IS_PINNED} * (m.pinned <> 0)",
    ),
    "bytes": (
        "<i8",
        "coalesce(m.body_bytes, length(CAST(m.content AS BLOB))) + length(CAST(m.detail AS BLOB))"
        " + coalesce(length(CAST(m.context AS BLOB)), 0)",
    ),
    "body_bytes": ("<i8", "coalesce(m.body_bytes, 0)"),
}
"""Columns beside the filtered ones, by name: their type, and what they are in SQL."""

_LINE: Final = "\n"
"""Separator of JSON texts, in which it stands escaped."""

_TEXTS: Final[Mapping[str, str]] = {
    name: f"m.{name}" for name in filter_columns.TEXTS if name != "complexity"
} | {
    "complexity": filter_cells.COMPLEXITY,
    "embedding_model": "m.embedding_model",
    "id": "m.id",
    **{name: f"m.{name}" for name in filter_columns.INSTANTS},
}
_AMOUNTS: Final[Mapping[str, str]] = {name: sql for name, (_, sql) in NUMBERS.items()} | {
    name: f"ifnull(m.{name}, {filter_columns.NO_SCORE})" for name in filter_columns.SCORES
}
_PACKED: Final[Mapping[str, str]] = {
    "count": "count(*)",
    **{name: f"json_group_array({sql})" for name, sql in _TEXTS.items()},
    **{name: f"group_concat({sql})" for name, sql in _AMOUNTS.items()},
    **{name: f"group_concat(m.{name}, char({ord(_LINE)}))" for name in filter_columns.LABELS},
}
_CHANGED: Final = (
    f"SELECT {', '.join(_PACKED.values())} FROM memories m"
    " WHERE m.project_key = ?1 AND m.log_position > ?2 AND m.log_position <= ?3"
)
_LAST_OF_CHUNK: Final = (
    "SELECT log_position FROM memories WHERE project_key = ?1 AND log_position > ?2"
    " ORDER BY log_position LIMIT 1 OFFSET ?3"
)
_NO_END: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """Columns of m records that changed.

    Args:
        ids: of the records.
        filters: the filtered fields.
        numbers: by the names of NUMBERS.
        models: name of the model of each record's vector; None: it has no vector.
    """

    ids: Sequence[str]
    filters: FilterRows
    numbers: Mapping[str, NDArray[Any]]
    models: Sequence[str | None]


def changed_rows(
    connection: sqlite3.Connection, project_key: int, after: int, chunk_records: int
) -> Iterator[ChangedRows]:
    """Records written after a position of the project's log, as they are now, so many at a time.

    The last chunk has no end: a record that is written meanwhile moves there, and is read twice, never missed.

    Raises:
        sqlite3.Error, ValueError, TypeError: a cell cannot be read, or is not as it was written.
    """
    end = after
    while end != _NO_END:
        last = connection.execute(_LAST_OF_CHUNK, (project_key, end, chunk_records - 1)).fetchone()
        begin, end = end, _NO_END if last is None else last[0]
        packed = connection.execute(_CHANGED, (project_key, begin, end)).fetchone()
        if packed[0]:
            yield _rows_of(dict(zip(_PACKED, packed, strict=True)))


def _rows_of(packed: Mapping[str, Any]) -> ChangedRows:
    count = packed["count"]
    texts = {name: _texts(packed[name], count) for name in _TEXTS}
    texts["complexity"] = filter_cells.texts_only(texts["complexity"])
    labels = {name: packed[name].split(_LINE) for name in filter_columns.LABELS}
    if any(len(column) != count for column in labels.values()):
        raise ValueError("labels of a record are not as they were written")
    filters = FilterRows(
        texts={name: uncoded_values(texts[name]) for name in filter_columns.TEXTS},
        scores={name: _numbers(packed[name], np.int16, count) for name in filter_columns.SCORES},
        instants={name: filter_cells.instants(texts[name], NEVER) for name in filter_columns.INSTANTS},
        labels={name: filter_cells.parsed(column) for name, column in labels.items()},
    )
    numbers = {name: _numbers(packed[name], of, count) for name, (of, _) in NUMBERS.items()}
    return ChangedRows(texts["id"], filters, numbers, texts["embedding_model"])


def _texts(packed: str, count: int) -> list[Any]:
    texts: list[Any] = json.loads(packed)
    if len(texts) != count:
        raise ValueError("a text of a record is not as it was written")
    return texts


def _numbers(packed: str, of: Any, count: int) -> NDArray[Any]:
    """Numbers of a column. Raises: ValueError: they are not as many, or one does not fit."""
    wide = np.fromstring(packed, np.int64, sep=",")
    numbers = wide.astype(of)
    if len(numbers) != count or not np.array_equal(numbers, wide):
        raise ValueError("a number of a record is not as it was written")
    return numbers
