"""Letters with one and the same mark between them, over a whole line or in each word, and what they say without it."""

import re
from typing import Final
from unicodedata import category, normalize

_RUN = re.compile(r"\w([-_|.~*\u00b7\u2022])(?:(?!\1)[^\n])?(?:\1(?:(?!\1)[^\n])?){6,}")
_WORD = re.compile(r"(?<!\S)\w([-_|.~*\u00b7\u2022])\S(?:\1\S)*(?!\S)")
"""Letters with one and the same mark between them: of a whole line, and of each word."""

_FEWEST_WORDS: Final = 4
"""Such words from which on a text is written like this: a few are `x-y` and `e.g`."""


def without_marks(text: str) -> str:
    """Takes the mark from between letters, and nothing else, so that an address stays one; two marks are a gap."""
    plain = _RUN.sub(lambda run: "".join(part or " " for part in run[0].split(run[1])), text)
    return _WORD.sub(lambda word: word[0][::2], plain)


def are_there(text: str) -> bool:
    words = zip(range(_FEWEST_WORDS), _WORD.finditer(text), strict=False)
    return _RUN.search(text) is not None or len(list(words)) == _FEWEST_WORDS


def are_over_letters(text: str) -> bool:
    """Tests for combining marks over more than a few letters."""
    return not text.isascii() and sum(category(letter) == "Mn" for letter in normalize("NFKD", text)) > 4


def without_those_over_letters(text: str) -> str:
    """Text without its combining marks."""
    return "".join(letter for letter in normalize("NFKD", text) if category(letter) != "Mn")
