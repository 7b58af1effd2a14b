"""Sameness of two texts, graded: the one judgement of the gate, the sweep, learnings and merges (SPEC 5.23)."""

from enum import IntEnum

from memory_layer.domain.conflicts.paraphrase import PARAPHRASE_COSINE, say_the_same
from memory_layer.domain.conflicts.point_of_difference import point_of_difference
from memory_layer.domain.duplicates import DUPLICATE_COSINE


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
    return Sameness.PARAPHRASE if say_the_same(new, known, cosine) else Sameness.OTHER


def says_all(known: str, new: str) -> bool:
    """Tells whether nothing is lost if a known text stands for a new one: the test of a merge, sentence by sentence."""
    return point_of_difference(new, known) is None or say_the_same(new, known, PARAPHRASE_COSINE)
