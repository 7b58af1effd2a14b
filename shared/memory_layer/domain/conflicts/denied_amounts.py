"""Claims that so much of something is, or after how long, against claims that there is none, or never."""

from typing import Final

from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.conflicts.recurring_times import RECURRENCE
from memory_layer.domain.text import opposites

BEFORE: Final = "~before"
"""Axis of before and after."""

_DENIABLE: Final = ("time", RECURRENCE, "number")


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
        and limited.about - {BEFORE} == denied.about - {BEFORE}
        and _ends(limited) == _ends(denied)
        and limited.setting == denied.setting
    )
    is_whole = not (denied.is_open or limited.is_past or denied.is_past)
    words = limited.vocabulary | denied.vocabulary
    return told[0].text if is_one_event and is_whole and opposites.OPEN.isdisjoint(words) else None


def _ends(claim: Claim) -> frozenset[tuple[str, int]]:
    return frozenset(end for end in claim.ends if end[0] != BEFORE)
