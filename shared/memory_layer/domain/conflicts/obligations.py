"""Claims that oblige: what lifts an obligation contradicts it, what reports that it was not met does not."""

from typing import Final

from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.text import opposites
from memory_layer.domain.text.opposites import word_set

REQUIRED: Final = "~required"
"""Axis of required and optional."""

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
