"""Conflicts among the chosen fragments: which of two yields, and which are left to the reader."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final, NamedTuple

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.conflicts.contradiction import (
    CANDIDATE_COSINE,
    ComparedStatement,
    Contradiction,
    contradiction,
)
from memory_layer.domain.conflicts.precedence import FLAG_SEVERITY, decide_precedence
from memory_layer.domain.context.fragments import LAYERS, FragmentConflict, Offer, Strategy
from memory_layer.domain.doubt import stands_back
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.domain.memory import Memory, to_thousandths
from memory_layer.domain.text.digest_cache import DigestCache

CONFLICT_COSINE: Final = 0.6
"""Least cosine of pairs that are compared; 95 % of the labelled contradictions have more
(tests/unit/domain/conflicts/test_contradiction.py)."""

PAIRS_MAX: Final = 64
"""Most pairs compared, the most alike first: extracting the claims of two texts takes a tenth of a millisecond."""

JUDGED_MAX: Final = 8_192
"""Most pairs of which the judgement is kept, some 200 bytes each."""

CONFIDENCE: Final[dict[Strategy, float]] = {"merge": 1.0, "precedence": 0.8, "flag": 0.6, "user_choice": 0.6}
"""Source: Context Assembly, conflict resolution; `user_choice` is a flag that two people stand behind."""


class SettledConflict(NamedTuple):
    """Conflict, and the index of the offer that yields, or None."""

    conflict: FragmentConflict
    pair: tuple[int, int]
    loser: int | None


def settled_conflicts(
    offers: Sequence[Offer],
    chosen: Sequence[int],
    alike: NDArray[np.float64],
    sensitivity: float,
    kept_pairs: frozenset[frozenset[str]] = frozenset(),
) -> list[SettledConflict]:
    """Finds and settles the contradictions among the chosen, the most alike pairs first.

    Args:
        chosen: indices of offers, best first.
        alike: cosines of all offers, shape (n, n), thousandths.
        sensitivity: > 0; factor on every severity, and divisor of the cosine from which pairs are compared
            (near-duplicates always are).
        kept_pairs: ids of two that a person has kept both of: they are no conflict.
    """
    bound = min(DUPLICATE_COSINE, max(CANDIDATE_COSINE, CONFLICT_COSINE / sensitivity))
    found = (
        (one, other, judged)
        for one, other in islice(_pairs(chosen, alike, bound), PAIRS_MAX)
        if not kept_pairs or frozenset((offers[one].memory.id, offers[other].memory.id)) not in kept_pairs
        if (judged := contradicts(offers[one].memory, offers[other].memory, float(alike[one, other])))
    )
    return [_settled(offers, one, other, judged, sensitivity) for one, other, judged in found]


def contradicts(one: Memory, other: Memory, cosine: float) -> Contradiction | None:
    """Contradiction of two memories, judged once for two texts: the same pairs stand in many contexts."""
    if cosine < CANDIDATE_COSINE:
        return None
    return _judgements.of(json.dumps([_said(one), _said(other)]))


def _said(memory: Memory) -> tuple[Any, ...]:
    """Fields of `statement_of`, in their order."""
    return memory.content, memory.entities, memory.category, memory.type, memory.is_approved


def _judged(text: str) -> Contradiction | None:
    one, other = (
        ComparedStatement(content, tuple(entities), *standing)
        for content, entities, *standing in json.loads(text)
    )
    return contradiction(one, other, cosine=1.0)


_judgements: Final = DigestCache(_judged, JUDGED_MAX)


def _pairs(chosen: Sequence[int], alike: NDArray[np.float64], bound: float) -> list[tuple[int, int]]:
    rows = np.array(sorted(chosen), dtype=np.intp)
    among = alike[np.ix_(rows, rows)]
    ones, others = np.nonzero(among >= bound)
    is_first = ones < others
    ones, others = ones[is_first], others[is_first]
    order = np.lexsort((others, ones, -among[ones, others]))
    return [(int(rows[ones[at]]), int(rows[others[at]])) for at in order]


def _settled(
    offers: Sequence[Offer], one: int, other: int, found: Contradiction, sensitivity: float
) -> SettledConflict:
    severity = to_thousandths(min(1.0, found.severity * sensitivity))
    mine, theirs = offers[one], offers[other]
    ids = (mine.memory.id, theirs.memory.id)
    if severity < FLAG_SEVERITY:
        loser, reasoning = _yields(mine, theirs, replace(found, severity=severity))
        if loser is not None:
            conflict = FragmentConflict(ids, severity, "precedence", CONFIDENCE["precedence"], reasoning)
            return SettledConflict(conflict, (one, other), other if loser is theirs else one)
    are_approved = mine.memory.is_approved and theirs.memory.is_approved
    strategy: Strategy = "user_choice" if are_approved and mine.layer == theirs.layer else "flag"
    who = (
        "people approved both: choose one"
        if strategy == "user_choice"
        else "both are shown: a person decides"
    )
    reasoning = f"{found.reason}; severity {severity:.2f}; {who}"
    return SettledConflict(
        FragmentConflict(ids, severity, strategy, CONFIDENCE[strategy], reasoning), (one, other), None
    )


def _yields(mine: Offer, theirs: Offer, found: Contradiction) -> tuple[Offer | None, str]:
    """Offer that yields, with the reasoning: an unreviewed one to a trusted one, unless two principals found that
    wrong; else the lower layer's; in one layer by precedence; None: neither."""
    holds = mine.memory.is_trusted and not stands_back(mine.memory)
    if holds != (theirs.memory.is_trusted and not stands_back(theirs.memory)):
        winner, loser = (mine, theirs) if holds else (theirs, mine)
        return loser, f"{found.reason}; {winner.memory.id} is vouched for, {loser.memory.id} is not"
    if mine.layer != theirs.layer:
        winner, loser = sorted((mine, theirs), key=lambda offer: LAYERS.index(offer.layer))
        return loser, f"{found.reason}; {winner.layer} goes before {loser.layer}"
    resolution = decide_precedence(mine.memory, theirs.memory, found)
    if resolution.winner is None:
        return None, resolution.reasoning
    return (theirs if resolution.winner == mine.memory.id else mine), resolution.reasoning


def yielding_offers(settled: Sequence[SettledConflict]) -> dict[int, SettledConflict]:
    """Conflicts by the offer that yields; none yields to one that yields itself: without it both may be right."""
    losers: dict[int, SettledConflict] = {}
    for each in settled:
        if each.loser is not None and losers.keys().isdisjoint(each.pair):
            losers[each.loser] = each
    return losers


def duplicate_conflict(kept: Memory, dropped: Memory, cosine: float) -> FragmentConflict:
    """Conflict of two memories that say the same: one stands for both."""
    reasoning = f"they say the same; {kept.id} stands for both"
    return FragmentConflict((kept.id, dropped.id), 0.0, "merge", to_thousandths(min(1.0, cosine)), reasoning)
