"""Test on whether two texts say the same in other words."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

from memory_layer.domain.conflicts.attribute_words import content_terms
from memory_layer.domain.conflicts.clauses import all_clauses_of
from memory_layer.domain.conflicts.interchangeable_words import same_stem
from memory_layer.domain.conflicts.paraphrase_words import DESCRIPTIONS, DONE, GENERIC, GROUPS_OF
from memory_layer.domain.conflicts.point_of_difference import stated_difference
from memory_layer.domain.conflicts.quantities import Quantity, are_incompatible
from memory_layer.domain.conflicts.quantity_parser import UNITS, quantities_in
from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze

PARAPHRASE_COSINE = 0.74
"""Least cosine of two texts that may say the same."""

TERMS_MIN = 2
"""Least terms of a text that is compared: fewer are a title."""

ADDED_SHARED_MIN = 4
ADDED_COSINE = 0.86
"""Least shared terms and cosine of texts of which one may have a verb of doing more (`by running`)."""

TURNED_SHARE = 0.4
TURNED_COSINE = 0.9
"""Least share of shared terms in another order, and cosine, of a sentence said anew: it may have one term more."""


def say_the_same(one: str, other: str, cosine: float) -> bool:
    """Tells whether two texts say the same: each term of one is in the other, as a stem or a word of its group.

    A term that only one of them has makes them two facts, unless it tells of manner, and so does another number,
    name, negation or opposite, or another word after `from` and `before`.
    """
    if one == other:
        return True
    if cosine < PARAPHRASE_COSINE:
        return False
    mine, theirs = _read(one), _read(other)
    if min(len(mine.core), len(theirs.core)) < TERMS_MIN or not _have_equal_terms(mine, theirs, cosine):
        return False
    return _is_without_difference(one, other)


@dataclass(frozen=True, slots=True)
class _Terms:
    """Terms of a text. Args: core: those that it cannot say the same without; order: all, in their order."""

    core: frozenset[str]
    order: tuple[str, ...]

    def without_like(self, other: "_Terms") -> set[str]:
        """Core terms that no term of the other text stands for."""
        spare = set(other.order) - self.core
        return {
            term for term in self.core - other.core if term not in spare and not _is_like_any(term, spare)
        }


@lru_cache(maxsize=1_024)
def _read(text: str) -> _Terms:
    known = opposites.LIGHT_WORDS | opposites.NEGATORS | _UNITS | _FILLERS
    raw = content_terms(_SWITCHED.sub(lambda match: _SWITCHES[match[1].lower()], text))
    core = {same_stem(term) for term in raw if term not in known and not _is_amount(term)} - GENERIC
    return _Terms(frozenset(core), tuple(dict.fromkeys(map(same_stem, raw))))


def _is_amount(term: str) -> bool:
    return term.isdigit() or (term[:1].isdigit() and term.lstrip("0123456789.") in _UNITS)


_SWITCHED = re.compile(r"\b(?:turn|switch)(?:s|es|ed|ing)? (on|off)\b", re.IGNORECASE)
_SWITCHES = {"on": "enable", "off": "disable"}


def _is_like_any(term: str, others: Set[str]) -> bool:
    groups = GROUPS_OF.get(term)
    return groups is not None and any(not groups.isdisjoint(GROUPS_OF.get(other, ())) for other in others)


def _have_equal_terms(mine: _Terms, theirs: _Terms, cosine: float) -> bool:
    """Tells whether no term is left over but a kind beside a name, a verb of doing, or one term of a text said anew."""
    beyond, missing = mine.without_like(theirs), theirs.without_like(mine)
    if beyond and missing:
        return False
    left, shared = beyond | missing, mine.core & theirs.core
    if any("_" in term for term in shared):
        left -= DESCRIPTIONS
    if len(left) != 1 or len(shared) < ADDED_SHARED_MIN:
        return not left
    is_said_anew = cosine >= TURNED_COSINE and _turned_share(mine, theirs, shared) >= TURNED_SHARE
    return is_said_anew or (cosine >= ADDED_COSINE and left <= DONE)


def _turned_share(mine: _Terms, theirs: _Terms, shared: Set[str]) -> float:
    """Share of the pairs of shared terms that stand in another order."""
    places = {term: place for place, term in enumerate(theirs.order)}
    order = [places[term] for term in mine.order if term in shared]
    turned = [before > after for before, after in combinations(order, 2)]
    return sum(turned) / len(turned)


_UNITS = frozenset(stem for unit in UNITS for stem in analyze(unit))

_FILLERS = opposites.word_set(
    "happen take place get go make made perform do done ensur rememb forget alway must should need requir note"
    " pleas also just simpli usual current way order time abl allow let want thing use provid specifi defin describ"
    " contain follow correspond appropri specif respect certain given becom whole entir automat e.g i.e mean way"
    " one it them after befor whenev alreadi write own everi two three four five six seven eight nine ten sure"
    " actual final well proper correct fulli accord regard relat involv includ done put"
    " right tell say said mention somebodi someon anyon even still"
)
"""Stems of manner that another wording may have or lack."""


def _is_without_difference(one: str, other: str) -> bool:
    return (
        stated_difference(one, other) is None
        and stated_difference(other, one) is None
        and _marks(one) == _marks(other)
        and _have_equal_figures(one, other)
        and _are_of_one_direction(_directed(one), _directed(other))
    )


def _marks(text: str) -> tuple[int, frozenset[str]]:
    """Parity of the negations, and the words that count and compare: another one is another fact."""
    words = [word for clause in all_clauses_of(text) for word in clause]
    return sum(word in opposites.NEGATORS for word in words) % 2, _TELLING.intersection(words)


_TELLING = opposites.word_set(
    "some most few many several multiple single other first last second third new old previous next hard soft"
    " minimum maximum min max before after until outgoing incoming only"
)


def _have_equal_figures(one: str, other: str) -> bool:
    """Tells whether both have the same numbers, perhaps in other units; `HTTP/2` is no `HTTP/1.1`."""
    mine, theirs = _quantities(one), _quantities(other)
    if [each.dimension for each in mine] != [each.dimension for each in theirs]:
        return False
    return _figures_beside(mine, one) == _figures_beside(theirs, other) and not any(
        map(are_incompatible, mine, theirs)
    )


def _figures_beside(quantities: Sequence[Quantity], text: str) -> Counter[str]:
    """Figures of a text that are part of no amount."""
    return Counter(_FIGURE.findall(text)) - Counter(
        _FIGURE.findall(" ".join(each.text for each in quantities))
    )


_FIGURE = re.compile(r"\d+")


def _quantities(text: str) -> list[Quantity]:
    """Amounts of a text in their order of size; what is about so much is taken at its word."""
    found = (quantity for words in all_clauses_of(text) for quantity in quantities_in(words))
    return sorted(each._replace(bound="is") if each.bound == "about" else each for each in found)


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
