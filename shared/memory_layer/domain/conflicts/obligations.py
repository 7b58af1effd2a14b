"""Claims that oblige or limit: what lifts either contradicts it, what reports that a duty was not met does not."""

from typing import Final

from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.conflicts.recurring_times import RECURRENCE
from memory_layer.domain.text import opposites
from memory_layer.domain.text.opposites import word_set

REQUIRED: Final = "~required"
"""Axis of required and optional."""

_BEFORE: Final = "~before"
"""Axis of before and after."""

_DENIABLE: Final = ("time", RECURRENCE, "number")

_OBLIGING: Final = word_set(
    "must shall should ought always never muss mussen soll sollen sollte sollten immer niemals nie"
)


def lifts_obligation(one: Claim, other: Claim) -> bool:
    """Tells whether one of two claims requires what the other leaves free: `must be signed`, `need not be signed`."""
    return _lifts(one, other) or _lifts(other, one)


def _lifts(free: Claim, must: Claim) -> bool:
    return (
        not free.is_affirmed
        and must.is_affirmed
        and not _OBLIGING.isdisjoint(must.vocabulary)
        and {name for name, _ in free.ends - must.ends} == {REQUIRED}
        and _is_of_one_duty(free.about - {REQUIRED}, must)
        and free.setting == must.setting
        and not (free.is_open or must.is_open)
    )


def _is_of_one_duty(free: frozenset[str], must: Claim) -> bool:
    """Tells whether a duty is that which is left free, be it said by whom: `must be approved by finance`."""
    added = must.about - free
    if not added or not free < must.about:
        return free == must.about
    by = [must.words.index(word) for word in ("by", "von") if word in must.vocabulary]
    return bool(by) and added <= {
        term for term, word in zip(must.terms, must.spelled, strict=True) if word in must.words[max(by) :]
    }


def is_rule_and_report(one: Claim, other: Claim) -> bool:
    """Tells whether one of two claims is a rule, and the other reports an event: `must pass`, `did not pass`."""
    return any(
        not _OBLIGING.isdisjoint(rule.vocabulary) and _reports(event)
        for rule, event in ((one, other), (other, one))
    )


def _reports(claim: Claim) -> bool:
    """Tells whether a claim is in the past, or a headline of what was found: `Campaign not coordinated`."""
    if not _OBLIGING.isdisjoint(claim.vocabulary):
        return False
    is_headline = claim.subject_length is not None and claim.words[-1].endswith("ed")
    has_no_verb = opposites.VERB_MARKS.isdisjoint(claim.vocabulary - opposites.NEGATORS)
    return claim.is_past or (is_headline and has_no_verb)


def denied_amount(one: Claim, other: Claim) -> str | None:
    """Amount of what the other claim denies: `expire in 90 days`, `never expire`; `two keys`, `no keys`.

    The terms and settings of both are the same, but for the amount.
    """
    limited, denied = (other, one) if one.is_negated else (one, other)
    told = [quantity for quantity in limited.quantities if quantity not in denied.quantities]
    if limited.is_negated or not denied.is_negated or len(told) != 1 or told[0].dimension not in _DENIABLE:
        return None
    is_named = limited.quantities.index(told[0]) in limited.named_by or len(told[0].low) > 1
    is_one_event = not is_named and (
        len(limited.quantities) == len(denied.quantities) + 1
        and limited.about - {_BEFORE} == denied.about - {_BEFORE}
        and _ends(limited) == _ends(denied)
        and limited.setting == denied.setting
    )
    is_whole = not (denied.is_open or limited.is_past or denied.is_past)
    words = limited.vocabulary | denied.vocabulary
    return told[0].text if is_one_event and is_whole and opposites.OPEN.isdisjoint(words) else None


def _ends(claim: Claim) -> frozenset[tuple[str, int]]:
    return frozenset(end for end in claim.ends if end[0] != _BEFORE)
