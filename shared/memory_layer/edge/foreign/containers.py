"""Admonitions and tabs of documentation systems, written as plain Markdown: a title in bold before the words.

Those of MkDocs (`!!! warning "Title"`, `=== "Tab"`, the body indented by four), of Docusaurus, VitePress and MyST
(`:::warning[Title]` to `:::`) and of forges (`> [!WARNING]`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

_ADMONITION: Final = re.compile(r'( *)(?:!!!|\?\?\?\+?) +([\w-]+)(?: +[\w-]+)*(?: +"(.*)")? *')
_TAB: Final = re.compile(r'( *)===[!+]? +()"(.*)" *')
_FENCED: Final = re.compile(r"( *):{3,} *\{?([A-Za-z][\w-]*)\}?(?:\[(.*)\]| +(.+?))? *")
_FENCE_END: Final = re.compile(r" *:{3,} *")
_ALERT: Final = re.compile(r"( *(?:> ?)+)\[!(\w+)\] *")
_CODE: Final = re.compile(r"( *)(`{3,}(?=[^`]*$)|~{3,}).*")
_OTHER_BLOCK: Final = re.compile(r" *(?:[-*+] |\d{1,9}[.)] |[|#<>])")
"""Beginning of a list or another block, which takes no words before it in its line."""

BODY_INDENT: Final = 4

TELLING: Final = frozenset(
    {"warning", "caution", "danger", "attention", "important", "error", "failure", "bug", "deprecated"}
)
"""Kinds that say something where there is no title; a note is a note."""


@dataclass(slots=True)
class PlainMarkdown:
    """Lines of a file without the marks of its containers, as many as it has.

    Args:
        marks: lines, from 0, on which a mark stood: what they said is in others.
    """

    lines: list[str] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)


def without_containers(lines: Sequence[str]) -> PlainMarkdown:
    """Lines as plain Markdown: titles go before the first words of the body, a tab's name onto its code."""
    plain = PlainMarkdown()
    last_end = max((at for at, line in enumerate(lines) if _FENCE_END.fullmatch(line)), default=-1)
    open_at, code, title, titled_at, is_fenced = list[int](), "", "", 0, 0
    for at, raw in enumerate(lines):
        line = _without_tabs(raw) if open_at else raw
        if code:
            line = _dedented(line, BODY_INDENT * len(open_at))
            code = "" if _ends_code(line, code) else code
            plain.lines.append(line)
            continue
        blank = not line.strip()
        while open_at and not blank and _indent(line) < open_at[-1]:
            open_at.pop()
            title = ""
        line = _dedented(line, BODY_INDENT * len(open_at))
        opened = _opened(lines, at, line, is_closed=at < last_end)
        if opened is not None:
            title = " ".join(filter(None, (title, opened.title)))
            open_at += [opened.indent + BODY_INDENT * (len(open_at) + 1)] if opened.is_indented else []
            is_fenced += opened.is_fenced
            plain.marks.append(at)
            line, titled_at = "", at
        elif is_fenced and _FENCE_END.fullmatch(line):
            is_fenced -= 1
            plain.marks.append(at)
            line, title = "", ""
        elif alert := _ALERT.fullmatch(line):
            plain.marks.append(at)
            line = f"{alert[1]}{_label(_title_of_kind(alert[2]))}"
        elif fence := _CODE.fullmatch(line):
            code = fence[2]
            line = f'{line.rstrip()} title="{title}"' if title else line
            title = ""
        elif title and not blank:
            label = line[: _indent(line)] + _label(title)
            if _OTHER_BLOCK.match(line):
                plain.lines[titled_at] = label
            else:
                line = f"{label} {line.lstrip()}"
            title = ""
        plain.lines.append(line)
    return plain


@dataclass(frozen=True, slots=True)
class _Opened:
    """Container that a line opens. Args: indent: of its mark; is_fenced: a mark closes it."""

    title: str
    indent: int
    is_indented: bool
    is_fenced: bool


def _opened(lines: Sequence[str], at: int, line: str, *, is_closed: bool) -> _Opened | None:
    """Container that a line opens; None: it opens none. Args: is_closed: a mark that closes stands behind it."""
    if found := _ADMONITION.fullmatch(line) or _TAB.fullmatch(line):
        title = _title_of_kind(found[2]) if found[3] is None else found[3].strip()
        is_indented = _is_body_indented(lines, at)
        return _Opened(title, len(found[1]), is_indented, is_fenced=False) if is_indented else None
    found = _FENCED.fullmatch(line) if is_closed else None
    if found is None:
        return None
    title = (found[3] or found[4] or "").strip() or _title_of_kind(found[2])
    return _Opened(title, len(found[1]), _is_body_indented(lines, at), is_fenced=True)


def _is_body_indented(lines: Sequence[str], at: int) -> bool:
    """Tests if the first words behind a line stand further in."""
    behind = (_without_tabs(lines[one]) for one in range(at + 1, len(lines)) if lines[one].strip())
    return _indent(next(behind, "")) >= _indent(_without_tabs(lines[at])) + BODY_INDENT


def _title_of_kind(kind: str) -> str:
    return kind.capitalize() if kind.lower() in TELLING else ""


def _label(title: str) -> str:
    return f"**{title.rstrip(':')}:**" if title else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _without_tabs(line: str) -> str:
    """Line whose indentation is of blanks."""
    words = line.lstrip(" \t")
    return line[: len(line) - len(words)].expandtabs(BODY_INDENT) + words


def _dedented(line: str, by: int) -> str:
    return line[min(by, _indent(line)) :]


def _ends_code(line: str, fence: str) -> bool:
    end = line.strip()
    return len(end) >= len(fence) and not end.strip(fence[0])
