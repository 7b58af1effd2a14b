"""Marks of Markdown that say nothing in a memory: boxes, struck words, images, footnotes, lists of definitions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memory_layer.edge.foreign.inline_marks import READ_MAX_CHARS, without_inline_marks, without_struck
from memory_layer.edge.foreign.ticked_lists import box_words

_NOTE: Final = re.compile(r"(?m)^[ \t]{0,40}\[\^([^\[\]\s]{1,60})\]:")
_DEFINED: Final = re.compile(r"(?m)^([^\n:|`/;,(={]{1,60}?) : (?=\S)")
_BOX: Final = re.compile(r"([ \t]{0,40}(?:[-*+] )?)\[([ xX])\] (?=\S)")
_CELL_END: Final = re.compile(r"((?<!\\)\|)")
_MARKS: Final = ("~~", "![", "[^", " : ", "[ ]", "[x]", "[X]")


class _Run(NamedTuple):
    """Lines of a block that hold words and no code."""

    lines: range
    is_item: bool
    is_table: bool


def without_marks(
    text: str, titles: Sequence[str], *, is_item: bool = False, notes: frozenset[str] = frozenset()
) -> str:
    """Text as it is read: without what is struck out, images by their words, boxes as `To do:` and `Done:`; code stays.

    Args:
        titles: headings over it, which tell whether a box names a task.
        is_item: it is an item of a list, which alone has a box.
        notes: names of the footnotes that the file defines.
    """
    if len(text) > READ_MAX_CHARS or not any(mark in text for mark in _MARKS):
        return text
    lines = text.split("\n")
    for run in reversed(list(_runs(text))):
        words = "\n".join(lines[run.lines.start : run.lines.stop])
        if run.is_table:
            plain = "".join(without_inline_marks(cell, notes) for cell in _CELL_END.split(words))
        else:
            plain = _DEFINED.sub(r"\1: ", without_inline_marks(words, notes))
            plain = _unboxed(plain, titles) if run.is_item or (is_item and not run.lines.start) else plain
        is_struck = plain != words and plain.strip() in ("", "-", "- [ ]", "- [x]", "- [X]")
        lines[run.lines.start : run.lines.stop] = [] if is_struck else [plain]
    return "\n".join(lines).strip() or text


def is_struck_out(text: str) -> bool:
    """Tests if all that a text says is struck out, its box aside."""
    box = _BOX.match(text)
    return "~~" in text and not without_struck(text[box.end() :] if box else text).strip(" \n.,;:-*_")


def notes_in(tokens: Iterable[Token], references: Iterable[str]) -> frozenset[str]:
    """Names of the footnotes that a file defines, in lower case.

    Args:
        references: names that its parser took for those of links, as it does where one word follows.
    """
    texts = (token.content for token in tokens if token.type == "inline" and "[^" in token.content)
    named = (found[1] for text in texts for found in _NOTE.finditer(text))
    return frozenset(name.lower() for name in (*named, *(one[1:] for one in references if one[:1] == "^")))


def _unboxed(text: str, titles: Sequence[str]) -> str:
    box = _BOX.match(text)
    if box is None:
        return text
    words = text[box.end() :]
    return f"{box[1]}{box_words(words, titles, is_ticked=box[2] != ' ')}{words}"


def _runs(text: str) -> Iterator[_Run]:
    tokens = _PARSER.parse(text)
    is_in_table = False
    for at, token in enumerate(tokens):
        lines = range(*token.map) if token.map else range(0)
        if token.type == "table_open":
            yield from (_Run(range(line, line + 1), is_item=False, is_table=True) for line in lines)
        is_in_table = token.type == "table_open" or (is_in_table and token.type != "table_close")
        if token.type == "inline" and lines and not is_in_table:
            yield _Run(lines, is_item=at > 1 and tokens[at - 2].type == "list_item_open", is_table=False)


_PARSER: Final = MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])
