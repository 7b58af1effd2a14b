"""Comments of a Markdown file: taken off what is stored, and named where they stand within a stored line."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from markdown_it.token import Token

from memory_layer.edge.foreign.silent_lines import COMMENT_WITHIN
from memory_layer.usecases.transfer.foreign_file import LeftOut

COMMENT_MARKS: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE_OR_COMMENT: Final = re.compile(
    r"(?P<code>(?<!`)(?P<marks>`{1,9})(?!`).{1,400}?(?<!`)(?P=marks)(?!`))|" + COMMENT_MARKS.pattern,
    re.DOTALL,
)
TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
_WORD: Final = re.compile(r"\w")


def without_comments(text: str) -> str:
    """Text without its comments; one between the marks of code is part of the code."""
    return _CODE_OR_COMMENT.sub(lambda found: found["code"] or "", text) if "<!--" in text else text


def comments_within(tokens: Iterable[Token]) -> tuple[LeftOut, ...]:
    """Comments with words in them that stand within other text, each by the line on which it begins.

    Args:
        tokens: of the whole file, whose blocks know their lines.
    """
    lines = (line for token in tokens if token.map for line in _lines_within(token))
    return tuple(LeftOut(f"line {line}", COMMENT_WITHIN) for line in dict.fromkeys(lines))


def _lines_within(token: Token) -> Iterator[int]:
    """Yields the lines, counted from 1, on which comments of a block begin that has other text besides."""
    if token.type not in ("inline", "html_block") or not _says_more(token.content):
        return
    first = token.map[0] if token.map else 0
    for found in _CODE_OR_COMMENT.finditer(token.content):
        if found["code"] is None and _WORD.search(found[0]):
            yield first + token.content.count("\n", 0, found.start()) + 1


def _says_more(text: str) -> bool:
    return "<!--" in text and _WORD.search(TAG.sub("", without_comments(text))) is not None
