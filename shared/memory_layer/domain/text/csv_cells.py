"""Records as rows of a spreadsheet: RFC 4180, one column a field, no cell that a spreadsheet would execute.

Reading a cell back (`text_of_cell`): an empty cell is null; a cell that begins with an apostrophe is the text after
that apostrophe; any other is its own text. So a text gets an apostrophe in front where a spreadsheet would take it
for a formula (`=`, `+`, `-`, `@`, tab or line end, also after blanks, also full-width), where it begins with an
apostrophe itself, and where it is empty. Lists and objects are JSON. Numbers stay numbers, also negative ones.

Some spreadsheets split cells at `;` or tabs, not at commas: quotes in the middle of their cells then mean nothing,
and line ends split rows. So inside a cell, the beginning of a formula there gets an apostrophe too, one more than it
has: `a;=1` is `a;'=1`, and `a;'=1` is `a;''=1`.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

from memory_layer.domain.fields import canonical_json

_BLANKS = r"\s\x00-\x1f\ufeff\u200b"
_SIGNS = r"=+\-@\uff1d\uff0b\uff0d\uff20"
_ACTIVE = re.compile(rf"\A(?:'|\Z|[{_BLANKS}]*[{_SIGNS}\t\r\n])")
"""Text that a spreadsheet would execute. Source: OWASP, CSV Injection."""

GUARD = "'"

_PARTING = re.compile(r"[;\t-\r\x85\u2028\u2029]")
_GAP = rf'([;"{_BLANKS}]+)'
"""Gap between cells, matched as a whole run, so that a text of blanks alone is read once."""

_TO_GUARD = re.compile(rf"{_GAP}((?='*[{_SIGNS}]))?")
_GUARDED = re.compile(rf"{_GAP}('(?='*[{_SIGNS}]))?")


def csv_row(values: Iterable[str]) -> str:
    """Writes cells as one row, quoted where needed, with its CR LF."""
    row = io.StringIO()
    csv.writer(row, lineterminator="\r\n").writerow(list(values))
    return row.getvalue()


def record_row(document: Mapping[str, Any]) -> str:
    """Writes the row of a record's JSON, in the order of its fields."""
    return csv_row(map(cell_of, document.values()))


def cell_of(value: Any) -> str:
    """Text of the cell for a JSON value."""
    if value is None:
        return ""
    if isinstance(value, str):
        guarded = _guarded_inside(value)
        return f"{GUARD}{guarded}" if _ACTIVE.match(value) else guarded
    return _guarded_inside(canonical_json(value))


def text_of_cell(cell: str) -> str | None:
    """Reads a cell that `cell_of` wrote: text, null, or the JSON of anything else."""
    return _unguarded_inside(cell.removeprefix(GUARD)) if cell else None


def _guarded_inside(text: str) -> str:
    return _TO_GUARD.sub(lambda gap: f"{gap[1]}{GUARD}" if _begins_a_formula(gap) else gap[0], text)


def _unguarded_inside(text: str) -> str:
    return _GUARDED.sub(lambda gap: gap[1] if _begins_a_formula(gap) else gap[0], text)


def _begins_a_formula(gap: re.Match[str]) -> bool:
    return gap[2] is not None and _PARTING.search(gap[1]) is not None
