"""Marks within the lines of Markdown, found where its parser takes them as marks, so that code keeps its own."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, image
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

READ_MAX_CHARS: Final = 40_000
"""A longer text is no memory, and is not read for marks."""

BRACKETS_MAX: Final = 400
"""A text with more brackets is not read for marks: its parser looks for the end of each one through all others."""

_NOTES: Final = "notes"
_AT: Final = "at"
_NOTE_OF_LINE: Final = re.compile(r"\[\^([^\[\]\s]{1,60})\]:[ \t]{1,40}")
_NOTE: Final = re.compile(r"\[\^([^\[\]\s]{1,60})\](?!\()")
_SPEAKS_OF_STRIKING: Final = re.compile(
    r"\bstri(?:k\w{0,20}|cken)\b|\bstruck\b|\btildes?\b|durch(?:ge)?str[ie]", re.IGNORECASE
)


class _Edit(NamedTuple):
    """Characters of a text that other words replace."""

    start: int
    end: int
    words: str


def without_inline_marks(text: str, notes: frozenset[str]) -> str:
    """Text of one block without struck words and the marks of footnotes, images by their words.

    Args:
        notes: names of the footnotes that the file defines; other brackets are no marks.
    """
    if not _is_readable(text) or not any(mark in text for mark in ("~~", "![", "[^")):
        return text
    edits, end = list[_Edit](), 0
    for edit in sorted(_edits(text, notes)):
        if edit.start >= end:
            edits.append(edit)
            end = edit.end
    plain = text
    for edit in reversed(edits):
        plain = plain[: edit.start] + edit.words + plain[edit.end :]
    return plain


def without_struck(text: str) -> str:
    """Text of one block without the words that are struck out."""
    edits = _struck(text, _tokens(text, frozenset())) if "~~" in text and _is_readable(text) else ()
    for edit in reversed(list(edits)):
        text = text[: edit.start] + text[edit.end :]
    return text


def _is_readable(text: str) -> bool:
    return len(text) <= READ_MAX_CHARS and text.count("[") <= BRACKETS_MAX


def _edits(text: str, notes: frozenset[str]) -> Iterator[_Edit]:
    tokens = _tokens(text, notes)
    yield from _struck(text, tokens)
    for token in tokens:
        if token.type in ("image", "note"):
            yield _Edit(token.meta[_AT], token.meta["end"], token.content)


def _struck(text: str, tokens: list[Token]) -> list[_Edit]:
    """Struck words with the blank beside them; none in a text that speaks of striking, whose examples they are."""
    opened, edits = list[int](), list[_Edit]()
    for token in tokens:
        if token.type == "s_open":
            opened.append(token.meta[_AT])
        elif token.type == "s_close":
            start, end = opened.pop(), token.meta[_AT] + 2
            if not opened:
                edits.append(_with_blank(text, start, end))
    return [] if edits and _SPEAKS_OF_STRIKING.search(text) else edits


def _with_blank(text: str, start: int, end: int) -> _Edit:
    if text[end : end + 1] == " ":
        return _Edit(start, end + 1, "")
    is_before_end = text[end : end + 1] in ("", "\n", ".", ",", ";") and text[start - 1 : start] == " "
    return _Edit(start - 1 if is_before_end else start, end, "")


def _tokens(text: str, notes: frozenset[str]) -> list[Token]:
    tokens: list[Token] = []
    _PARSER.inline.parse(text, _PARSER, {_NOTES: notes}, tokens)
    return tokens


def _read_tildes(state: StateInline, silent: bool) -> bool:
    """Reads two tildes as marks of struck words; another number of them, and those behind a word, open nothing."""
    at = state.pos
    if silent or state.src[at] != "~":
        return False
    run = state.scanDelims(at, True)
    state.pos += run.length
    if run.length != len("~~"):
        state.pending += state.src[at : state.pos]
        return True
    token = state.push("text", "", 0)
    token.content, token.meta = "~~", {_AT: at}
    is_opening = run.can_open and not state.src[at - 1 : at].isalnum()
    state.delimiters.append(Delimiter(ord("~"), 0, len(state.tokens) - 1, -1, is_opening, run.can_close))
    return True


def _read_note(state: StateInline, silent: bool) -> bool:
    """Reads the mark of a footnote: before its words at the beginning of a line, or behind a word of the text."""
    at, before = state.pos, state.src[state.pos - 1 : state.pos]
    begins_line = before in ("", "\n")
    found = (_NOTE_OF_LINE if begins_line else _NOTE).match(state.src, at, state.posMax)
    is_noted = found is not None and found[1].lower() in state.env[_NOTES]
    if found is None or not is_noted or (before.isspace() and not begins_line):
        return False
    state.pos = found.end()
    if not silent:
        state.push("note", "", 0).meta = {_AT: at, "end": found.end()}
    return True


def _read_image(state: StateInline, silent: bool) -> bool:
    at = state.pos
    is_read = image(state, silent)
    if is_read and not silent:
        state.tokens[-1].meta = {_AT: at, "end": state.pos}
    return is_read


def _parser() -> MarkdownIt:
    """Parser of the lines of one block, whose marks know where they stand."""
    parser = MarkdownIt("commonmark").enable("strikethrough").disable("emphasis")
    rules = parser.inline.ruler
    rules.at("strikethrough", _read_tildes)
    rules.at("image", _read_image)
    rules.before("link", "note", _read_note)
    return parser


_PARSER: Final = _parser()
