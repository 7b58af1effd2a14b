"""Test on whether two texts say the same in other words."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, pairwise

from memory_layer.domain.conflicts.attribute_words import content_terms
from memory_layer.domain.conflicts.clauses import all_clauses_of
from memory_layer.domain.conflicts.interchangeable_words import same_stem
from memory_layer.domain.conflicts.paraphrase_words import DESCRIPTIONS, DONE, GENERIC, GROUPS_OF
from memory_layer.domain.conflicts.permissions import restrict_otherwise
from memory_layer.domain.conflicts.point_of_difference import stated_difference
from memory_layer.domain.conflicts.quantities import Quantity, are_incompatible
from memory_layer.domain.conflicts.quantity_parser import quantities_in
from memory_layer.domain.conflicts.quantity_words import NUMBER_WORDS, UNITS
from memory_layer.domain.conflicts.wording import END, HEAD, NOT, read_wording
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze, folded

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


def say_the_same(one: str, other: str, cosine: float, *, least: float = PARAPHRASE_COSINE) -> bool:
    """Tells whether two texts say the same: each term of one is in the other, as a stem or a word of its group.

    A term that only one of them has makes them two facts, unless it tells of manner, and so does another number,
    name, negation or opposite, or another word after `from` and `before`.

    Args:
        least: cosine from which on they are compared.
    """
    if one == other:
        return True
    if cosine < least:
        return False
    one, other = _in_figures(one), _in_figures(other)
    mine, theirs = _read(one), _read(other)
    if min(len(mine.core), len(theirs.core)) < TERMS_MIN or not _have_equal_terms(mine, theirs, cosine):
        return False
    return _is_without_difference(one, other)


def _in_figures(text: str) -> str:
    """Text with its number words as figures: `five times` is `5 times`."""
    return _NUMBER_WORD.sub(lambda match: f"{NUMBER_WORDS[folded(match[0]).lower()]:g}", text)


_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})\b", re.IGNORECASE)


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


@kept_by_text(1_024)
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
    " one it them after befor whenev alreadi write own everi about around roughli approxim sure"
    " actual final well proper correct fulli accord regard relat involv includ done put"
    " right tell say said mention somebodi someon anyon even still"
)
"""Stems of manner that another wording may have or lack."""


def _is_without_difference(one: str, other: str) -> bool:
    return (
        _facts(one).agree_with(_facts(other))
        and not _are_swapped(one, other)
        and not _have_another_word(one, other)
        and not restrict_otherwise(one, other)
        and stated_difference(one, other) is None
        and stated_difference(other, one) is None
    )


def _are_swapped(one: str, other: str) -> bool:
    """Tells whether the words around one word changed places: A calls B, B calls A."""
    mine, theirs = (_participants(text) for text in (one, other))
    while mine and theirs and mine[0] == theirs[0]:
        mine, theirs = mine[1:], theirs[1:]
    while mine and theirs and mine[-1] == theirs[-1]:
        mine, theirs = mine[:-1], theirs[:-1]
    if mine and theirs and any(row[0].startswith(_OPENERS) for row in (mine, theirs)):
        return False  # a clause that begins so stands elsewhere
    around_one = ((at, at + 1) for at in range(1, len(mine) - 1))
    around_several = ((width, len(mine) - width) for width in range(1, len(mine) // 2))
    return any(_is_exchanged(mine, theirs, *span) for span in (*around_one, *around_several))


def _have_another_word(one: str, other: str) -> bool:
    """Tells whether two texts are alike word for word but for one, which tells something else: `where`, `having`."""
    mine, theirs = ([word for clause in all_clauses_of(text) for word in clause] for text in (one, other))
    if len(mine) != len(theirs):
        return False
    places = [(word, said) for word, said in zip(mine, theirs, strict=True) if word != said]
    return (
        len(places) == 1 and not any(map(_OF_MANNER.__contains__, places[0])) and not _are_alike(*places[0])
    )


_OF_MANNER = opposites.DETERMINERS | opposites.PREPOSITIONS | opposites.PRONOUNS | opposites.VERB_MARKS


def _are_alike(word: str, said: str) -> bool:
    """Tells whether two words have one stem, or a group in common."""
    one, other = (tuple(map(same_stem, content_terms(each))) for each in (word, said))
    return one == other or any(_is_like_any(term, set(other)) for term in one)


def _participants(text: str) -> list[str]:
    """Words that a text tells something with, but for its negations, which are counted by themselves."""
    return [meant for meant, _ in read_wording(text).told if meant != NOT]


def _is_exchanged(mine: Sequence[str], theirs: Sequence[str], start: int, end: int) -> bool:
    """Tells whether the words before and after a span, which relates them, changed places."""
    is_relation = not all(word.startswith(HEAD) for word in mine[start:end])
    return is_relation and [*mine[end:], *mine[start:end], *mine[:start]] == theirs


_OPENERS = (HEAD, f"{END}~before")
"""Beginnings of clauses that may stand before or after their sentence: `when`, `after`."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """Parts of a text that another wording has as well.

    Args:
        is_denied: it has an odd number of negations.
        telling: words that count and compare.
        amounts: in their order of size; what is about so much is taken at its word.
        figures: those that are part of no amount.
        directed: stems after words of direction: `from a to b` is not `from b to a`.
    """

    is_denied: bool
    telling: frozenset[str]
    amounts: tuple[Quantity, ...]
    figures: Counter[str]
    directed: frozenset[tuple[str, str]]

    def agree_with(self, other: "_Facts") -> bool:
        """Tells whether both say the same of all, amounts perhaps in other units; `HTTP/2` is no `HTTP/1.1`."""
        return (
            (self.is_denied, self.telling, self.figures) == (other.is_denied, other.telling, other.figures)
            and [each.dimension for each in self.amounts] == [each.dimension for each in other.amounts]
            and not any(map(are_incompatible, self.amounts, other.amounts))
            and not (self.directed and other.directed and self.directed.isdisjoint(other.directed))
        )


@kept_by_text(1_024)
def _facts(text: str) -> _Facts:
    clauses = list(all_clauses_of(text))
    words = [word for clause in clauses for word in clause]
    amounts = sorted(amount for clause in clauses for amount in quantities_in(clause))
    in_amounts = Counter(_FIGURE.findall(" ".join(each.text for each in amounts)))
    return _Facts(
        sum(word in opposites.NEGATORS for word in words) % 2 == 1,
        _TELLING.intersection(words),
        tuple(each._replace(bound="is") if each.bound == "about" else each for each in amounts),
        Counter(_FIGURE.findall(text)) - in_amounts,
        frozenset(_directed(clauses)),
    )


_TELLING = opposites.word_set(
    "some most few many several multiple single other first last second third new old previous next hard soft"
    " minimum maximum min max before after until outgoing incoming only"
)
_FIGURE = re.compile(r"\d+")


def _directed(clauses: Iterable[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yields words of direction, each with the stem after it."""
    for word, following in (pair for clause in clauses for pair in pairwise(clause)):
        if word in _DIRECTIONS and following not in opposites.DETERMINERS | opposites.PRONOUNS:
            yield from ((word, stem) for stem in content_terms(following)[:1])


_DIRECTIONS = opposites.word_set("from before after to")
