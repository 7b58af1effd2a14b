"""Statement that says otherwise of the same thing: all but one point of two texts agrees, and both cannot hold."""

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, NamedTuple

from memory_layer.domain.conflicts.alternatives import ADDITIVE
from memory_layer.domain.conflicts.clauses import all_clauses_of, is_example, is_lead, tells_of_change
from memory_layer.domain.conflicts.no_values import name_things
from memory_layer.domain.conflicts.quantities import Quantity, are_incompatible
from memory_layer.domain.conflicts.quantity_parser import quantity_at
from memory_layer.domain.conflicts.unshared_sentences import unshared_sentences
from memory_layer.domain.conflicts.value_words import is_report
from memory_layer.domain.conflicts.wording import (
    CLAUSES_MAX,
    NEGATORS,
    bare,
    may_negate,
    names_letter,
    read_wording,
)
from memory_layer.domain.safety.text_caches import WordTable
from memory_layer.domain.text import opposites
from memory_layer.domain.text.digest_cache import DigestCache
from memory_layer.domain.text.opposites import word_set

_RELATIVES = word_set("that which who whose where welche welcher welches dass")
_CONDITIONS = opposites.CONDITIONS | word_set("wenn falls sobald solange bis dass")
_ACCOMPANYING = word_set("without ohne unless except außer")
"""Negations of what goes along with a thing, which both may be done."""

Otherwise = tuple[Literal["negation", "opposite", "value"], str]
"""Kind of a disagreement, and its reason."""

SLOT_MAX = 4
"""Most words of the one place in which two clauses differ."""

OUTLINES_MAX: Final = 8_192
"""Most texts of which the outline is kept, some 600 bytes each and no word."""

_MAY_NEGATE: Final = WordTable(may_negate, 16_384)


@dataclass(frozen=True, slots=True)
class _Slot:
    """Place in which the one differing clause of each text differs: the words before, in and after it."""

    before: tuple[str, ...]
    new: tuple[str, ...]
    known: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return (*self.before, *self.new, *self.known, *self.after)


@dataclass(frozen=True, slots=True)
class OnePlace:
    """Sentences of two near texts that differ in one place. Args: told: how they disagree, if the place tells it."""

    new: str
    known: str
    told: Otherwise | None


def differing_place(new: str, known: str) -> OnePlace | None:
    """Finds the one place in which two near texts may disagree; None where they do not, or speak of two things.

    They disagree in one place of one clause, and in no other: texts that differ twice are about two things. What
    holds of another case (a condition, a relative clause), goes along (with, without), is an example or was done once
    (a changelog's line) is no disagreement. `Use A, never B` disagrees with `Use B, never A`.
    """
    left = unshared_sentences(new, known)
    if not (left.is_ordered and left.is_readable) or is_lead(new) or is_lead(known):
        return None
    mine, theirs = _outlines.of(left.new), _outlines.of(left.known)
    if not mine.has_one_place_beside(theirs):
        told = _exchanged(left.new, left.known) if mine.may_negate and theirs.may_negate else None
        return None if told is None else OnePlace(left.new, left.known, told)
    slot = _slot(left.new, left.known)
    if is_example(left.new.lower()) or _may_both_hold(slot):
        return None
    if max(len(slot.new), len(slot.known)) > SLOT_MAX:
        return None
    return OnePlace(left.new, left.known, _value(slot) or _turn(slot))


class _Outline(NamedTuple):
    """Outline of a text, made once for all that are near it: most differ in more than one place, and negate nothing.

    Args:
        clauses: hash of each clause.
        may_negate: False: no word that it tells is a `not`.
    """

    clauses: tuple[int, ...]
    may_negate: bool

    def has_one_place_beside(self, other: "_Outline") -> bool:
        """Tells whether each text has one clause that the other one lacks, and else the same number of them."""
        return (
            len(self.clauses) == len(other.clauses)
            and sum(clause not in other.clauses for clause in self.clauses) == 1
            and sum(clause not in self.clauses for clause in other.clauses) == 1
        )


def _outline(text: str) -> _Outline:
    plain = bare(text)
    rows = _rows(plain)
    words = {part for row in rows for word in row for part in (word, *word.split("-"))}
    return _Outline(tuple(map(hash, rows)), names_letter(plain) or any(map(_MAY_NEGATE.__getitem__, words)))


_outlines: Final = DigestCache(_outline, OUTLINES_MAX)


def _slot(new: str, known: str) -> _Slot:
    """The one place. Args: new, known: each has one clause that the other one lacks."""
    mine, theirs = _rows(bare(new)), _rows(bare(known))
    one = next(row for row in mine if row not in theirs)
    two = next(row for row in theirs if row not in mine)
    start = next(
        (at for at, pair in enumerate(zip(one, two, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(two)),
    )
    rest = min(len(one), len(two)) - start
    end = next((at for at in range(rest) if one[-1 - at] != two[-1 - at]), rest)
    return _Slot(one[:start], one[start : len(one) - end], two[start : len(two) - end], one[len(one) - end :])


def _rows(plain: str) -> list[tuple[str, ...]]:
    return [tuple(row) for row in islice(all_clauses_of(plain), CLAUSES_MAX)]


def _may_both_hold(slot: _Slot) -> bool:
    before = set(slot.before)
    if not before.isdisjoint(_RELATIVES) or is_report(slot.words) or tells_of_change(slot.words):
        return True
    changed = set(slot.new) | set(slot.known)
    is_turned = not changed.isdisjoint(NEGATORS | opposites.OPPOSITES.keys())
    if is_turned:
        return not (before | changed).isdisjoint(_CONDITIONS) or not changed.isdisjoint(_ACCOMPANYING)
    return not set(slot.words).isdisjoint(ADDITIVE)


def _value(slot: _Slot) -> Otherwise | None:
    """Reason for two amounts in one place of a statement about it."""
    mine, theirs = (_amount_at(slot, words) for words in (slot.new, slot.known))
    if (
        mine is None
        or theirs is None
        or mine.dimension != theirs.dimension
        or not are_incompatible(mine, theirs)
    ):
        return None
    is_measure = mine.dimension not in ("number", "version") and not mine.dimension.startswith("date")
    is_stated = len(slot.before) > 1 and not name_things(
        (*slot.before, *slot.new)
    )  # else it is part of a name
    reason = f"one says {mine.text}, the other {theirs.text}"
    return ("value", reason) if is_measure and is_stated else None


def _amount_at(slot: _Slot, words: tuple[str, ...]) -> Quantity | None:
    """Amount that the words of a place are."""
    row = (*slot.before, *words, *slot.after)
    found = quantity_at(row, len(slot.before)) if words else None
    return found[0] if found and found[1] >= len(slot.before) + len(words) else None


def _turn(slot: _Slot) -> Otherwise | None:
    """Reason for a `not` more."""
    changed = sorted((slot.new, slot.known), key=len)
    if not changed[0] and set(changed[1]) <= NEGATORS:
        return "negation", "one affirms what the other denies"
    return None


def _exchanged(new: str, known: str) -> Otherwise | None:
    """Reason for texts of the same words of which a `not` stands at the other one."""
    mine, theirs = ([meant for meant, _ in read_wording(text).told] for text in (new, known))
    is_turned = "not" in mine and mine != theirs and Counter(mine) == Counter(theirs)
    return ("opposite", "one recommends what the other rules out") if is_turned else None
