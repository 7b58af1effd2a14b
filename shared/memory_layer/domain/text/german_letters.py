"""German letters as they are typed without a German keyboard: `loeschen` for `löschen`, `Strasse` for `Straße`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_IN_ASCII: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}
)
_TYPED_IN_TWO: Final = re.compile(r"(?<![aeouq])([aou])e")


def in_ascii(text: str) -> str:
    """Text whose German letters are typed in two."""
    return text.translate(_IN_ASCII)


def one_spelling(word: str) -> str:
    """The one form of all spellings of a word: `losche` of `loesche`. Args: word: folded, in lower case."""
    return _TYPED_IN_TWO.sub(r"\1", word).replace("ß", "ss")


def from_ascii(word: str) -> Iterator[str]:
    """Folded words that a word may be which is typed without German letters; most English words are none.

    Args:
        word: folded, in lower case.
    """
    bare = _TYPED_IN_TWO.sub(r"\1", word)
    if bare != word:
        yield bare
    if "ss" in bare:
        yield bare.replace("ss", "ß")
