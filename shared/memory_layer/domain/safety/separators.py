"""Separators: marks between and over letters, marks, gaps, joints and numbers between words; what is said without."""

import re
from collections.abc import Callable
from typing import Final
from unicodedata import category, normalize

MARKED_WORDS: Final = re.compile(r"\w(?:[*_~`|>#]{1,4}\s?[*_~`|>#]{0,4}\w{1,24}){3}")
JOINED_WORDS: Final = re.compile(r"(?<![A-Za-z])(?:[A-Za-z][\w':.@,]{0,40}[-/+;=&~]{1,2}){5,}[A-Za-z]")
NUMBERED_WORDS: Final = re.compile(r"(?:\b\d{1,3}[.):]\s?[A-Za-z][\w'@.:/-]{0,40}\s+){4,}")
LONG_NAME: Final = re.compile(r"\b(?:[A-Z]?[a-z]+)(?:[A-Z][a-z]+){3,}\b")
_WORDS_APART = re.compile(r"(?<!\w)(?:\w[\w'.:@-]{0,40}(?:\W{2,12}|\n)){6,}")

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


BESIDE: Final = 200
"""Characters before and behind a run that are decoded with it: an order may begin before it and end behind it."""


def _of_passages(pattern: re.Pattern[str], between: re.Pattern[str], put: str) -> Callable[[str], str]:
    """Decoder of the runs of a writing and of what stands beside them: the rest of a long text is read as it is.

    Args:
        between: what stands between the words of a run.
        put: what is put in its place.
    """

    def decoded(text: str) -> str:
        passages: list[tuple[int, int]] = []
        for run in pattern.finditer(text):
            start, end = max(0, run.start() - BESIDE), run.end() + BESIDE
            if passages and start <= passages[-1][1]:
                start, _ = passages.pop()
            passages.append((start, end))
        return "\n\n".join(between.sub(put, text[start:end]) for start, end in passages)

    return decoded


unmarked_words: Final = _of_passages(MARKED_WORDS, re.compile(r"[*_~`|>#\s]+"), " ")
words_together: Final = _of_passages(_WORDS_APART, re.compile(r"[^\w'.:@/-]+"), " ")
words_unjoined: Final = _of_passages(JOINED_WORDS, re.compile(r"(?<=[\w':,])[-/+;=&~]{1,2}(?=\w)"), " ")
unnumbered_words: Final = _of_passages(NUMBERED_WORDS, re.compile(r"\b\d{1,3}[.):]\s?(?=[A-Za-z])"), "")
words_of_name: Final = _of_passages(LONG_NAME, re.compile(r"(?<=[a-z])(?=[A-Z])"), " ")


def has_words_apart(text: str) -> bool:
    """Tests for words with wide gaps between them."""
    is_spread = "  " in text or "\t" in text or text.count("\n") > 5 or not text.isascii()
    return is_spread and _WORDS_APART.search(text) is not None
