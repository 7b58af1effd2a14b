"""Outcome signal of ranking (SPEC 4.25, 4.29)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memory_layer.domain.arrays import np
from memory_layer.domain.outcome import EVIDENCE_HALF_LIFE_DAYS
from memory_layer.domain.policy import OutcomeModel
from memory_layer.domain.retrieval.facts import ALWAYS, DAY_US, microseconds

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column
    from memory_layer.domain.retrieval.facts import Facts

FAILURE_WEIGHT = 1.5
"""Failing evidence against working evidence in the beta model: the ratio of the fixed steps, .3 to .2."""

PRIOR_WORKED, PRIOR_FAILED = 2.0, 2.0
"""Pseudo-counts of the prior; one `worked` makes .600 and one `failed` .364, near the fixed model's .600 and .350."""


class OutcomeBasis(NamedTuple):
    """Outcome values that ranking uses: the memories' own, without unseconded verdicts of a stranger; shape (n,).

    Args:
        outcome_score: -1..1.
        helpful_uses: uses that the evidence speaks for; a failure is no fame.
        worked_weight, failed_weight: decayed evidence.
    """

    outcome_score: Column
    helpful_uses: Column
    worked_weight: Column
    failed_weight: Column


def outcome_basis(facts: Facts, at: datetime) -> OutcomeBasis:
    """Outcome values of memories for ranking, so that one hostile verdict moves no trusted memory up or down a list.

    Args:
        at: evidence is decayed to this moment.
    """
    moment = microseconds(at)
    unused_us = moment - np.where(facts["last_used_at"] == ALWAYS, moment, facts["last_used_at"])
    left = 0.5 ** (np.maximum(0, unused_us) / DAY_US / EVIDENCE_HALF_LIFE_DAYS)
    unseconded = facts["unseconded"] / 1000
    is_alone = unseconded != 0.0
    worked = facts["worked_weight"] / 1000
    failed = np.where(is_alone, 0.0, facts["failed_weight"] / 1000)
    return OutcomeBasis(
        np.minimum(1.0, facts["outcome_score"] / 1000 + unseconded),
        np.maximum(0, facts["use_count"] - is_alone) * _shares_worked(worked, failed),
        worked * left,
        failed * left,
    )


def _shares_worked(worked: Column, failed: Column) -> Column:
    """Shares of the evidence that speak for each memory, 0..1; 1 where there is none."""
    whole = worked + failed
    return np.divide(worked, whole, out=np.ones(len(whole)), where=whole > 0.0)


def outcome_signal(standing: OutcomeBasis, model: OutcomeModel) -> Column:
    """Ranking signal for how well each memory has served.

    Args:
        model: `fixed` maps outcome_score; `beta` takes the mean of a Beta posterior over decayed evidence.

    Returns:
        0..1; .5 for a memory that nobody has judged.
    """
    if model == "fixed":
        return (standing.outcome_score + 1.0) / 2.0
    worked = standing.worked_weight + PRIOR_WORKED
    return worked / (worked + PRIOR_FAILED + FAILURE_WEIGHT * standing.failed_weight)
