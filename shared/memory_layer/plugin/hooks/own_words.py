"""Words of an agent that are its own: without what it quotes, and without what it repeats of a page or of a paste.

A quotation is no statement of whoever quotes: a page that says `Learned: …` teaches nothing, and cites nothing, when
the agent shows it. Source: CommonMark, fenced and indented code, block quotes, code spans.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

_FENCE: Final = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}(?=[^`]*$)|~{3,})")
_INDENTED: Final = re.compile(r"(?: {4}| {0,3}\t)\s*(?!(?:[-*+]|\d{1,9}[.)])\s|\s)\S")
_QUOTE: Final = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*>")
_ENDS_QUOTE: Final = re.compile(r"\s*(?:$|#|(?:[-*+]|\d{1,9}[.)])\s)")
_TAGGED: Final = re.compile(r"<(pre|code|blockquote|q)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_CODE_SPAN: Final = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
_HIDDEN: Final = "\0"
_LEARNED: Final = re.compile(r"^[^\S\n]*(?:[-*]\s+)?\**Learned:\**\s*(\S.*?)\s*$", re.MULTILINE)
_ESCAPED_BLANK: Final = re.compile(r"\\[nrt]")
_NO_WORD: Final = re.compile(r"[\W_]+")


def own_words(text: str) -> str:
    """Text in which what is quoted is hidden, character by character: places stay what they are."""
    unquoted = "".join(_without_blocks(text.splitlines(keepends=True)))
    return _CODE_SPAN.sub(_hidden, _TAGGED.sub(_hidden, unquoted))


def learned_lines(text: str) -> list[str]:
    """Statements after `Learned:` at the beginning of a line of the agent's own, with the code that they name."""
    return [text[found.start(1) : found.end(1)] for found in _LEARNED.finditer(own_words(text))]


def repeats(statement: str, said: Iterable[str]) -> bool:
    """Tells whether a statement stands verbatim in what somebody else said; case, blanks and marks do not count."""
    sought = f" {_plain(statement)} "
    return any(sought in f" {one} " for one in said)


def plain_texts(texts: Iterable[str]) -> list[str]:
    """Texts in the form in which `repeats` looks for a statement."""
    return [_plain(text) for text in texts]


def _plain(text: str) -> str:
    return _NO_WORD.sub(" ", _ESCAPED_BLANK.sub(" ", text)).strip().casefold()


def _without_blocks(lines: Iterable[str]) -> Iterator[str]:
    """Lines, with those of fenced and of indented code and of quotations hidden."""
    fence, is_quoted = "", False
    for line in lines:
        opened = _FENCE.match(line)
        if fence:
            is_shown, fence = False, "" if _closes(line, fence) else fence
        elif opened is not None:
            is_shown, is_quoted, fence = False, False, opened[1]
        else:
            is_quoted = bool(_QUOTE.match(line)) or (is_quoted and not _ENDS_QUOTE.match(line))
            is_shown = not is_quoted and not _INDENTED.match(line)
        yield line if is_shown else _hidden_line(line)


def _closes(line: str, fence: str) -> bool:
    marks = line.strip()
    return len(marks) >= len(fence) and set(marks) == {fence[0]}


def _hidden_line(line: str) -> str:
    """Line of the same length that says nothing, with its end."""
    bare = line.rstrip("\r\n")
    return _HIDDEN * len(bare) + line[len(bare) :]


def _hidden(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", _HIDDEN, found[0])
