"""Tables, dimmed text and counts, as all printing uses them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.refusal_text import printable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


Document = Mapping[str, Any]


SHOWN_CHARS = 300
"""Length to which a memory's words are cut, where an id beside them says where to read the rest."""


def with_next_cursor(table: Table, document: Document) -> Any:
    from rich.console import Group

    cursor = document["next_cursor"]
    return Group(table, hint(f"more: --cursor {cursor}")) if cursor else table


def memory_count(memories: int) -> str:
    return "1 memory" if memories == 1 else f"{memories} memories"


def new_table(*columns: str) -> Table:
    """Table whose ids stay whole, however narrow the terminal is: they are copied."""
    from rich import box

    from memory_layer.cli.printing.id_table import IdTable

    table = IdTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def dimmed(text: str) -> Text:
    """Line of ours, whatever names stand in it: it is one line."""
    from rich.text import Text

    return Text(printable(" ".join(text.splitlines())), style="dim")


def hint(text: str) -> Text:
    """Dimmed line with commands that run as printed; it is not wrapped, so that they can be copied whole."""
    line = dimmed(runnable(text))
    line.no_wrap, line.overflow = True, "ignore"
    return line


def printable_cell(value: Any) -> Text:
    from rich.text import Text

    return Text(printable(_said(value)))


def one_line(words: str) -> str:
    return " ".join(words.split())


def words_cell(words: str) -> Text:
    """Somebody's words with a bar before each line but the first, so that none passes for a line of ours below it.

    Blanks in a row, which could push a part of it to the next line of the terminal, are one.
    """
    from rich.text import Text

    first, *others = _PUSHING.sub(" ", words).splitlines() or [""]
    return Text("\n| ".join(map(printable, (first, *others))))


_PUSHING = re.compile(r"(?<=\S)[^\S\n\r\x85\u2028\u2029]{3,}(?=\S)")


def _said(value: Any) -> str:
    """Value in words: lists with commas, a document's filled members by their names, one of several behind `;`."""
    if isinstance(value, Mapping):
        return ", ".join(
            f"{name} {_said(one)}" for name, one in value.items() if one not in (None, "", [], ())
        )
    if isinstance(value, list | tuple):
        return ("; " if any(isinstance(one, Mapping) for one in value) else ", ").join(map(_said, value))
    return str(value)
