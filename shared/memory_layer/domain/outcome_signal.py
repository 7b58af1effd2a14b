"""What ranking goes by of what outcomes have taught (SPEC 4.25, 4.29)."""

from datetime import datetime
from typing import NamedTuple

from memory_layer.domain.memory import Memory
from memory_layer.domain.outcome import decayed_evidence
from memory_layer.domain.policy import OutcomeModel

FAILURE_WEIGHT = 1.5
"""Failing evidence against working evidence in the beta model: the ratio of the fixed steps, .3 to .2."""

PRIOR_WORKED, PRIOR_FAILED = 2.0, 2.0
"""With these one `worked` makes .600 and one `failed` .364, near the fixed model's .600 and .350."""


class OutcomeBasis(NamedTuple):
    """What ranking may go by: a memory's record without what one stranger alone said against it."""

    outcome_score: float
    confidence: float
    use_count: int
    worked_weight: float
    failed_weight: float


def standing_of(memory: Memory, at: datetime) -> OutcomeBasis:
    """The memory's standing, so that one hostile voice moves no trusted memory up or down a list.

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
    """How well a memory has served, as a ranking signal.

    Args:
        model: `fixed` maps outcome_score; `beta` takes the mean of a Beta posterior over decayed evidence.

    Returns:
        0..1; .5 for a memory that nobody has judged.
    """
    if model == "fixed":
        return (standing.outcome_score + 1.0) / 2.0
    worked = standing.worked_weight + PRIOR_WORKED
    return worked / (worked + PRIOR_FAILED + FAILURE_WEIGHT * standing.failed_weight)
