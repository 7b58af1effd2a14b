"""Answers about the uses of a memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_layer.domain.learning.verdict_counts import VerdictCounts
from memory_layer.domain.memory import OutcomeResult, TaskType
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.ports.commit import Verdict
from memory_layer.usecases.learn.estimate_outcome import OutcomeEstimate
from memory_layer.usecases.learn.read_uses import ShowingRecall


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictAnswer:
    """Verdict on a memory.

    Args:
        result: worked, partial or failed.
        principal: who reported it.
        session_id: the conversation that it was reported in.
        note: what happened, in their words.
        score_moved: how far the outcome score moved by it, after every bound.
        confidence_moved: how far the confidence moved by it.
        is_in_force: no later verdict or rollback has replaced it.
    """

    id: str
    result: OutcomeResult
    principal: str
    at: datetime
    session_id: str | None
    run_id: str | None
    recall_id: str | None
    note: str | None
    score_moved: float
    confidence_moved: float
    is_in_force: bool


@dataclass(frozen=True, slots=True)
class VerdictsAnswer:
    """Verdicts on a memory, at most 200. Args: verdicts: the last first."""

    verdicts: Sequence[VerdictAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowingRecallAnswer:
    """Recall, prompt or context that showed a memory.

    Args:
        principal: who was shown it.
        place: number of the memory on the page, from 1.
        shown: how many memories the page had.
        run_id: the run that asked; null: none was named.
        chance: probability with which an exploring list's draws show it, before the order of trust; null: it did not
            explore, or the memory was on trial.
    """

    recall_id: str
    principal: str
    at: datetime
    place: int
    shown: int
    run_id: str | None
    chance: float | None


@dataclass(frozen=True, slots=True)
class ShowingRecallsAnswer:
    """Recalls that showed a memory, of the project's last 1,000, at most 200. Args: recalls: the last first."""

    recalls: Sequence[ShowingRecallAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceAnswer:
    """Evidence of runs that cited nothing, in verdicts that fade.

    Args:
        worked: how many speak for the memory; verdicts of runs with less weight, or of long ago, count as parts of one.
        failed: how many speak against it, counted in the same way.
    """

    worked: float
    failed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KindEstimateAnswer:
    """Estimate for one kind of task.

    Args:
        mean: chance that the memory serves.
        deviation: standard deviation of that chance.
    """

    task_type: TaskType
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeEstimateAnswer:
    """Estimate of how well a memory serves the caller, and what it rests on.

    Args:
        mean: chance that it serves, 0 to 1, by the runs that were shown it and cited nothing; .5: nothing is known.
        deviation: standard deviation of that chance.
        low: lower end of the range in which the chance lies with 90 %; far from `high`: little is known yet.
        high: upper end of that range.
        own: evidence of the caller's own runs, which counts in full.
        others: evidence of persons' runs, and of other agents' as far as two agree.
        inherited: evidence on the memory that it took the place of or was copied from, counted at half.
        voices: how many other callers have had runs that were shown it.
        exploration: how much lists go by this estimate; 0: not at all.
        outcome_score: what verdicts that named it have taught; nothing of the above moves it.
        by_task_type: the estimate for each kind of task that it was shown in.
    """

    id: str
    mean: float
    deviation: float
    low: float
    high: float
    own: EvidenceAnswer
    others: EvidenceAnswer
    inherited: EvidenceAnswer
    voices: int
    exploration: float
    outcome_score: float
    worked: int
    failed: int
    partial: int
    by_task_type: Sequence[KindEstimateAnswer]


def estimate_json(estimate: OutcomeEstimate) -> dict[str, Any]:
    counts, (low, high) = estimate.weak.counts, estimate.interval
    return document(
        answer_from(
            OutcomeEstimateAnswer,
            estimate.memory,
            mean=round(counts.mean, 3),
            deviation=round(counts.deviation, 3),
            low=round(low, 3),
            high=round(high, 3),
            own=_evidence(estimate.weak.own),
            others=_evidence(estimate.weak.others),
            inherited=_evidence(estimate.weak.inherited),
            voices=estimate.weak.voices,
            exploration=estimate.exploration,
            by_task_type=[
                KindEstimateAnswer(
                    task_type=kind,
                    mean=round(pooled.counts.mean, 3),
                    deviation=round(pooled.counts.deviation, 3),
                )
                for kind, pooled in estimate.by_task_type.items()
            ],
        )
    )


def _evidence(counts: VerdictCounts) -> EvidenceAnswer:
    return EvidenceAnswer(worked=round(counts.worked, 3), failed=round(counts.failed, 3))


def verdicts_json(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    said = [answer_from(VerdictAnswer, one, is_in_force=one.replaced_by is None) for one in verdicts]
    return document(VerdictsAnswer(said))


def recalls_json(recalls: Iterable[ShowingRecall]) -> dict[str, Any]:
    found = [
        answer_from(
            ShowingRecallAnswer,
            one.receipt,
            place=one.place,
            shown=len(one.receipt.refs),
            chance=one.chance,
        )
        for one in recalls
    ]
    return document(ShowingRecallsAnswer(found))
