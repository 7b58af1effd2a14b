"""Table in which no id is cut into two lines."""

from __future__ import annotations

import re
from typing import Any, Final

from rich.table import Table

_ID: Final = re.compile(r"[a-z]{2,4}_[0-9A-Za-z]{16,}(?:@\d+)?")
"""Ids that the product gives, as a list of what waits shows them."""

_OF_IDS: Final = frozenset(("id", "task", "conversation"))
"""Headings of columns that hold ids of others' making."""


class IdTable(Table):
    """Table whose columns are as wide as their longest id."""

    def add_row(self, *cells: Any, **how: Any) -> None:
        super().add_row(*cells, **how)
        for column, cell in zip(self.columns, cells, strict=False):
            width = max(map(len, _ids(str(column.header), str(cell))), default=0)
            column.min_width = max(column.min_width or 0, width) or None


def _ids(heading: str, text: str) -> list[str]:
    return text.split() if heading in _OF_IDS else _ID.findall(text)
