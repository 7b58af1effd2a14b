"""Changed records as lists and statistics of a project need them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index import packed_columns
from memory_layer.adapters.embedded.ram_index.filter_cells import FILTER_CELLS, filter_rows_of
from memory_layer.adapters.project_index.filter_columns import FilterRows
from memory_layer.domain.retrieval.facts import AMOUNT_MAX, IS_APPROVED, IS_DOUBTED, IS_PINNED

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

_CHANGED: Final = packed_columns.PackedQuery(
    {
        **FILTER_CELLS,
        **{name: packed_columns.packed_numbers(sql) for name, (_, sql) in NUMBERS.items()},
        "id": packed_columns.packed_texts("m.id"),
        "embedding_model": packed_columns.packed_texts("m.embedding_model"),
    }
)


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
    """Records written after a position of the project's log, so many at a time (see `PackedQuery`).

    Raises:
        sqlite3.Error, ValueError, TypeError: a cell cannot be read, or is not as it was written.
    """
    return map(_rows_of, _CHANGED.chunks(connection, project_key, after, chunk_records))


def _rows_of(chunk: packed_columns.Chunk) -> ChangedRows:
    count = chunk[packed_columns.COUNT]
    numbers = {name: packed_columns.numbers_of(chunk[name], of, count) for name, (of, _) in NUMBERS.items()}
    ids, models = (
        packed_columns.texts_of(chunk["id"], count),
        packed_columns.texts_of(chunk["embedding_model"], count),
    )
    return ChangedRows(ids, filter_rows_of(chunk), numbers, models)
