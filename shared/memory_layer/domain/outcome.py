"""Effects of verdicts on a memory, and the drift of unused scores (SPEC 4.21, 4.30)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from memory_layer.domain.memory import Memory, OutcomeResult, Status, to_thousandths
from memory_layer.domain.policy import Policy


class VerdictStep(NamedTuple):
    """Change that a verdict makes to outcome_score and confidence, and whether it is still unseconded."""

    score: float
    confidence: float
    is_unseconded: bool = False


OUTCOME_STEPS: Mapping[OutcomeResult, VerdictStep] = {
    "worked": VerdictStep(0.2, 0.1),
    "failed": VerdictStep(-0.3, -0.1),
    "partial": VerdictStep(0.05, 0.0),
}
"""Failure costs more than success earns, so that a bad memory sinks instead of oscillating.

Source: Outcome-Ranked Engine, outcome learning; Project Memories, confidence changes.
"""

EVIDENCE: Mapping[OutcomeResult, tuple[float, float]] = {
    "worked": (1.0, 0.0),
    "failed": (0.0, 1.0),
    "partial": (0.5, 0.5),
}
"""Increments that one verdict adds to (worked_weight, failed_weight)."""

EVIDENCE_HALF_LIFE_DAYS = 90.0

DEACTIVATE_BELOW_CONFIDENCE = 0.2
ARCHIVE_BELOW_SCORE = -0.5
LOW_CONFIDENCE = f"confidence below {DEACTIVATE_BELOW_CONFIDENCE}"
LOW_OUTCOME = f"outcome_score below {ARCHIVE_BELOW_SCORE}"

DRIFT_AFTER_DAYS = 30
DRIFT_PERCENT_A_DAY = 5


class StandingVerdict(Protocol):
    """Verdict in force, which no later one replaced, as far as this module reads it."""

    @property
    def principal(self) -> str: ...
    @property
    def result(self) -> OutcomeResult: ...
    @property
    def at(self) -> datetime: ...
    @property
    def score_moved(self) -> float: ...
    @property
    def confidence_moved(self) -> float: ...


@dataclass(frozen=True, slots=True)
class AppliedVerdict:
    """Memory after a verdict, and the changes that the verdict made."""

    memory: Memory
    score_moved: float
    confidence_moved: float


def apply_verdict(
    memory: Memory, result: OutcomeResult, *, at: datetime, policy: Policy, step: VerdictStep | None = None
) -> AppliedVerdict:
    """Applies one verdict to a memory, one version on, unless it moves nothing that it should.

    Args:
        memory: the memory judged, before the verdict.
        result: the verdict.
        at: when it was reported.
        policy: the project's, for the expiry that a `worked` renews.
        step: the step that `verdict_bounds.allowed_move` permits; None for the whole step.

    Returns:
        The memory after it. A `failed` that can move neither score nor confidence (the budget is spent, or
        both are at the floor) is for the log alone: the memory comes back as it was, the use not counted.
    """
    step = OUTCOME_STEPS[result] if step is None else step
    score = _clamp(memory.outcome_score + step.score, -1.0)
    confidence = _clamp(memory.confidence + step.confidence, 0.0)
    moved = VerdictStep(
        to_thousandths(score - memory.outcome_score), to_thousandths(confidence - memory.confidence)
    )
    if not is_evidence(result, moved.score, moved.confidence):
        return AppliedVerdict(memory, moved.score, moved.confidence)
    judged = replace(
        memory,
        outcome_score=score,
        confidence=confidence,
        expires_at=_renewed_expiry(memory, result, at, policy),
        unseconded=_unseconded(memory, result, step, moved),
        version=memory.version + 1,
        **_counted(memory, result, at),
    )
    return AppliedVerdict(settle_status(judged), moved.score, moved.confidence)


def _unseconded(memory: Memory, result: OutcomeResult, step: VerdictStep, moved: VerdictStep) -> float:
    if step.is_unseconded:
        return to_thousandths(memory.unseconded - moved.score)
    return 0.0 if result == "failed" else memory.unseconded


def is_evidence(result: OutcomeResult, score_moved: float, confidence_moved: float) -> bool:
    """Tells whether a verdict is evidence: all are but a `failed` that moved nothing."""
    return result != "failed" or score_moved != 0.0 or confidence_moved != 0.0


def _clamp(score: float, low: float) -> float:
    return to_thousandths(min(1.0, max(low, score))) + 0.0  # no negative zero


def _counted(memory: Memory, result: OutcomeResult, at: datetime) -> dict[str, Any]:
    as_of = max(at, memory.last_used_at or at)
    worked, failed = decayed_evidence(memory, as_of)
    fresh = _decay(as_of - at)
    worked_more, failed_more = EVIDENCE[result]
    return {
        "worked_weight": to_thousandths(worked + worked_more * fresh),
        "failed_weight": to_thousandths(failed + failed_more * fresh),
        result: getattr(memory, result) + 1,
        "use_count": memory.use_count + 1,
        "last_used_at": as_of,
    }


def decayed_evidence(memory: Memory, at: datetime) -> tuple[float, float]:
    """Evidence (worked_weight, failed_weight) decayed to `at`: older evidence counts for less."""
    left = _decay(at - memory.last_used_at) if memory.last_used_at else 1.0
    return memory.worked_weight * left, memory.failed_weight * left


def _decay(elapsed: timedelta) -> float:
    days = max(0.0, elapsed / timedelta(days=1))
    return float(0.5 ** (days / EVIDENCE_HALF_LIFE_DAYS))


def _renewed_expiry(memory: Memory, result: OutcomeResult, at: datetime, policy: Policy) -> datetime | None:
    days = policy.expiry_days(memory.type)
    if result != "worked" or memory.expires_at is None or days is None or memory.has_expired(at):
        return memory.expires_at
    return max(memory.expires_at, at + timedelta(days=days))


def settle_status(memory: Memory) -> Memory:
    """Takes a memory that outcomes have refuted out of use; the outcome rule goes before the confidence rule."""
    verdict = _refutation(memory)
    if verdict is None or memory.status not in ("active", "stale"):
        return memory
    status, reason = verdict
    if memory.status == "stale":
        reason = f"{reason}; it was stale: {memory.status_reason or 'no reason given'}"[:1_024]
    return replace(memory, status=status, status_reason=reason)


def _refutation(memory: Memory) -> tuple[Status, str] | None:
    if memory.outcome_score < ARCHIVE_BELOW_SCORE:
        return "archived", LOW_OUTCOME
    if memory.confidence < DEACTIVATE_BELOW_CONFIDENCE:
        return "inactive", LOW_CONFIDENCE
    return None


def withdraw_verdict(memory: Memory, verdict: StandingVerdict, *, may_lift: bool = True) -> Memory:
    """Reverts an earlier verdict, so that another can replace it.

    Reverts exactly the scores and counts that it changed; its evidence, as far as that has decayed. A memory that it
    took out of active use is active again if nothing else keeps it out. An expiry that it renewed stays.

    Args:
        may_lift: False where a caller took the memory out of use in words like those of the outcome rules.

    Returns:
        The memory without it, in the same version: the verdict that replaces it makes the next one.
    """
    if not is_evidence(verdict.result, verdict.score_moved, verdict.confidence_moved):
        return memory
    left = _decay((memory.last_used_at or verdict.at) - verdict.at)
    worked_less, failed_less = EVIDENCE[verdict.result]
    counted: dict[str, Any] = {
        verdict.result: max(0, getattr(memory, verdict.result) - 1),
        "use_count": max(0, memory.use_count - 1),
        "worked_weight": to_thousandths(max(0.0, memory.worked_weight - worked_less * left)),
        "failed_weight": to_thousandths(max(0.0, memory.failed_weight - failed_less * left)),
    }
    score_moved = _move_after_drift(memory, verdict)
    score = _clamp(memory.outcome_score - score_moved, -1.0)
    confidence = _clamp(memory.confidence - verdict.confidence_moved, 0.0)
    unseconded = to_thousandths(max(0.0, memory.unseconded + min(0.0, score_moved)))
    counted |= {"outcome_score": score, "confidence": confidence, "unseconded": unseconded}
    withdrawn = replace(memory, **counted)
    return _reactivated(withdrawn) if may_lift else withdrawn


def _move_after_drift(memory: Memory, verdict: StandingVerdict) -> float:
    """Part of a verdict's change that drift has left; at least that much, where the memory was used in between."""
    if memory.drifted_at is None or memory.drifted_at <= verdict.at:
        return verdict.score_moved
    used = memory.last_used_at or verdict.at
    unused_since = used if used < memory.drifted_at else verdict.at
    return drift(verdict.score_moved, (memory.drifted_at - unused_since) // timedelta(days=1))


def _reactivated(memory: Memory) -> Memory:
    """Makes a memory active again if outcomes alone had taken it out of use, and no longer would."""
    if (memory.status, memory.status_reason) not in (("archived", LOW_OUTCOME), ("inactive", LOW_CONFIDENCE)):
        return memory
    return settle_status(replace(memory, status="active", status_reason=None))


def drift(score: float, unused_days: int, swept_days: int = 0) -> float:
    """Drifts the score of an unused memory toward 0: 5 % goes on every whole day beyond thirty unused.

    Args:
        score: outcome_score, -1..1.
        unused_days: whole days since the memory was last used.
        swept_days: `unused_days` of the sweep that left this score, so that no day counts twice.

    Returns:
        A score no further from 0. Each day rounds toward 0 in whole thousandths: it arrives there, and one
        sweep over many days gives what daily sweeps give.
    """
    left = abs(round(score * 1_000))
    for _ in range(max(DRIFT_AFTER_DAYS, swept_days), unused_days):
        left = left * (100 - DRIFT_PERCENT_A_DAY) // 100
        if left == 0:
            break
    return to_thousandths(left / 1_000 if score > 0 else -left / 1_000) + 0.0
