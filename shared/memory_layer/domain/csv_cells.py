"""Records as rows of a spreadsheet: RFC 4180, one column a field, no cell that a spreadsheet would carry out.

How a cell is read back (`text_of_cell`): an empty one is null; one that begins with an apostrophe is the text after
that apostrophe; any other is what it says. So a text gets an apostrophe in front where a spreadsheet would take it for
a formula (`=`, `+`, `-`, `@`, tab or line end, also after blanks, also full-width), where it begins with an apostrophe
itself, and where it is empty. Lists and objects are JSON. Numbers stay numbers, also negative ones.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

from memory_layer.domain.fields import canonical_json

_ACTIVE = re.compile("\\A(?:'|\\Z|[\\s\\x00-\\x1f\\ufeff\\u200b]*[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20])")
"""Source: OWASP, CSV Injection."""

GUARD = "'"


def csv_row(values: Iterable[str]) -> str:
    """Cells as one row, quoted where they have to be, with its CR LF."""
    row = io.StringIO()
    csv.writer(row, lineterminator="\r\n").writerow(list(values))
    return row.getvalue()


def record_row(document: Mapping[str, Any]) -> str:
    """The row of a record's JSON, in the order of its fields."""
    return csv_row(map(cell_of, document.values()))


def cell_of(value: Any) -> str:
    """What stands in a cell for a JSON value."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"{GUARD}{value}" if _ACTIVE.match(value) else value
    return canonical_json(value)


def text_of_cell(cell: str) -> str | None:
    """What `cell_of` was given: text, null, or the JSON of anything else."""
    return cell.removeprefix(GUARD) if cell else None
