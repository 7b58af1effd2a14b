"""Tables of memories: any with a column `content`, and our own export, which is read back whole."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import ValidationError

from memory_layer.domain.fields import Field, canonical_json, record_fields
from memory_layer.domain.text.csv_cells import text_of_cell
from memory_layer.edge.shapes.problems import violations_of
from memory_layer.edge.shapes.requests import NewMemory, given_fields
from memory_layer.errors import Invalid, Malformed, MemoryLayerError
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignMemory, ForeignRefusal

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


def read_csv(text: str) -> ForeignFile:
    """Memories of a table, one a row; the columns are named as the fields that a caller may give of a memory.

    Lists are JSON or separated by commas, objects are JSON, an empty cell says nothing. A row that makes no
    memory is refused by the line on which it ends.

    Raises:
        Malformed: the text is no table.
        Invalid: there is no column `content`, or one that is unknown or there twice.
    """
    table = _table(text)
    _refuse_unknown(table.columns)
    read = [(line, _memory(line, dict(zip(table.columns, row, strict=True)))) for line, row in table.rows]
    return ForeignFile(
        memories=tuple(item for _, item in read if isinstance(item, ForeignMemory)),
        refused=tuple(item for _, item in read if isinstance(item, ForeignRefusal)),
    )


def exported_records(text: str) -> list[str] | None:
    """Lines of the records that our own CSV export holds; None for any other table.

    Raises:
        Malformed: the text is no table, or a cell is not as it was written; with its line.
    """
    table = _table(text)
    return [_record(table.columns, line, row) for line, row in table.rows] if table.is_export else None


def _table(text: str) -> _Table:
    header, *_ = text.lstrip("\ufeff").splitlines() or [""]
    delimiter = next((mark for mark in DELIMITERS if "content" in _names(header, mark)), ",")
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


def _refuse_unknown(columns: Sequence[str]) -> None:
    """Refuses columns that no memory has. Raises: Invalid: with the first of them."""
    if "content" not in columns:
        raise Invalid.at(
            "/content", "there is no column named content; name the one that says what was learned"
        )
    for position, name in enumerate(columns):
        if name in columns[:position]:
            raise Invalid.at(f"/{name}", f"the column {name!r} is there twice")
        if name not in _SAYABLE:
            set_by_us = any(field.name == name for field in record_fields())
            why = "is set by the store" if set_by_us else "is no field of a memory"
            raise Invalid.at(
                f"/{name}", f"the column {name!r} {why}; take it out. There are: {', '.join(_SAYABLE)}"
            )


def _memory(line: int, cells: Mapping[str, str]) -> ForeignMemory | ForeignRefusal:
    where = f"line {line}"
    try:
        values = {name: _value(name, cell) for name, cell in cells.items() if cell}
        return ForeignMemory(where, given_fields(NewMemory.model_validate(values)))
    except ValidationError as error:
        first = violations_of({**part, "loc": ("body", *part["loc"])} for part in error.errors())[0]
        return ForeignRefusal(where, f"{first.pointer.lstrip('/')}: {first.detail}")
    except MemoryLayerError as error:
        return ForeignRefusal(where, error.detail)


def _value(name: str, cell: str) -> Any:
    kind = _fields()[name].kind
    if kind in ("text", "instant"):
        return _DEFUSED.sub("", cell, count=1) if cell.startswith("'") else cell
    if kind == "labels" and not cell.lstrip().startswith("["):
        return [part.strip() for part in cell.split(",") if part.strip()]
    if kind == "boolean":
        cell = cell.lower()
    return _json(name, cell)


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
