"""Test on whether two texts say the same in other words."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from memory_layer.domain.conflicts.attribute_words import content_terms
from memory_layer.domain.conflicts.clauses import all_clauses_of
from memory_layer.domain.conflicts.point_of_difference import stated_difference
from memory_layer.domain.conflicts.quantities import Quantity, are_incompatible
from memory_layer.domain.conflicts.quantity_parser import UNITS, quantity_at
from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze

PARAPHRASE_COSINE = 0.74
"""Least cosine of two texts that may say the same."""

TERMS_MIN = 2
"""Least terms of a text that is compared: fewer are a title."""

_FILLERS = opposites.word_set(
    "happen take place get go make made perform do done ensur rememb forget alway must should need requir note"
    " pleas also just simpli usual current way order time abl allow let want thing use provid specifi defin describ"
    " contain follow correspond appropri specif respect certain given becom whole entir automat e.g i.e mean way"
    " one it them after befor whenev alreadi write own everi two three four five six seven eight nine ten sure"
    " actual final well proper correct fulli accord regard relat involv includ done put"
    " right tell say said mention somebodi someon anyon even still"
)
"""Stems of manner that another wording may have or lack."""


def say_the_same(one: str, other: str, cosine: float) -> bool:
    """Tells whether two texts say the same: each term of one is in the other, as a stem or a synonym.

    A term that only one of them has makes them two facts, unless it tells of manner, and so does another number,
    name, negation or opposite, or another word after `from` and `before`.
    """
    if one == other:
        return True
    mine, theirs = _terms(one), _terms(other)
    if cosine < PARAPHRASE_COSINE or min(len(mine), len(theirs)) < TERMS_MIN:
        return False
    return mine ^ theirs <= _FILLERS and _is_without_difference(one, other)


def _is_without_difference(one: str, other: str) -> bool:
    return (
        stated_difference(one, other) is None
        and stated_difference(other, one) is None
        and _marks(one) == _marks(other)
        and _have_equal_figures(one, other)
        and _are_of_one_direction(_directed(one), _directed(other))
    )


@lru_cache(maxsize=1_024)
def _terms(text: str) -> frozenset[str]:
    known = opposites.LIGHT_WORDS | opposites.NEGATORS | _UNITS
    return frozenset(term for term in content_terms(text) if term not in known and not term.isdigit())


_UNITS = frozenset(stem for unit in UNITS for stem in analyze(unit))


def _marks(text: str) -> tuple[int, frozenset[str]]:
    """Parity of the negations, and the words that count and compare: another one is another fact."""
    words = [word for clause in all_clauses_of(text) for word in clause]
    return sum(word in opposites.NEGATORS for word in words) % 2, _TELLING.intersection(words)


_TELLING = opposites.word_set(
    "some any most few many several multiple single other first last second third new old previous next hard soft"
    " minimum maximum min max before after since until outgoing incoming"
)


def _have_equal_figures(one: str, other: str) -> bool:
    """Tells whether both have the same numbers, perhaps in other units; `HTTP/2` is no `HTTP/1.1`."""
    mine, theirs = _quantities(one), _quantities(other)
    if [each.dimension for each in mine] != [each.dimension for each in theirs]:
        return False
    has_same_figures = sorted(_FIGURE.findall(one)) == sorted(_FIGURE.findall(other))
    return (bool(mine) or has_same_figures) and not any(map(are_incompatible, mine, theirs))


_FIGURE = re.compile(r"\d+")


def _quantities(text: str) -> list[Quantity]:
    found = []
    for words in all_clauses_of(text):
        at = 0
        while at < len(words):
            read = quantity_at(words, at)
            found += [read[0]] if read else []
            at = read[1] if read else at + 1
    return sorted(found)


def _are_of_one_direction(mine: frozenset[tuple[str, str]], theirs: frozenset[tuple[str, str]]) -> bool:
    """Tells whether no word of direction that both have has another word after it in each."""
    return not (mine and theirs) or not mine.isdisjoint(theirs)


def _directed(text: str) -> frozenset[tuple[str, str]]:
    """Stems after words of direction: `from a to b` is not `from b to a`."""
    return frozenset(
        (word, stem) for word, after in _after_directions(text) for stem in content_terms(after)[:1]
    )


def _after_directions(text: str) -> Iterator[tuple[str, str]]:
    for clause in all_clauses_of(text):
        for word, following in pairwise(clause):
            if word in _DIRECTIONS and following not in opposites.DETERMINERS | opposites.PRONOUNS:
                yield word, following


_DIRECTIONS = opposites.word_set("from before to")
