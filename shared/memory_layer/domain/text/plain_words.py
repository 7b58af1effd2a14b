"""Plain words of a text, so that rules match words and never fragments; and texts cut to one line."""

import re
from unicodedata import combining

from memory_layer.domain.text_rules import storable

READ_CHARS = 2_000
"""Characters that are read of a text: its first ones show its subject."""

STANDALONE_MAX_CHARS = 100
STANDALONE_MIN_CHARS = 11
"""Bounds of a text that stands for itself: longer than 10 characters, and cut at 100 (SPEC 6.8)."""

CLAUSE_END = "|"

_APOSTROPHE = re.compile(r"(?<=\w)['\u2019](?=\w)")
_CLAUSE_END = re.compile(r"[.,;:!?](?=\s|$)|[()\u2013\u2014]")
_NO_WORD = re.compile(rf"[^\w{CLAUSE_END}]+|_+")
_ASCII_BLANKS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == CLAUSE_END)}

_LOWER = r"[^\W\dA-Z_]"
_PART = re.compile(rf"[A-Z]{{2,}}s?(?!{_LOWER})|[A-Z]?{_LOWER}+|[A-Z]+|\d+")


def plain_words(text: str) -> str:
    """Words of a text in lower case, a blank around each, and a bar where a clause ends.

    `Write tests first, then code_it.` is ` write tests first | then code it | `.
    """
    words = _words(_CLAUSE_END.sub(f" {CLAUSE_END} ", text[:READ_CHARS]).lower())
    return f" {' '.join(words)} "


def identifier_words(text: str) -> list[str]:
    """Words of a text, and of identifiers in it, in lower case: `JSON.parseAll` is `json`, `parse`, `all`."""
    words = _words(text[:READ_CHARS])
    return (
        " ".join([word if word.islower() else " ".join(_PART.findall(word)) for word in words])
        .lower()
        .split()
    )


def _words(text: str) -> list[str]:
    if "'" in text or "\u2019" in text:
        text = _APOSTROPHE.sub("", text)
    return (text.translate(_ASCII_BLANKS) if text.isascii() else _NO_WORD.sub(" ", text)).split()


def one_line(text: str) -> str:
    """Storable characters from the beginning of a text, on one line with single blanks."""
    return " ".join(storable(text.lstrip()[:READ_CHARS]).split())


def standalone_line(text: str) -> str | None:
    """Text that stands for itself, on one line of at most 100 characters; None if it is too short to say much."""
    line = _cut(one_line(text))
    return line if len(line) >= STANDALONE_MIN_CHARS else None


def _cut(line: str) -> str:
    """Cuts a line between characters as readers see them: no accent, emoji modifier or joiner is left alone."""
    if len(line) <= STANDALONE_MAX_CHARS:
        return line
    end = STANDALONE_MAX_CHARS
    while end and (_continues(line[end]) or line[end - 1] == _JOINER):
        end -= 1
    return line[: end or STANDALONE_MAX_CHARS].rstrip()


_JOINER = "\u200d"


def _continues(character: str) -> bool:
    return (
        combining(character) != 0
        or character == _JOINER
        or "\ufe00" <= character <= "\ufe0f"  # variation selectors
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
    )
