"""Places of the sentences in a content, behind the label of its speaker."""

import re
from collections.abc import Sequence
from typing import Final

from memory_layer.domain.text.classification import goes_on

_ABBREVIATION_MAX_CHARS: Final = 24
_LINE_END: Final = "\n"
_LABEL = re.compile(r"[^\s:]{1,40}: ")
_SENTENCE_END = re.compile(
    r"\s(?:(?<=[.!?]\s)\s*|(?<=[:;]\n)\n*|(?<=\n)(?:\n+|(?![a-z\u00df-\u00ff])|(?<![^\n]{40}\n)))"
)
"""End of a sentence: of a long line only if the next one does not go on in lower case, as wrapped text does. It begins
with a blank, so that only these are tried."""
_CODE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


def sentences(content: str) -> tuple[str, Sequence[str]]:
    """Label of the speaker, and the sentences behind it as they stand in a content."""
    text = in_lines(content).strip()
    label = label_of(text)
    return label, [text[start:end] for start, end in spans_of(text, len(label))]


def spans_of(text: str, begin: int) -> list[tuple[int, int]]:
    """Places of the sentences in a text. Args: begin: of the first, behind the label."""
    ends = [
        found.span() for found in _SENTENCE_END.finditer(text, begin) if not _is_within(text, *found.span())
    ]
    starts = [begin, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    return [
        (start, stop) for start, stop in zip(starts, stops, strict=True) if not _is_blank(text[start:stop])
    ]


def _is_within(text: str, stop: int, start: int) -> bool:
    """Tests if a sentence goes on behind an apparent end of it: an abbreviation, or a colon before a list."""
    mark = text[max(0, stop - 1) : stop]
    if mark == ".":
        return goes_on(text[max(0, stop - _ABBREVIATION_MAX_CHARS) : stop], text[start : start + 2])
    return mark == ":" and text[start : start + 2] in ("- ", "* ")


def _is_blank(text: str) -> bool:
    return not text or text.isspace()


def in_lines(content: str) -> str:
    """Content whose blocks of code are one line each or left out: a part of a block leaves its fence open."""
    if "```" not in content and "~~~" not in content:
        return content
    plain = _CODE.sub(lambda block: f"\n{_one_line_of_code(block[2])}\n", content)
    return (
        plain
        if plain.strip()
        else f"`{_CODE.sub(lambda block: block[2], content).strip().partition(_LINE_END)[0]}`"
    )


def _one_line_of_code(code: str) -> str:
    lines = code.strip().splitlines()
    return f"`{lines[0].strip()}`" if len(lines) == 1 else ""


def label_of(text: str) -> str:
    """Label of the speaker, as `Ann: `."""
    return match[0] if (match := _LABEL.match(text)) else ""
