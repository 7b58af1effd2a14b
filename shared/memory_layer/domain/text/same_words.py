"""Sameness of two short texts by their words alone: the same in every order of asking, and never by likeness."""

import re
from collections.abc import Sequence

from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze

WORDS_MAX = 400
"""Words compared of each text; longer texts are the same only if they are equal."""

ADDED_SHARE_MAX = 0.2
"""Largest share of words that one of two texts may have beyond the other: one word of five."""

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


def say_the_same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tells whether two texts of these telling words say the same, or one a little more that turns nothing.

    Of the words beyond the other text none is a number, a name, a negation, a condition or the end of an axis.
    """
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=len)
    if not 0 < len(longer) - len(shorter) <= ADDED_SHARE_MAX * len(longer):
        return False
    added = _added(shorter, longer)
    return added is not None and all(word.isalpha() and word not in _TURNING for word in added)


def _added(shorter: Sequence[str], longer: Sequence[str]) -> list[str] | None:
    """Words of the longer text beyond the shorter; None if the rest is not the shorter, in its order."""
    added, wanted = [], iter(shorter)
    next_wanted = next(wanted, None)
    for word in longer:
        if word == next_wanted:
            next_wanted = next(wanted, None)
        else:
            added.append(word)
    return added if next_wanted is None else None
