"""Claims that something happens after or every so long, against claims that it never does."""

from typing import Final

from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.conflicts.recurring_times import RECURRENCE
from memory_layer.domain.text import opposites

BEFORE: Final = "~before"
"""Axis of before and after."""

_WHEN: Final = ("time", RECURRENCE)


def denied_time_limit(one: Claim, other: Claim) -> str | None:
    """Time after or at which one claim has happen what the other denies: `expire in 90 days`, `never expire`.

    The terms and settings of both are the same, but for the time.
    """
    limited, denied = (other, one) if one.is_negated else (one, other)
    told = [quantity for quantity in limited.quantities if quantity not in denied.quantities]
    if limited.is_negated or not denied.is_negated or len(told) != 1 or told[0].dimension not in _WHEN:
        return None
    is_one_event = (
        len(limited.quantities) == len(denied.quantities) + 1
        and limited.about - {BEFORE} == denied.about - {BEFORE}
        and _ends(limited) == _ends(denied)
        and limited.setting == denied.setting
    )
    is_whole = not (denied.is_open or limited.is_past or denied.is_past)
    words = limited.vocabulary | denied.vocabulary
    return told[0].text if is_one_event and is_whole and opposites.OPEN.isdisjoint(words) else None


def _ends(claim: Claim) -> frozenset[tuple[str, int]]:
    return frozenset(end for end in claim.ends if end[0] != BEFORE)
