"""Tables of memories: any with a column `content`, and our own export, which is read back whole."""

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory_layer.domain.fields import Field, canonical_json, record_fields
from memory_layer.domain.text.csv_cells import text_of_cell
from memory_layer.edge.foreign.csv_columns import (
    DETAIL,
    DROPPED,
    ColumnMapping,
    column_mapping,
    refuse_unmapped,
    united,
)
from memory_layer.edge.foreign.given_memory import given_memory
from memory_layer.edge.shapes.requests import NewMemory
from memory_layer.errors import Invalid, Malformed, MemoryLayerError
from memory_layer.usecases.transfer.foreign_file import (
    ForeignFile,
    ForeignMemory,
    ForeignRefusal,
    LeftOut,
)

DELIMITERS = (",", ";", "\t")
"""Spreadsheets write the second one where the comma stands before decimals, and the third to the clipboard."""

_STORED = frozenset({"content", "content_hash", "version", "created_at"})
"""Columns that only a record has: a table with all of them is our export."""

_DEFUSED = re.compile(r"'(?=[=+\-@\t\r])")
"""Prefix that spreadsheet exports put before a cell that would be a formula."""

_SAYABLE = tuple(name for name in NewMemory.model_fields if name != "on_duplicate")


@dataclass(frozen=True, slots=True)
class _Table:
    columns: Sequence[str]
    rows: Sequence[tuple[int, Sequence[str]]]

    @property
    def is_export(self) -> bool:
        return set(self.columns) >= _STORED


def read_csv(text: str, columns: Sequence[str] = ()) -> ForeignFile:
    """Memories of a table, one a row; the columns are named as the fields that a caller may give of a memory.

    Lists are JSON or separated by commas, objects are JSON, an empty cell says nothing. A row that makes no
    memory is refused by the line on which it ends, and one without words is left out.

    Args:
        columns: `COLUMN=FIELD` for each column of another name, as `csv_columns`.

    Raises:
        Malformed: the text is no table.
        Invalid: there is no column `content`, or one that is unknown or there twice.
    """
    mapping = column_mapping(columns, _SAYABLE)
    table = _table(text, mapping)
    fields = _fields_of_columns(table.columns, mapping)
    read = [
        (line, _memory(line, zip(table.columns, fields, row, strict=True), mapping))
        for line, row in table.rows
    ]
    return ForeignFile(
        memories=tuple(item for _, item in read if isinstance(item, ForeignMemory)),
        refused=tuple(item for _, item in read if isinstance(item, ForeignRefusal)),
        left_out=tuple(item for _, item in read if isinstance(item, LeftOut)),
    )


def exported_records(text: str) -> list[str] | None:
    """Lines of the records that our own CSV export holds; None for any other table.

    Raises:
        Malformed: the text is no table, or a cell is not as it was written; with its line.
    """
    table = _table(text, ColumnMapping({}))
    return [_record(table.columns, line, row) for line, row in table.rows] if table.is_export else None


def delimiter_of(text: str, named: Collection[str] = ()) -> str | None:
    """Delimiter that parts a header with a column `content`, or with another one that is named; None: there is none."""
    header, *_ = text.lstrip("\ufeff").splitlines() or [""]
    wanted = {"content", *named}
    return next((mark for mark in DELIMITERS if wanted & set(_names(header, mark))), None)


def _table(text: str, mapping: ColumnMapping) -> _Table:
    delimiter = delimiter_of(text, mapping.fields) or ","
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    try:
        columns = [name.strip() for name in next(reader, [])]
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise Malformed(f"line {reader.line_num}: the table cannot be read: {error}") from error
    for line, row in rows:
        if len(row) != len(columns):
            raise Malformed(
                f"line {line}: {len(row)} cells under {len(columns)} columns; the file may have been cut off"
            )
    return _Table(columns, rows)


def _names(header: str, delimiter: str) -> list[str]:
    return [name.strip().strip('"') for name in header.split(delimiter)]


def _fields_of_columns(columns: Sequence[str], mapping: ColumnMapping) -> list[str]:
    """Field of each column. Raises: Invalid: no column is the content, one is there twice, or some are unknown."""
    twice = next((name for at, name in enumerate(columns) if name in columns[:at]), None)
    if twice is not None:
        raise Invalid.at(f"/{twice}", f"the column {twice!r} is there twice")
    refuse_unmapped(columns, mapping)
    fields = [mapping.field_of(name, _SAYABLE) for name in columns]
    if "content" not in fields:
        raise Invalid.at(
            "/content",
            "there is no column named content; name the one that says what was learned, or map it: memory=content",
        )
    known = [field for field in fields if field not in (None, DETAIL, DROPPED)]
    if (double := next((field for field in known if known.count(field) > 1), None)) is not None:
        raise Invalid.at(f"/{double}", f"two columns are {double}; map one of them to {DETAIL}")
    _refuse_unknown([name for name, field in zip(columns, fields, strict=True) if field is None])
    return [str(field) for field in fields]


def _refuse_unknown(unknown: Sequence[str]) -> None:
    """Refuses columns that no memory has. Raises: Invalid: with the first of them."""
    if not unknown:
        return
    first, *others = unknown
    set_by_us = any(field.name == first for field in record_fields())
    why = "is set by the store" if set_by_us else "is no field of a memory"
    more = f"; so are {', '.join(map(repr, others))}" if others else ""
    raise Invalid.at(
        f"/{first}",
        f"the column {first!r} {why}{more}; take it out, or map it: {first}={DETAIL} keeps it, {first}={DROPPED} "
        f"leaves it out, *={DETAIL} keeps every one. There are: {', '.join(_SAYABLE)}",
    )


def _memory(
    line: int, cells: Iterable[tuple[str, str, str]], mapping: ColumnMapping
) -> ForeignMemory | ForeignRefusal | LeftOut:
    where = f"line {line}"
    try:
        said = [(column, field, _cell(column, field, cell, mapping)) for column, field, cell in cells if cell]
    except MemoryLayerError as error:
        return ForeignRefusal(where, error.detail)
    values = united(said, mapping)
    return given_memory(where, values) if values else LeftOut(where, "it says nothing")


def _cell(column: str, field: str, cell: str, mapping: ColumnMapping) -> Any:
    is_text = field == DROPPED or (field == DETAIL and mapping.goes_beside(column))
    return _without_guard(cell) if is_text else _value(field, cell)


def _value(name: str, cell: str) -> Any:
    kind = _fields()[name].kind
    if kind in ("text", "instant"):
        return _without_guard(cell)
    if kind == "labels" and not cell.lstrip().startswith("["):
        return [part.strip() for part in cell.split(",") if part.strip()]
    if kind == "boolean":
        cell = cell.lower()
    return _json(name, cell)


def _without_guard(cell: str) -> str:
    return _DEFUSED.sub("", cell, count=1) if cell.startswith("'") else cell


def _json(name: str, cell: str) -> Any:
    try:
        return json.loads(cell, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"{name}: {cell[:40]!r} is no JSON: {error}") from error


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number that JSON knows")


@cache
def _fields() -> dict[str, Field]:
    return {field.name: field for field in record_fields()}


def _record(columns: Sequence[str], line: int, row: Sequence[str]) -> str:
    """Record of a row whose cells `domain.text.csv_cells` wrote."""
    fields = _fields()
    document: dict[str, Any] = {}
    for name, cell in zip(columns, row, strict=True):
        is_text = name != "active" and (name not in fields or fields[name].kind in ("text", "instant"))
        text = text_of_cell(cell)
        try:
            document[name] = text if is_text or text is None else _json(name, text)
        except Malformed as error:
            raise Malformed(f"line {line}: {error.detail}") from error
    return f"{canonical_json(document)}\n"
