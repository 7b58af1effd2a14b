"""German words about time that are typed without German letters (`naechste Woche`), with the letters."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_TYPED: Final = re.compile(
    r"\b(?:maerz|jaenner|(?:ueber)?naechste[nmrs]?|uebermorgen|fuenf\w{0,6}|zwoelf\w{0,4}|(?:vor)?frueh\w{0,8}"
    r"|spaet\w{0,6}|haelfte|fuer|juengst\w{0,3}|uebers?|zurueck|taeglich\w{0,2}|woechentlich\w{0,2}|jaehrlich\w{0,2})\b",
    re.IGNORECASE,
)
_IN_TWO: Final = re.compile("[aou]e", re.IGNORECASE)
_LETTERS: Final = str.maketrans("aouAOU", "äöüÄÖÜ")


def with_german_letters(text: str) -> tuple[str, Callable[[int], int]]:
    """Text with the letters, and the place in the text as it was of a place in it."""
    cut = [
        found.start() + part.start() for found in _TYPED.finditer(text) for part in _IN_TWO.finditer(found[0])
    ]
    if not cut:
        return text, int
    starts = [0, *(at + 2 for at in cut)]
    ends = [*cut, len(text)]
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    letters = [text[at].translate(_LETTERS) for at in cut]
    written = "".join(piece + letter for piece, letter in zip(pieces, [*letters, ""], strict=True))
    joints = [at + 1 - number for number, at in enumerate(cut)]
    return written, lambda place: place + sum(joint <= place for joint in joints)
