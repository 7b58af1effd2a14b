"""Values that whole clauses give to an attribute, whichever the verb: `our cache is Redis`, `we cache in Memcached`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from memory_layer.domain.conflicts import value_words
from memory_layer.domain.conflicts.attribute_words import CANONICAL, with_phrases
from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.conflicts.no_values import is_counted, selects_things
from memory_layer.domain.conflicts.quantities import Quantity, are_incompatible
from memory_layer.domain.conflicts.quantity_parser import is_numeral, quantity_at
from memory_layer.domain.conflicts.quantity_words import UNITS
from memory_layer.domain.conflicts.recurring_times import (
    MAY_RECUR,
    RECURRENCE,
    TIMES,
    may_begin_recurrence,
    recurrence_at,
)
from memory_layer.domain.safety.text_caches import WordTable, kept_by_text
from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze

CLAUSE_WORDS_MAX = 16
"""Most words of a clause that only gives a value; a longer one tells more."""

Value = str | value_words.Occasion | Quantity


@dataclass(frozen=True, slots=True)
class StatedValue:
    """Value of an attribute, and nothing else, said by a whole clause.

    Args:
        attribute: stems of all that the clause says beside the value, the manner of saying left out.
        subjects: general subjects (requests, files) that another wording of the attribute may leave out.
        kind: the values of a kind exclude each other: databases, days, bytes at most.
        setting: terms of the clauses before it that say when it holds.
    """

    attribute: frozenset[str]
    subjects: frozenset[str]
    kind: str
    value: Value
    spelled: str
    setting: frozenset[str]


def stated_values(claims: Sequence[Claim]) -> tuple[StatedValue, ...]:
    """Reads the values that clauses state of their attributes; denials, conditions and reports state none."""
    return tuple(stated for claim in claims if _states(claim) for stated in _of_claim(claim))


def _names_value(word: str) -> bool:
    """Tells whether a word may be part of a value; a clause without such a word gives none."""
    return (
        is_numeral(word)
        or word[:1].isdecimal()
        or word in UNITS
        or word in TIMES
        or word in _FIRST_OF_OCCASIONS
        or word in _FIRST_OF_KINDS
    )


_FIRST_OF_OCCASIONS = frozenset(wording.split()[0] for wording in value_words.OCCASION_OF)
_FIRST_OF_KINDS = frozenset(name.split()[0] for name in value_words.KIND_OF)
_NAMES_VALUE = WordTable(_names_value, 16_384)


def _states(claim: Claim) -> bool:
    return (
        len(claim.words) <= CLAUSE_WORDS_MAX
        and any(map(_NAMES_VALUE.__getitem__, claim.words))
        and not claim.is_past
        and not claim.is_open
        and not value_words.is_report(claim.words)
        and not selects_things(claim)
    )


def _of_claim(claim: Claim) -> Iterator[StatedValue]:
    words = claim.words
    amounts = list(_amounts(words))
    occasions = list(_occasions(words))
    spans = [(at, end) for at, end, _ in (*amounts, *occasions)]
    told = {word for at, word in enumerate(words) if not any(start <= at < end for start, end in spans)}
    if not told.isdisjoint(value_words.NO_VALUE):
        return
    if len(occasions) != 1 and claim.vocabulary.isdisjoint(value_words.FRAME_VERBS):
        return
    if len(amounts) == 1 and not occasions:
        yield from _of_amount(claim, *amounts[0])
    elif len(occasions) == 1 and _are_clocks(amounts) and not claim.is_negated:
        yield from _of_occasion(claim, *occasions[0], [(at, end) for at, end, _ in amounts])
    elif not (amounts or occasions or claim.is_negated) and told.isdisjoint(value_words.SHARED):
        yield from _of_alternatives(claim)


def _are_clocks(amounts: Sequence[tuple[int, int, Quantity]]) -> bool:
    """Tells whether all amounts are times of the day, as one beside a day is: `Mondays at 9:30`."""
    return all(amount.dimension == "clock" for _, _, amount in amounts)


def _occasions(words: Sequence[str]) -> Iterator[tuple[int, int, value_words.Occasion]]:
    at = 0
    while at < len(words):
        found = _occasion_at(words, at)
        if found is not None:
            yield at, *found
        at = at + 1 if found is None else found[0]


def _occasion_at(words: Sequence[str], at: int) -> tuple[int, value_words.Occasion] | None:
    """Recurring time that begins at a word, with the index of the word after it."""
    if not _BEGINS_OCCASION[words[at]]:
        return None
    for length in (2, 1):
        named = value_words.OCCASION_OF.get(" ".join(words[at : at + length]))
        if named is not None and at + length <= len(words):
            return at + length, named
    recurring = recurrence_at(words, at)
    return None if recurring is None else (recurring[1], value_words.Occasion(recurring[0] / DAY_S))


_BEGINS_OCCASION = WordTable(lambda word: word in _FIRST_OF_OCCASIONS or may_begin_recurrence(word), 16_384)
DAY_S = 86_400.0


def _of_occasion(
    claim: Claim, at: int, end: int, occasion: value_words.Occasion, clocks: Sequence[tuple[int, int]]
) -> Iterator[StatedValue]:
    is_recurring = claim.words[at] in MAY_RECUR or claim.words[at].endswith("days")
    if is_recurring if at == 0 else claim.words[at - 1] not in _AROUND:
        spelled = " ".join(claim.words[at:end])
        yield from _stated(claim, [(at, end), *clocks], "occasion", occasion, spelled)


_AROUND = opposites.word_set("before after until since by till except from to vor nach bis seit ab")


def _of_alternatives(claim: Claim) -> Iterator[StatedValue]:
    """Alternatives of a kind of which the clause names one, in a place that a verb or preposition opens."""
    words = claim.words
    named = [(value_words.KIND_OF[name], at, end) for at, end, name in _named(words)]
    for kind, at, end in named:
        is_only = [each for each, _, _ in named].count(kind) == 1
        if is_only and (_is_introduced(words, at) or _is_defined(words, at, end)):
            spelled = " ".join(words[at:end])
            yield from _stated(claim, [(at, end)], kind, spelled, spelled)


def _named(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    at = 0
    while at < len(words):
        pair = " ".join(words[at : at + 2])
        length = 2 if pair in value_words.KIND_OF else 1
        name = pair if length == 2 else words[at]
        if name in value_words.KIND_OF:
            yield at, at + length, name
        at += length


def _is_introduced(words: Sequence[str], at: int) -> bool:
    before = [word for word in words[max(0, at - 2) : at] if word not in opposites.DETERMINERS]
    return bool(before) and before[-1] in value_words.INTRODUCES


def _is_defined(words: Sequence[str], at: int, end: int) -> bool:
    """Tells whether a clause defines a role by the value: `Redis is our cache`."""
    return at == 0 and words[end : end + 1] in _COPULAS and words[end + 1 : end + 2] in _DEFINITE


_COPULAS = tuple((word,) for word in ("is", "are", "ist", "sind"))
_DEFINITE = tuple((word,) for word in ("the", "our", "der", "die", "das", "unser", "unsere"))


def _amounts(words: Sequence[str]) -> Iterator[tuple[int, int, Quantity]]:
    at = 0
    while at < len(words):
        found = quantity_at(words, at)
        if found is not None and found[0].dimension != RECURRENCE:
            yield at, found[1], found[0]
        at = at + 1 if found is None else found[1]


def _of_amount(claim: Claim, at: int, end: int, amount: Quantity) -> Iterator[StatedValue]:
    bound = _bound(claim, amount)
    is_denied = claim.is_negated and not (bound == "most" and _EXCEEDS & claim.vocabulary)
    if is_denied or at == 0 or amount.dimension.startswith("date") or claim.named_by:
        return
    if amount.dimension == "number" and not _is_measure(claim, at, amount, bound):
        return
    yield from _stated(claim, [(at, end)], f"{amount.dimension} {bound}", _exact(amount), amount.text)


def _is_measure(claim: Claim, at: int, amount: Quantity, bound: str) -> bool:
    """Tells whether a bare number is a value of the attribute; a version is one only as a bound."""
    if is_counted(claim, amount):
        return False
    if len(amount.low) > 1:
        return amount.bound != "is" or not claim.vocabulary.isdisjoint(_OUTMOST)
    return bound != "is" or claim.words[at - 1] in _PLACES


_OUTMOST = opposites.word_set("minimum maximum")
_EXCEEDS = opposites.word_set("exceed exceeds uberschreiten")
_PLACES = opposites.word_set("is are port ports ist sind to auf")


def _exact(amount: Quantity) -> Quantity:
    """Amount that is a bound, as a number of its own: two bounds of one attribute exclude each other."""
    finite = amount.high if amount.bound == "at most" else amount.low
    return amount if amount.bound == "range" else amount._replace(low=finite, high=finite, bound="is")


def _bound(claim: Claim, amount: Quantity) -> str:
    if amount.bound == "at most" or not claim.vocabulary.isdisjoint(value_words.MOST):
        return "most"
    return (
        "least" if amount.bound == "at least" or not claim.vocabulary.isdisjoint(value_words.LEAST) else "is"
    )


def _stated(
    claim: Claim, spans: Sequence[tuple[int, int]], kind: str, value: Value, spelled: str
) -> Iterator[StatedValue]:
    left = (word for at, word in enumerate(claim.words) if not any(start <= at < end for start, end in spans))
    rest = with_phrases(" ".join(left)).split()
    terms = frozenset(term for word in rest for term in terms_of_value_word(word))
    subjects = terms & value_words.GENERIC_SUBJECTS if terms - value_words.GENERIC_SUBJECTS else frozenset()
    if terms:
        yield StatedValue(terms - subjects, subjects, kind, value, spelled, claim.setting)


@kept_by_text(8_192)
def terms_of_value_word(written: str) -> tuple[str, ...]:
    word = CANONICAL.get(written, written)
    word = value_words.LOCAL_GROUPS.get(written, value_words.LOCAL_GROUPS.get(word, word))
    is_untold = (
        {written, word} & value_words.UNTOLD
        or word in opposites.LIGHT_WORDS
        or word in value_words.MOST | value_words.LEAST | value_words.SIZES
    )
    if is_untold or written in value_words.MOST | value_words.LEAST | value_words.PASSING:
        return ()
    return tuple(analyze(word)) if word.isalpha() else (word,)


def stated_otherwise(mine: Sequence[StatedValue], theirs: Sequence[StatedValue]) -> tuple[str, str] | None:
    """Two values that two texts give to one attribute, as written; None where they share one, or give it several."""
    same = [(one, other) for one, other in product(mine, theirs) if _are_of_one_attribute(one, other)]
    if not same or any(not _exclude(one, other) for one, other in same) or len(same) > 1:
        return None
    return same[0][0].spelled, same[0][1].spelled


def _are_of_one_attribute(one: StatedValue, other: StatedValue) -> bool:
    return (
        one.kind == other.kind
        and one.attribute == other.attribute
        and one.setting == other.setting
        and (one.subjects == other.subjects or not (one.subjects and other.subjects))
    )


def _exclude(one: StatedValue, other: StatedValue) -> bool:
    mine, theirs = one.value, other.value
    if isinstance(mine, Quantity) and isinstance(theirs, Quantity):
        return are_incompatible(mine, theirs)
    if isinstance(mine, value_words.Occasion) and isinstance(theirs, value_words.Occasion):
        return mine.excludes(theirs)
    return mine != theirs
