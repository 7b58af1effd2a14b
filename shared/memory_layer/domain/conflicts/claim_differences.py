"""Differences between two claims on one subject that keep both from holding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from memory_layer.domain.conflicts.alternatives import ADDITIVE
from memory_layer.domain.conflicts.choice_places import is_single_valued, place_of
from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.conflicts.no_values import KEEPING, is_reported, names_one, selects_things
from memory_layer.domain.conflicts.obligations import denied_amount, is_rule_and_report, lifts_obligation
from memory_layer.domain.conflicts.quantities import Quantity, are_incompatible, ratio
from memory_layer.domain.conflicts.recurring_times import RECURRENCE
from memory_layer.domain.conflicts.same_attribute import speak_of_one_attribute
from memory_layer.domain.text import opposites

Kind = Literal["negation", "opposite", "value", "choice"]

DRIFT_RATIO = 1.5
"""Ratio up to which a number has drifted; beyond it another number is meant."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Single difference between a claim of one text and a claim of the other.

    Args:
        has_drifted: the greater number is at most half as much again as the smaller one.
    """

    kind: Kind
    one: Claim
    other: Claim
    reason: str
    has_drifted: bool = False


def differences(mine: Sequence[Claim], theirs: Sequence[Claim]) -> Iterator[Difference]:
    """Yields every pair of claims that cannot both hold, unless either text makes the other's claim too."""
    pairs = [
        (one, other)
        for one in mine
        for other in theirs
        if _are_comparable(one, other, len(mine) + len(theirs))
    ]
    agreed = {id(claim) for one, other in pairs if _agree(one, other) for claim in (one, other)}
    for one, other in pairs:
        if id(one) not in agreed and id(other) not in agreed:
            difference = _difference(one, other)
            if difference:
                yield difference


def _are_comparable(one: Claim, other: Claim, claims: int) -> bool:
    """Tells whether two claims share enough of a subject to compare: a short one only where each text has one claim."""
    stand_alone = claims == 2
    shared = (one.about | one.rejected) & (other.about | other.rejected)
    return (
        len(shared) >= (1 if stand_alone else 2)
        and (stand_alone or min(len(one.about), len(other.about)) >= CLAIM_TERMS_MIN)
        and (opposites.ONLY in one.vocabulary) == (opposites.ONLY in other.vocabulary)
        and (one.persons == other.persons or not one.persons or not other.persons)
    )


CLAIM_TERMS_MIN = 3


def _agree(one: Claim, other: Claim) -> bool:
    return (
        one.about == other.about
        and one.is_affirmed == other.is_affirmed
        and one.setting == other.setting
        and _dimensions(one) == _dimensions(other)
        and not any(map(are_incompatible, one.quantities, other.quantities))
    )


def _dimensions(claim: Claim) -> list[str]:
    return [quantity.dimension for quantity in claim.quantities]


def _difference(one: Claim, other: Claim) -> Difference | None:
    """Single difference between two claims; None if there is none, or more than one."""
    if _dimensions(one) != _dimensions(other):
        return _limit_difference(one, other)
    pairs = zip(one.quantities, other.quantities, strict=True)
    values = [at for at, (mine, theirs) in enumerate(pairs) if are_incompatible(mine, theirs)]
    if values:
        return _values_difference(one, other, values)
    if lifts_obligation(one, other):
        return Difference("opposite", one, other, LIFTED)
    if one.is_affirmed != other.is_affirmed:
        return _denial(one, other) if _is_denied_whole(one, other) else None
    return _choice_difference(one, other) if one.about != other.about else None


LIFTED = "one requires what the other leaves free"


def _limit_difference(one: Claim, other: Claim) -> Difference | None:
    if lifts_obligation(one, other):
        return Difference("opposite", one, other, LIFTED)
    limit = denied_amount(one, other)
    reason = f"one says {limit}, the other denies it"
    return None if limit is None else Difference("negation", one, other, reason)


def _values_difference(one: Claim, other: Claim, values: Sequence[int]) -> Difference | None:
    """Difference in one value, which either may give twice: `1 minute (60 seconds)`."""
    if (
        not _are_of_one_side(one, other, values)
        or not speak_of_one_attribute(one, other)
        or not _is_one_value(one, other, values)
    ):
        return None
    found = [_value_difference(one, other, at) for at in values]
    return found[0] if all(found) else None


def _are_of_one_side(one: Claim, other: Claim, values: Sequence[int]) -> bool:
    """Tells whether neither denies the other; what is kept for a time is removed after it."""
    turned = {name for name, _ in _shared_ends(one, other) ^ _shared_ends(other, one)}
    is_term = turned == {KEEPING} and all(one.quantities[at].dimension == "time" for at in values)
    return one.is_negated == other.is_negated and (not turned or is_term)


def _is_one_value(one: Claim, other: Claim, values: Sequence[int]) -> bool:
    mine, theirs = ([claim.quantities[at] for at in values] for claim in (one, other))
    are_measures = one.about == other.about and all(each.dimension in _TIMES for each in (*mine, *theirs))
    return are_measures or all(_are_equal(values[0], each) for values in (mine, theirs) for each in values)


_TIMES = ("clock", "time", RECURRENCE)
"""Dimensions of which a clause gives several that change together: `every 15 minutes`, `after 31 minutes`."""


def _are_equal(one: Quantity, other: Quantity) -> bool:
    return one.dimension == other.dimension and not are_incompatible(one, other)


def _is_denied_whole(one: Claim, other: Claim) -> bool:
    """Tells whether a denial covers the whole affirmation: same terms, or the affirmation only adds a time or place."""
    affirmed, denied = (one, other) if one.is_affirmed else (other, one)
    if affirmed.about == denied.about:
        return True
    added = place_of(affirmed, denied.about)
    if added is None or not denied.about < affirmed.about or len(denied.about) < WHOLE_TERMS_MIN:
        return False
    begins = affirmed.terms[added.start]
    return added.is_last and any((word, begins) in affirmed.introduced for word in _ADJUNCTS)


WHOLE_TERMS_MIN = 3
_ADJUNCTS = opposites.word_set("in on at for with during")


def _denial(one: Claim, other: Claim) -> Difference | None:
    ends, words = one.ends ^ other.ends, one.vocabulary | other.vocabulary
    is_partial = one.is_open != other.is_open or not opposites.OPEN.isdisjoint(words)
    if is_partial or one.setting != other.setting or not _are_of_one_relation(one, other):
        return None
    if is_rule_and_report(one, other):
        return None
    if ends:
        if not all(_is_predicate(name, claim) for name, _ in ends for claim in (one, other)):
            return None
        axes = {name for name, _ in ends}
        return Difference(
            "opposite", one, other, f"one says {_stance(one, axes)}, the other {_stance(other, axes)}"
        )
    if (is_absolute(one) and is_absolute(other)) or "avoid" in words:
        return Difference(
            "opposite", one, other, f"one recommends what the other rules out{_denied_words(one, other)}"
        )
    return Difference("negation", one, other, f"one affirms what the other denies{_denied_words(one, other)}")


def _stance(claim: Claim, axes: set[str]) -> str:
    """Words in which a claim takes its end of an axis: `enabled`, `not required`."""
    words = [word for term, word in zip(claim.terms, claim.spelled, strict=True) if term in axes]
    return " ".join(([opposites.NEGATOR] if claim.is_negated else []) + words)


def _denied_words(one: Claim, other: Claim) -> str:
    """First words after the negation, in quotes; empty where they are not in one row."""
    denied = other if one.is_affirmed else one
    starts = [at for at, word in enumerate(denied.words) if word in opposites.NEGATORS]
    return f": \u201c{' '.join(denied.words[starts[0] : starts[0] + DENIED_WORDS])}\u201d" if starts else ""


DENIED_WORDS = 4
"""Words quoted of a denial, the negation first."""


def _are_of_one_relation(one: Claim, other: Claim) -> bool:
    """Tells whether two claims have one direction; not where the words changed places: A calls B, B does not call A."""
    directed = opposites.DIRECTED & {word for word, _ in one.introduced}
    directed &= {word for word, _ in other.introduced}
    mine, theirs = ({each for each in claim.introduced if each[0] in directed} for claim in (one, other))
    if any(word == "~before" for word, _ in mine ^ theirs):
        return False
    if _is_passive(one) != _is_passive(other):
        return True
    if mine != theirs:
        return False
    if one.terms[0] == other.terms[0]:
        return True
    moved = {term for _, term in one.introduced | other.introduced}
    return one.terms[0] in moved or other.terms[0] in moved


def _is_passive(claim: Claim) -> bool:
    return not opposites.BE.isdisjoint(claim.words)


def _is_predicate(axis: str, claim: Claim) -> bool:
    """Tells whether an axis is part of the predicate; an adjective before the verb or a noun is of the subject."""
    if axis not in opposites.ADJECTIVES or axis not in claim.about:
        return True
    at = claim.terms.index(axis)
    if claim.subject_length is not None:
        return at >= claim.subject_length
    after = claim.words.index(claim.spelled[at]) + 1
    return after == len(claim.words) or claim.words[after] in opposites.PREPOSITIONS


def is_absolute(claim: Claim) -> bool:
    """Tells whether a claim speaks of always, never, must."""
    return not opposites.EMPHATIC.isdisjoint(claim.vocabulary)


_EXCLUSIVE_VERBS = opposites.word_set("used required installed pinned deployed needed")


def _value_difference(one: Claim, other: Claim, at: int) -> Difference | None:
    words = one.vocabulary & other.vocabulary
    if at in one.named_by | other.named_by and words.isdisjoint(_EXCLUSIVE_VERBS):
        return None
    mine, theirs = one.quantities[at], other.quantities[at]
    if _is_of_platform(one, mine) and _is_of_platform(other, theirs):
        return None
    if (selects_things(one) and selects_things(other)) or names_one(one, mine) or names_one(other, theirs):
        return None
    is_date = mine.dimension.startswith("date")
    is_event = is_date and (
        words.isdisjoint(opposites.SCHEDULES)
        or not words.isdisjoint(_NEAREST)
        or ("as", "of") in pairwise(one.words)
    )
    is_report = mine.dimension == "number" and any(
        is_reported(claim, claim.quantities[at]) for claim in (one, other)
    )
    if is_event or is_report or one.is_past or other.is_past:
        return None
    reason = f"one says {mine.text}, the other {theirs.text}"
    return Difference("value", one, other, reason, ratio(mine, theirs) <= DRIFT_RATIO)


_NEAREST = opposites.word_set("next upcoming last latest previous")
"""Words that name another event at another time of saying."""


def _is_of_platform(claim: Claim, quantity: Quantity) -> bool:
    """Tells whether a number is the version of a platform for which something holds: `for Python 3.9`."""
    first = quantity.text.split(" ")[0]
    at = claim.words.index(first) if quantity.dimension == "number" and first in claim.words else 0
    return at > 1 and claim.words[at - 2] in _PLATFORMS and claim.words[at - 1].isalpha()


_PLATFORMS = opposites.word_set("for under using fur")


def _choice_difference(one: Claim, other: Claim) -> Difference | None:
    mine, theirs = place_of(one, other.about), place_of(other, one.about)
    if mine is None or theirs is None or _shared_ends(one, other) != _shared_ends(other, one):
        return None
    is_rejected = bool(mine.terms & other.rejected or theirs.terms & one.rejected)
    is_stated = (mine.is_stated and theirs.is_stated) or (
        is_rejected and mine.is_one_term and theirs.is_one_term
    )
    if not is_stated or one.setting != other.setting:
        return None
    if is_rejected or (is_single_valued(mine, theirs) and not _may_both_hold(one, other)):
        return Difference("choice", one, other, f"one says {mine.spelled}, the other {theirs.spelled}")
    return None


def _shared_ends(claim: Claim, other: Claim) -> set[tuple[str, int]]:
    return {end for end in claim.ends if end[0] in other.about}


def _may_both_hold(one: Claim, other: Claim) -> bool:
    """Tells whether the two values may hold side by side; a negation leaves open which value there is."""
    words = one.vocabulary | other.vocabulary
    return not words.isdisjoint(ADDITIVE | opposites.NEGATORS) or one.is_past or other.is_past
