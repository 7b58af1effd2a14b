"""Columns of changed records as SQLite packs them: one text or blob a column, for hundreds of records at a time.

A cell that becomes an object of Python's takes as long as all else that is done with it. SQLite packs them while other
threads run.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.row_comparison import log_fits_rows

Chunk = Mapping[str, Any]
"""Packed columns of some records, by name; `count` is the number of records."""

LINE: Final = "\n"
"""Separator of lines: JSON texts, in which it stands escaped, moments and lists of numbers."""

COUNT: Final = "count"

_INSTANT_LETTERS: Final = 26
"""Length of a `fields.rfc3339` text without its Z, which numpy does not read."""
_NO_INSTANT: Final = np.iinfo(np.int64).min
"""Number of numpy's datetime of an empty text."""

_LAST_OF_CHUNK: Final = (
    "SELECT log_position FROM memories {} WHERE project_key = ?1 AND log_position > ?2"
    " ORDER BY log_position LIMIT 1 OFFSET ?3"
)
_NO_END: Final = 2**63 - 1


def packed_texts(sql: str) -> str:
    """SQL of a column of texts or None, as `texts_of` reads it."""
    return f"json_group_array({sql})"


def packed_numbers(sql: str) -> str:
    """SQL of a column of whole numbers, as `numbers_of` reads it."""
    return f"group_concat({sql})"


def packed_lines(sql: str) -> str:
    """SQL of a column of texts without an end of line, as `lines_of` and `instants_of` read it."""
    return f"group_concat(ifnull({sql}, ''), '{LINE}')"


def packed_bytes(sql: str) -> str:
    """SQL of blobs end to end; what is NULL has no bytes."""
    return f"CAST(group_concat(CAST({sql} AS TEXT), '') AS BLOB)"


class PackedQuery:
    """Query for records of a project, packed.

    Args:
        columns: aggregates in SQL, by name.
        beside: tables joined to `memories m`, in SQL.
        condition: of the records, in SQL.
    """

    def __init__(self, columns: Mapping[str, str], beside: str = "", condition: str = "TRUE") -> None:
        self._names = (COUNT, *columns)
        self._sql = (
            f"SELECT {', '.join(('count(*)', *columns.values()))} FROM memories m {{}} {beside} WHERE {condition}"
            " AND m.project_key = ?1 AND m.log_position > ?2 AND m.log_position <= ?3"
        )

    def chunks(
        self, connection: sqlite3.Connection, project_key: int, after: int, chunk_records: int
    ) -> Iterator[Chunk]:
        """Records written after a position of the project's log, as they are now, so many at a time.

        The last chunk has no end: a record that is written meanwhile moves there, and is read twice, never missed.
        A whole project is read without the index by its log where that is damaged: it would lead past a record.

        Raises:
            sqlite3.Error: a cell cannot be read.
        """
        is_whole = after == 0
        index = "NOT INDEXED" if is_whole and not log_fits_rows(connection, project_key) else ""
        read, last_of_chunk = self._sql.format(index), _LAST_OF_CHUNK.format(index)
        end = after
        while end != _NO_END:
            last = connection.execute(last_of_chunk, (project_key, end, chunk_records - 1)).fetchone()
            begin, end = end, _NO_END if last is None else last[0]
            packed = connection.execute(read, (project_key, begin, end)).fetchone()
            if packed[0]:
                yield dict(zip(self._names, packed, strict=True))


def texts_of(packed: str, count: int) -> list[Any]:
    """Texts of a column. Raises: ValueError: they are not as many."""
    texts: list[Any] = json.loads(packed)
    return _as_many(texts, count)


def lines_of(packed: str, count: int) -> list[str]:
    """Lines of a column. Raises: ValueError: they are not as many."""
    return _as_many(packed.split(LINE), count)


def _as_many(texts: list[Any], count: int) -> list[Any]:
    if len(texts) != count:
        raise ValueError("a text of a record is not as it was written")
    return texts


def numbers_of(packed: str, of: Any, count: int) -> NDArray[Any]:
    """Numbers of a column. Raises: ValueError: they are not as many, or one does not fit."""
    wide = np.fromstring(packed, np.int64, sep=",")
    numbers = wide.astype(of)
    if len(numbers) != count or not np.array_equal(numbers, wide):
        raise ValueError("a number of a record is not as it was written")
    return numbers


def instants_of(packed: str, count: int, absent: int) -> NDArray[np.int64]:
    """Microseconds since 1970 of a column of moments. Args: absent: of an empty line."""
    if packed == LINE * (count - 1):
        return np.full(count, absent, np.int64)
    texts = np.array(lines_of(packed, count), f"S{_INSTANT_LETTERS}")
    moments = texts.astype("datetime64[us]").astype(np.int64)
    moments[moments == _NO_INSTANT] = absent
    return moments
