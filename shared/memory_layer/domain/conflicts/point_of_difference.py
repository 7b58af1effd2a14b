"""Point of difference between two similar texts: a number, a name, a negation, an opposite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Literal

from memory_layer.domain.conflicts.alternatives import EXCLUSIVE
from memory_layer.domain.conflicts.clauses import all_clauses_of
from memory_layer.domain.conflicts.named_things import is_named, names_of, spoken_forms
from memory_layer.domain.conflicts.paired_words import are_paired_otherwise
from memory_layer.domain.conflicts.point import SHOWN_MAX, Point
from memory_layer.domain.conflicts.quantities import Quantity, are_incompatible
from memory_layer.domain.conflicts.quantity_parser import quantities_in
from memory_layer.domain.conflicts.told_stage import unread_words, unsaid_marks
from memory_layer.domain.conflicts.unshared_sentences import UnsharedSentences, unshared_sentences
from memory_layer.domain.conflicts.wording import (
    NEGATORS,
    Wording,
    bare,
    deviation,
    is_same_wording,
    read_wording,
)
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze

CLAUSES_MAX = 200
"""Most clauses compared of each text: a few pages."""

ALIGNED_SHARE = 0.6
"""Share of the shorter clause's terms in both from which on two clauses have one subject."""

TURNED_SHARE = 0.7
"""Share of the longer clause's terms in both from which on a `not` reverses it; below, it may concern an addition."""


def point_of_difference(new: str, known: str) -> Point | None:
    """Finds the first point that makes a text another fact; None where both say the same or one says more.

    They differ where each has a number or name that the other lacks, where the shorter one has one that the longer
    one lacks, where a clause of one has another flag or `not` than the aligned clause of the other, or the other end
    of an axis (enabled, disabled). An addition in the longer one is no difference. Of long texts the sentences
    are compared that only one has; what differs in more than a page is another text.
    """
    if new == known:
        return None
    left = unshared_sentences(new, known)
    return _of_sentences(left) or (None if left.is_ordered else Point("order", "", ""))


def _of_sentences(left: UnsharedSentences) -> Point | None:
    if left.new and not left.is_readable:
        return Point("word", " ".join(left.new.split()[:SHOWN_MAX]), "")
    return _of_words(left.new, left.known) if left.new else None


def _of_words(new: str, known: str) -> Point | None:
    mine, theirs = _read(new), _read(known)
    plain = _plain(mine, theirs) or _short_flag(new, known)
    if plain is not None:
        return plain
    if is_same_wording(mine.wording, theirs.wording):
        found = _unsaid(new, known) or _without(new, known)
    else:
        found = _reversed(mine, theirs) or _word(mine.wording, theirs.wording) or _unsaid(new, known)
    return found or (Point("order", "", "") if are_paired_otherwise(new, known) else None)


def _short_flag(new: str, known: str) -> Point | None:
    """Point of a flag in another case: `-v` is not `-V`."""
    mine, theirs = (set(_SHORT_FLAG.findall(text)) for text in (new, known))
    other = next((flag for flag in sorted(mine - theirs) if flag.swapcase() in theirs - mine), None)
    return None if other is None else Point("name", other, other.swapcase())


_SHORT_FLAG = re.compile(r"(?<![\w-])-[A-Za-z]\b(?!-)")


def _unsaid(new: str, known: str) -> Point | None:
    """Point of what the words do not tell: the stage of affairs, owners, references, and clauses beyond those read."""
    plain, other = bare(new).casefold(), bare(known).casefold()
    word = unsaid_marks(plain, other) or unread_words(plain, other, CLAUSES_MAX)
    return Point("word", word, "") if word else None


def _without(new: str, known: str) -> Point | None:
    """Point of a mark that the known text has, and one of the same words lacks: `is` where that says `was`."""
    word = unsaid_marks(bare(known).casefold(), bare(new).casefold())
    return Point("word", "", word) if word else None


def stated_difference(new: str, known: str) -> Point | None:
    """Finds the number, name, flag, negation or opposite in which two texts differ, however the rest is worded."""
    mine, theirs = _read(new), _read(known)
    return None if new == known else _plain(mine, theirs) or _reversed(mine, theirs)


def _plain(mine: _Text, theirs: _Text) -> Point | None:
    return _number(mine, theirs) or _name(mine, theirs) or _alternative(mine, theirs)


def _reversed(mine: _Text, theirs: _Text) -> Point | None:
    return next(filter(None, (_reversal(*clauses) for clauses in _aligned(mine, theirs))), None)


def _word(new: Wording, known: Wording) -> Point | None:
    """Point of the words that only one of two texts has, or has elsewhere."""
    found = deviation(new, known)
    if found is None:
        return _turn(new, known)
    mine, theirs = (", ".join(words[:SHOWN_MAX]) for words in (found.new, found.known))
    return Point("word" if mine or theirs else "order", mine, theirs)


def _turn(new: Wording, known: Wording) -> Point | None:
    """Negation that a text of the same words has and the other does not."""
    is_turned = (
        len(new.told) - new.negations == len(known.told) - known.negations and (new.turns - known.turns) % 2
    )
    more = new.turns > known.turns
    return Point("negation", "not" if more else "", "" if more else "not") if is_turned else None


@dataclass(frozen=True, slots=True)
class _Clause:
    terms: frozenset[str]
    flags: frozenset[str]
    ends: dict[str, tuple[int, str]]
    negations: int

    @property
    def turns(self) -> int:
        """Number of negations, and of negative ends of complements: `fails` is as good as a `not`."""
        return self.negations + sum(
            sign < 0 and (axis in opposites.COMPLEMENTS or not axis.startswith("~"))
            for axis, (sign, _) in self.ends.items()
        )

    def sign(self, axis: str) -> int:
        """End of an axis that the clause means; 0 where it does not mention the axis."""
        sign = self.ends[axis][0] if axis in self.ends else int(axis in self.terms)
        return -sign if self.negations % 2 else sign


@dataclass(frozen=True, slots=True)
class _Text:
    length: int
    clauses: tuple[_Clause, ...]
    quantities: tuple[Quantity, ...]
    names: tuple[str, ...]
    alternatives: frozenset[str]
    spoken: frozenset[str]
    wording: Wording


@kept_by_text(256)
def _read(text: str) -> _Text:
    """Reads a text, and keeps it: a new one is held against each that is near, and each of these against it."""
    plain = bare(text)
    rows = list(islice(_rows(plain), CLAUSES_MAX))
    return _Text(
        len(text),
        tuple(map(_clause, rows)),
        tuple(quantity for words in rows for quantity in quantities_in(words)),
        tuple(dict.fromkeys(names_of(plain))),
        frozenset(word for words in rows for word in words if word in EXCLUSIVE),
        spoken_forms(plain),
        read_wording(text),
    )


def _rows(text: str) -> Iterator[list[str]]:
    """Yields the words of each clause; a condition is a clause of its own."""
    for words in all_clauses_of(text):
        start = 0
        for at, word in enumerate(words):
            if at > start and word in opposites.CONDITIONS:
                yield words[start:at]
                start = at
        yield words[start:]


def _clause(words: Sequence[str]) -> _Clause:
    ends = _ends(words)
    plain = [word for word in words if word not in NEGATORS and word not in opposites.LIGHT_WORDS]
    terms = {term for word in plain if word not in opposites.OPPOSITES for term in analyze(word) or (word,)}
    flags = frozenset(word for word in words if _FLAG.fullmatch(word))
    return _Clause(frozenset(terms | ends.keys()), flags, ends, sum(word in NEGATORS for word in words))


def _ends(words: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Axes of which the words take one end alone, each with its sign and its word."""
    found = [(opposites.OPPOSITES[word], word) for word in words if word in opposites.OPPOSITES]
    taken = {end for end, _ in found}
    return {axis: (sign, word) for (axis, sign), word in found if (axis, -sign) not in taken}


_FLAG = re.compile(r"--?[a-z][\w-]*(?:=\S*)?")


def _number(mine: _Text, theirs: _Text) -> Point | None:
    new = [one.text for one in mine.quantities if not _has_quantity(theirs, one)]
    known = [one.text for one in theirs.quantities if not _has_quantity(mine, one)]
    return _point("number", new, known, mine, theirs)


def _has_quantity(text: _Text, wanted: Quantity) -> bool:
    """Tells whether a text has the same amount; an amount without its unit equals the one with it."""
    return any(
        not are_incompatible(wanted, one)
        if wanted.dimension == one.dimension
        else "number" in (wanted.dimension, one.dimension) and _digits(wanted) == _digits(one)
        for one in text.quantities
    )


def _digits(quantity: Quantity) -> list[str]:
    return _DIGITS.findall(quantity.text)


_DIGITS = re.compile(r"\d+")


def _name(mine: _Text, theirs: _Text) -> Point | None:
    new = [name for name in mine.names if not is_named(name, theirs.spoken)]
    known = [name for name in theirs.names if not is_named(name, mine.spoken)]
    return _point("name", new, known, mine, theirs)


def _alternative(mine: _Text, theirs: _Text) -> Point | None:
    """Finds another alternative of a kind of which one is chosen, however it is spelled."""
    for new in sorted(mine.alternatives - theirs.alternatives):
        for known in sorted(theirs.alternatives - mine.alternatives):
            if EXCLUSIVE[new] == EXCLUSIVE[known]:
                return Point("name", new, known)
    return None


def _point(
    kind: Literal["number", "name"], new: Sequence[str], known: Sequence[str], mine: _Text, theirs: _Text
) -> Point | None:
    """Point of two lists of words; None where only the longer text says more."""
    is_more = not known if mine.length >= theirs.length else not new
    return None if is_more else Point(kind, ", ".join(new[:SHOWN_MAX]), ", ".join(known[:SHOWN_MAX]))


def _aligned(mine: _Text, theirs: _Text) -> Iterator[tuple[_Clause, _Clause]]:
    """Yields each clause of the shorter text with the most similar one of the longer, that of `mine` first."""
    is_longer = mine.length >= theirs.length
    shorter, longer = (theirs, mine) if is_longer else (mine, theirs)
    for one in shorter.clauses:
        like = max(longer.clauses, key=partial(_likeness, one), default=None)
        if like is not None and _likeness(one, like)[0] >= ALIGNED_SHARE:
            yield (like, one) if is_longer else (one, like)


def _likeness(one: _Clause, other: _Clause) -> tuple[float, float]:
    shared, fewer = len(one.terms & other.terms), min(len(one.terms), len(other.terms))
    return (shared / fewer if fewer else 0.0, shared / max(1, len(one.terms | other.terms)))


def _reversal(new: _Clause, known: _Clause) -> Point | None:
    if new.flags != known.flags:
        mine, theirs = sorted(new.flags - known.flags), sorted(known.flags - new.flags)
        return Point("name", ", ".join(mine[:SHOWN_MAX]), ", ".join(theirs[:SHOWN_MAX]))
    shared = [axis for axis in new.ends.keys() | known.ends.keys() if new.sign(axis) and known.sign(axis)]
    for axis in sorted(shared):
        if new.sign(axis) != known.sign(axis):
            return _opposite(axis, new, known)
    is_turned = not shared and new.turns % 2 != known.turns % 2 and _is_near(new, known)
    return _negation(new, known) if is_turned else None


def _is_near(one: _Clause, other: _Clause) -> bool:
    return len(one.terms & other.terms) >= TURNED_SHARE * max(len(one.terms), len(other.terms))


def _opposite(axis: str, new: _Clause, known: _Clause) -> Point:
    if axis in new.ends and axis in known.ends and new.ends[axis][0] != known.ends[axis][0]:
        return Point("opposite", new.ends[axis][1], known.ends[axis][1])
    return _negation(new, known)


def _negation(new: _Clause, known: _Clause) -> Point:
    is_new = new.negations > known.negations or (new.negations == known.negations and new.turns > known.turns)
    return Point("negation", "not" if is_new else "", "" if is_new else "not")
