"""Ciphers that shift letters along the alphabet: told by the common words that are read once they are shifted back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Final, NamedTuple

FEWEST_WORDS: Final = 2
"""Common words that a shift has to bring out: one comes by chance."""

_LETTERS: Final = len(ascii_lowercase)


class Shift(NamedTuple):
    """Shift of all letters by some places, 1 to 25. Args: is_reversed: the text reads from its end, too."""

    places: int
    is_reversed: bool

    def undone(self, text: str) -> str:
        plain = text.translate(_TABLES[-self.places % _LETTERS])
        return plain[::-1] if self.is_reversed else plain


def _table(places: int) -> dict[int, int]:
    turned = (letters[places:] + letters[:places] for letters in (ascii_lowercase, ascii_uppercase))
    return str.maketrans(ascii_lowercase + ascii_uppercase, "".join(turned))


_TABLES: Final = tuple(map(_table, range(_LETTERS)))


@lru_cache(maxsize=4)
def _shifts_by_word(common: frozenset[str]) -> Mapping[str, Collection[Shift]]:
    """Shifts that make a common word of a written one, by the written one."""
    found: dict[str, list[Shift]] = defaultdict(list)
    for word in common:
        for places in range(1, _LETTERS):
            written = word.translate(_TABLES[places])
            found[written].append(Shift(places, is_reversed=False))
            found[written[::-1]].append(Shift(places, is_reversed=True))
    return found


def shift_of(words: Iterable[str], common: frozenset[str], plain: int) -> Shift | None:
    """Shift that brings out the most common words; None: none brings out more than are there without one.

    Args:
        words: of the text, in small letters, each once.
        plain: number of common words among them as they stand.
    """
    by_word = _shifts_by_word(common)
    counts = Counter(shift for word in words for shift in by_word.get(word, ()))
    best, count = max(counts.items(), key=lambda item: item[1], default=(None, 0))
    return best if count >= max(FEWEST_WORDS, plain + 1) else None


_PRINTABLE: Final = "".join(map(chr, range(33, 127)))
_ROT47: Final = str.maketrans(_PRINTABLE, _PRINTABLE[47:] + _PRINTABLE[:47])


def rot47(text: str) -> str:
    """Text with each printable ASCII character 47 places further; done twice it is as before."""
    return text.translate(_ROT47)


def is_rot47(text: str, common: frozenset[str], plain: int) -> bool:
    """Tests if more common words are read by `rot47` than without. Args: common, plain: as `shift_of`."""
    return len(_in_rot47(common).intersection(text.split())) >= max(FEWEST_WORDS, plain + 1)


@lru_cache(maxsize=4)
def _in_rot47(common: frozenset[str]) -> frozenset[str]:
    return frozenset(map(rot47, common))
