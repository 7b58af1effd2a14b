"""Outcome signal of ranking (SPEC 4.25, 4.29)."""

from datetime import datetime
from typing import NamedTuple

from memory_layer.domain.memory import Memory
from memory_layer.domain.outcome import decayed_evidence
from memory_layer.domain.policy import OutcomeModel

FAILURE_WEIGHT = 1.5
"""Failing evidence against working evidence in the beta model: the ratio of the fixed steps, .3 to .2."""

PRIOR_WORKED, PRIOR_FAILED = 2.0, 2.0
"""Pseudo-counts of the prior; one `worked` makes .600 and one `failed` .364, near the fixed model's .600 and .350."""


class OutcomeBasis(NamedTuple):
    """Outcome values that ranking uses: a memory's own, without an unseconded verdict of a stranger."""

    outcome_score: float
    confidence: float
    use_count: int
    worked_weight: float
    failed_weight: float


def outcome_basis(memory: Memory, at: datetime) -> OutcomeBasis:
    """Outcome values of a memory for ranking, so that one hostile verdict moves no trusted memory up or down a list.

    Args:
        at: evidence is decayed to this moment.
    """
    worked, failed = decayed_evidence(memory, at)
    if not memory.unseconded:
        return OutcomeBasis(memory.outcome_score, memory.confidence, memory.use_count, worked, failed)
    return OutcomeBasis(
        min(1.0, memory.outcome_score + memory.unseconded),
        memory.confidence,
        max(0, memory.use_count - 1),
        worked,
        max(0.0, failed - 1.0),
    )


def outcome_signal(standing: OutcomeBasis, model: OutcomeModel) -> float:
    """Ranking signal for how well a memory has served.

    Args:
        model: `fixed` maps outcome_score; `beta` takes the mean of a Beta posterior over decayed evidence.

    Returns:
        0..1; .5 for a memory that nobody has judged.
    """
    if model == "fixed":
        return (standing.outcome_score + 1.0) / 2.0
    worked = standing.worked_weight + PRIOR_WORKED
    return worked / (worked + PRIOR_FAILED + FAILURE_WEIGHT * standing.failed_weight)
