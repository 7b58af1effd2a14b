"""Admonitions and tabs of documentation systems, read as plain Markdown with what stands over each line.

Those of MkDocs (`!!! warning "Title"`, `=== "Tab"`, the body indented by four), of Docusaurus, VitePress and MyST
(`:::warning[Title]` to `:::`) and of forges (`> [!WARNING]`, `<details>` with a summary).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from memory_layer.edge.foreign.comments import TAG
from memory_layer.edge.foreign.plain_markdown import Container, PlainMarkdown
from memory_layer.edge.foreign.silent_lines import MERE_HEADING

_ADMONITION: Final = re.compile(r'( *)(?:!!!|\?\?\?\+?) +([\w-]+)(?: +[\w-]+)*(?: +"(.*)")? *')
_TAB: Final = re.compile(r'( *)===[!+]? +()"(.*)" *')
_FENCED: Final = re.compile(r"( *)(:{3,}) *\{?([A-Za-z][\w-]*)\}?(?:\[(.*)\]| +(.+?))? *")
_FENCE_END: Final = re.compile(r" *(:{3,}|</details>) *")
_DETAILS: Final = re.compile(r"( *)<details\b[^>]{0,80}> *(?:<summary>(.{1,300})</summary>)? *")
_SUMMARY: Final = re.compile(r" *<summary>(.{1,300})</summary> *")
_ALERT: Final = re.compile(r"( *(?:> ?)+)\[!(\w+)\] *")
_CODE: Final = re.compile(r" *(`{3,}(?=[^`]*$)|~{3,}).*")
_COMMENT: Final = re.compile(r" *<!--(?:(?!-->).)*--> *")
_ITEM: Final = re.compile(r" *(?:[-*+]|\d{1,9}[.)]) {1,4}(?=\S)")

BODY_INDENT: Final = 4
"""So far a body is indented; what is indented so far in plain Markdown is code."""

DEPTH_MAX: Final = 40
"""Containers nested deeper stay as they are written."""

SEPARATOR: Final = "<!-- -->"
"""Stands for a mark: it says nothing, and parts the lists and the code before and behind it."""

TELLING: Final = frozenset(
    {"warning", "caution", "danger", "attention", "important", "error", "failure", "bug", "deprecated"}
)
"""Kinds that say something where there is no title; a note is a note."""


def without_containers(lines: Sequence[str]) -> PlainMarkdown:
    """Lines as plain Markdown, each with the containers in which it stands."""
    reading = _Reading(lines)
    for at, raw in enumerate(lines):
        reading.read(at, raw)
    reading.end()
    return reading.plain


@dataclass(slots=True)
class _Open:
    """Container that is open.

    Args:
        indent: of its mark in the plain lines.
        body_indent: of its body in the file; 0: the body is not indented.
        colons: the mark that closes it; empty: the end of the indentation does.
        is_titled: it has a title of its own.
        summary_at: line of its title, where that is not the line of its mark.
    """

    container: Container
    indent: int
    body_indent: int
    colons: str
    is_titled: bool
    summary_at: int | None = None


@dataclass(slots=True)
class _Code:
    """Code that is open. Args: first: its line; base: indentation of the list item in which it stands."""

    fence: str
    first: int
    base: int

    def is_ended_by(self, line: str) -> bool:
        end = line.strip()
        is_fence = len(end) >= len(self.fence) and not end.strip(self.fence[0])
        return is_fence and _indent(line) < self.base + BODY_INDENT


@dataclass(slots=True)
class _Reading:
    """One pass through the lines of a file."""

    source: Sequence[str]
    plain: PlainMarkdown = field(default_factory=PlainMarkdown)
    open: list[_Open] = field(default_factory=list)
    items: list[int] = field(default_factory=list)
    code: _Code | None = None

    def read(self, at: int, raw: str) -> None:
        line = _without_tabs(raw)
        if line.strip():
            self._leave(at, _indent(line))
        indented = sum(1 for one in self.open if one.body_indent)
        line = line[min(BODY_INDENT * indented, _indent(line)) :]
        self._append(line if indented else raw)
        if not line.strip() or self._is_in_code(line) or self._is_mark(at, line):
            return
        base = self.items[-1] if self.items else 0
        if _indent(line) >= base + BODY_INDENT or not _COMMENT.fullmatch(line):
            self._say(at)
        item = _ITEM.match(line) if _indent(line) < base + BODY_INDENT else None
        if item:
            base, line = item.end(), " " * item.end() + line[item.end() :]
            self.items.append(base)
        code = _CODE.fullmatch(line) if _indent(line) < base + BODY_INDENT else None
        if code:
            self.code = _Code(code[1], at, base)

    def end(self) -> None:
        """Ends the file: what a mark should have closed is no container."""
        unclosed = next((depth for depth, one in enumerate(self.open) if not one.colons), len(self.open))
        self._shut(unclosed)
        for one in self.open:
            one.container.is_whole = False
            for at in (
                one.container.first,
                one.container.first if one.summary_at is None else one.summary_at,
            ):
                self.plain.lines[at] = self.source[at]
                self.plain.marks.pop(at, None)

    def _append(self, line: str) -> None:
        self.plain.lines.append(line)
        self.plain.inside.append(self.open[-1].container if self.open else None)

    def _leave(self, at: int, indent: int) -> None:
        """Closes the containers whose body is indented further than a line."""
        for depth, one in enumerate(self.open):
            if indent >= one.body_indent:
                continue
            if one.colons:
                one.body_indent = 0
                continue
            if self.code and self.code.first > one.container.first:
                self._undo(self.code.first, at)
            if not self.plain.lines[at - 1].strip():
                self.plain.lines[at - 1] = " " * one.indent + SEPARATOR
            self._shut(depth)
            return

    def _undo(self, fence: int, end: int) -> None:
        """Takes out a fence that nothing closed, and those behind it: the code is words. Args: end: line behind it."""
        self.code = None
        for at in range(fence, end):
            if _CODE.fullmatch(self.plain.lines[at]):
                self.plain.lines[at], self.plain.marks[at] = "", None
        first = next((at for at in range(fence, end) if self.plain.lines[at].strip()), None)
        for one in self.open:
            if one.container.words_at == fence:
                one.container.words_at = first

    def _is_in_code(self, line: str) -> bool:
        """Tests if a line is code or ends it; else code and list items that it stands out of are over."""
        if self.code and _indent(line) >= self.code.base:
            self.code = None if self.code.is_ended_by(line) else self.code
            return True
        self.code = None
        while self.items and _indent(line) < self.items[-1]:
            self.items.pop()
        return False

    def _is_mark(self, at: int, line: str) -> bool:
        """Tests if a line is a mark, and takes it out."""
        if (end := _FENCE_END.fullmatch(line)) and any(one.colons[:1] == end[1][0] for one in self.open):
            self._close(at, end[1])
        elif self.open and at == self.open[-1].summary_at:
            self.plain.lines[at] = " " * self.open[-1].indent + SEPARATOR
        elif _indent(line) >= (self.items[-1] if self.items else 0) + BODY_INDENT:
            return False
        elif alert := _ALERT.fullmatch(line):
            title = _title_of_kind(alert[2])
            self.plain.lines[at] = f"{alert[1]}**{title}:**" if title else alert[1]
            self._say(at)
        elif (opened := self._opened(at, line)) and len(self.open) < DEPTH_MAX:
            self.open.append(opened)
            self.plain.lines[at] = " " * opened.indent + SEPARATOR
            self.plain.marks[at] = MERE_HEADING if opened.container.title else None
        else:
            return False
        self.plain.marks.setdefault(at, None)
        return True

    def _opened(self, at: int, line: str) -> _Open | None:
        """Container that a line opens; None: it opens none."""
        if found := _ADMONITION.fullmatch(line) or _TAB.fullmatch(line):
            colons, kind, title = "", found[2], found[3]
        elif found := _FENCED.fullmatch(line):
            colons, kind, title = found[2], found[3], found[4] or found[5]
        elif found := _DETAILS.fullmatch(line):
            return self._opened_details(at, found)
        else:
            return None
        body_indent = self._body_indent(at)
        if not (colons or body_indent):
            return None
        own = _title_of_kind(kind) if title is None else title.strip()
        parent = self.open[-1].container if self.open else None
        return _Open(Container(at, own, parent), len(found[1]), body_indent, colons, bool(title and own))

    def _opened_details(self, at: int, mark: re.Match[str]) -> _Open | None:
        """Container of a mark with a summary, on its line or on the next one with words; None: it has none."""
        behind = next(
            (one for one in range(at + 1, min(at + 3, len(self.source))) if self.source[one].strip()), at
        )
        beside = None if mark[2] else _SUMMARY.fullmatch(_without_tabs(self.source[behind]).strip())
        title = TAG.sub("", mark[2] or (beside[1] if beside else "")).strip()
        if not title:
            return None
        parent = self.open[-1].container if self.open else None
        summary_at = behind if beside else None
        return _Open(Container(at, title, parent), len(mark[1]), 0, "</details>", True, summary_at)

    def _body_indent(self, at: int) -> int:
        """Indentation from which on lines belong to the body of a mark; 0: the first words do not stand further in."""
        least = _indent(_without_tabs(self.source[at])) + BODY_INDENT
        behind = (self.source[one] for one in range(at + 1, len(self.source)))
        first = next((line for line in behind if line.strip()), "")
        return least if _indent(_without_tabs(first)) >= least else 0

    def _close(self, at: int, colons: str) -> None:
        """Closes the innermost container of a mark, with all within it."""
        depths = [depth for depth, one in enumerate(self.open) if one.colons[:1] == colons[0]]
        depth = next((one for one in reversed(depths) if self.open[one].colons == colons), depths[-1])
        self.plain.lines[at] = " " * self.open[depth].indent + SEPARATOR
        self.plain.inside[at] = self.open[depth].container.parent
        self._shut(depth, at)

    def _shut(self, depth: int, mark: int | None = None) -> None:
        """Closes the containers from a depth on, and says the titles of those without words.

        Args:
            mark: line that closes them, which takes the title where the line of the first mark follows words.
        """
        while len(self.open) > depth:
            closed = self.open.pop()
            first = closed.container.first
            if closed.container.words_at is not None or not closed.is_titled:
                continue
            is_parted = first == 0 or self.plain.lines[first - 1].strip() in ("", SEPARATOR)
            said_at = first if is_parted or mark is None else mark
            self.plain.marks[first] = None
            self.plain.lines[said_at] = " " * closed.indent + closed.container.title
            self._say(said_at)

    def _say(self, at: int) -> None:
        """Notes the first words of the containers that are open."""
        for one in reversed(self.open):
            if one.container.words_at is not None:
                return
            one.container.words_at = at


def _title_of_kind(kind: str) -> str:
    return kind.capitalize() if kind.lower() in TELLING else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _without_tabs(line: str) -> str:
    """Line whose indentation is of blanks."""
    words = line.lstrip(" \t")
    return line[: len(line) - len(words)].expandtabs(BODY_INDENT) + words
