"""Sameness of two texts, graded: the one judgement of the gate, the sweep, learnings and merges (SPEC 5.23)."""

from collections import defaultdict
from enum import IntEnum
from hashlib import sha256
from typing import Final, Generic, TypeVar

from memory_layer.domain.conflicts.paraphrase import PARAPHRASE_COSINE, say_the_same
from memory_layer.domain.conflicts.plain_sayings import said_plainly
from memory_layer.domain.conflicts.point_of_difference import point_of_difference
from memory_layer.domain.conflicts.wording import read_wording, unstruck
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.domain.text.digest_cache import DigestCache

PLAIN_COSINE: Final = 0.68
"""Least cosine of two texts that have the same terms once sayings are put plainly."""

PLAIN_MAX_CHARS: Final = 400
"""A longer text says several things: each word more is a chance to differ unseen."""


class Sameness(IntEnum):
    """Grade of two texts, the surer the higher."""

    OTHER = 0
    PARAPHRASE = 1
    """They say the same in other words: a person decides."""

    SAYS_ALL = 2
    """The known one has every clause of the new one, in words of one meaning: the new one is no news."""

    EQUAL = 3
    """Letter by letter."""


def sameness(new: str, known: str, cosine: float) -> Sameness:
    """Grades a new text beside a known one. Args: cosine: of the two; up to .92 no clause is looked for."""
    if new == known:
        return Sameness.EQUAL
    if cosine > DUPLICATE_COSINE and point_of_difference(new, known) is None:
        return Sameness.SAYS_ALL
    if _asks(new) != _asks(known) or _leads(new) or _leads(known):
        return Sameness.OTHER
    new, known = unstruck(new), unstruck(known)
    is_said_anew = say_the_same(new, known, cosine) or _say_the_same_plainly(new, known, cosine)
    return Sameness.PARAPHRASE if is_said_anew else Sameness.OTHER


def _asks(text: str) -> bool:
    """Tells whether a text is a question, which says nothing."""
    return text.rstrip(" *_\"')").endswith("?")


def _leads(text: str) -> bool:
    """Tells whether a text leads to something that is not part of it: two that lead alike may lead to two things."""
    return text.rstrip(" *_").endswith(":")


def _say_the_same_plainly(new: str, known: str, cosine: float) -> bool:
    """Tells whether two texts say the same once sayings are put plainly."""
    is_short = max(len(new), len(known)) <= PLAIN_MAX_CHARS
    if cosine < PLAIN_COSINE or not is_short:
        return False
    return say_the_same(said_plainly(new), said_plainly(known), cosine, least=PLAIN_COSINE)


def says_all(known: str, new: str) -> bool:
    """Tells whether nothing is lost if a known text stands for a new one: the test of a merge, sentence by sentence."""
    return point_of_difference(new, known) is None or say_the_same(new, known, PARAPHRASE_COSINE)


def say_each_other(one: str, other: str) -> bool:
    """Tells whether each of two texts says all that the other says, in almost the same words."""
    return point_of_difference(one, other) is None and point_of_difference(other, one) is None


T = TypeVar("T")


class AlikeTexts(Generic[T]):
    """Texts with what belongs to them, found again by texts that say the same in almost the same words."""

    def __init__(self) -> None:
        self._by_words: dict[str, list[tuple[str, T]]] = defaultdict(list)

    def add(self, text: str, what: T) -> None:
        self._by_words[_words_told(text)].append((text, what))

    def find(self, text: str) -> T | None:
        """What belongs to the first text that says the same as this one."""
        near = self._by_words.get(_words_told(text), ())
        return next((what for known, what in near if say_each_other(text, known)), None)


def _words_told(text: str) -> str:
    """Words that tell something, in one order: only texts of the same ones say the same."""
    return _told.of(text)


def _read_told(text: str) -> str:
    words = " ".join(sorted(meant for meant, _ in read_wording(text).unsigned().told))
    return sha256(words.encode()).hexdigest()


_told: Final = DigestCache(_read_told, 16_384)
"""Keeps digests: the same lines stand on many pages."""
