"""Forms of a text's words: as they are written without markup, and those that its sense hangs on."""

import re
from collections.abc import Sequence

from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze

WORDS_MAX = 400
"""Words compared of each text; longer texts are the same only if they are equal."""

_MARKER = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+")
_OPENING = "\"'`*_([{\u201c\u2018\u00ab"
_CLOSING = "\"'`*_)]}\u201d\u2019\u00bb.,;:!?\u2026"
_MODALS = opposites.word_set("may might could can only")
_TELLING = opposites.CONDITIONS | opposites.DIRECTED | opposites.PREPOSITIONS | _MODALS
_UNTOLD = opposites.LIGHT_WORDS - _TELLING
"""Words without which a statement is the same."""

_TURNING = (
    opposites.NEGATORS | opposites.OPPOSITES.keys() | opposites.CONDITIONS | _MODALS | opposites.EMPHATIC
)


def plain_form(text: str) -> str:
    """Words of a text without its markup, end marks and the case of plain words: equal for the same words.

    Names, numbers and flags stay as they are written: `-v` is not `-V`.
    """
    return " ".join(word.casefold() if word.isalpha() else word for word in _words(text))


def _words(text: str) -> list[str]:
    tokens = (token.lstrip(_OPENING).rstrip(_CLOSING) for token in _MARKER.sub("", text).split())
    return [token for token in tokens if token]


def telling_words(text: str) -> tuple[str, ...] | None:
    """Words of a text that its sense hangs on, in order, plain ones by their stems; None if it is very long."""
    words = _words(text)
    return None if len(words) > WORDS_MAX else tuple(stem for word in words for stem in _stems(word))


def _stems(word: str) -> Sequence[str]:
    lowered = word.lower()
    if not word.isalpha():
        return (word,)
    if lowered in _UNTOLD:
        return ()
    return (lowered,) if lowered in _TURNING or lowered in _TELLING else analyze(lowered) or (lowered,)
