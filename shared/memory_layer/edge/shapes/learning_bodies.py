"""Runs, staged learnings and their promotion as JSON, and their models in openapi.json."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, Strict

from memory_layer.domain.fields import rfc3339
from memory_layer.domain.learning.run import RunMode, RunRecord, RunStatus
from memory_layer.domain.learning.staging import LearningType, StagedLearning, StagedStatus
from memory_layer.domain.memory import OutcomeResult, TaskType
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN


class LearningToJudge(BaseModel):
    """A learning to judge; omitted: all that are pending."""

    model_config = REFUSE_UNKNOWN
    learning: Annotated[
        dict[str, Any] | None, Field(description="type, task_type, content, confidence …")
    ] = None


class PromoteStaging(BaseModel):
    """Options of a promotion: judging pending learnings first, removing promoted ones from the staging area."""

    model_config = REFUSE_UNKNOWN
    auto_validate: Annotated[bool, Strict()] = True
    clear_after: Annotated[bool, Strict()] = False


class RunAnswer(BaseModel):
    """Run and its result; the counts are missing until it has ended.

    `verdict` is null for a run that crashed: it blames nothing.
    """

    run_id: str
    objective: str
    status: RunStatus
    verdict: OutcomeResult | None
    task_type: TaskType
    mode: RunMode
    iterations: int
    memories_used: list[str]
    created_by: str
    persona: str | None
    received_at: datetime
    finished_at: datetime | None
    extracted: int | None = None
    staged: int | None = None
    validated: int | None = None
    rejected: int | None = None
    promoted: int | None = None
    merged: int | None = None
    credited: int | None = None


class RunsAnswer(BaseModel):
    runs: list[RunAnswer]
    next_cursor: str | None


class LearningAnswer(BaseModel):
    type: LearningType
    task_type: TaskType
    content: str
    detail: dict[str, Any]
    confidence: float
    success_rate: float
    source_runs: list[str]


class StagedAnswer(BaseModel):
    """Learning on its way, with each decision on it and its author."""

    id: str
    run_id: str
    status: StagedStatus
    rejection_reason: str | None
    staged_at: datetime
    validated_at: datetime | None
    decided_by: str | None
    decided_at: datetime | None
    memory_id: str | None
    persona: str | None
    learning: LearningAnswer


class StagingAnswer(BaseModel):
    staged: list[StagedAnswer]
    counts: dict[str, int]
    next_cursor: str | None


class JudgedAnswer(BaseModel):
    validated: int | None = None
    rejected: int | None = None
    valid: bool | None = None
    reason: str | None = None


class PromotedAnswer(BaseModel):
    promoted: int
    merged: int
    skipped: int


class ClearedAnswer(BaseModel):
    cleared: int


def run_json(record: RunRecord) -> dict[str, Any]:
    return {
        "run_id": record.run_id,
        "objective": record.objective,
        "status": record.status,
        "verdict": record.verdict,
        "task_type": record.task_type,
        "mode": record.mode,
        "iterations": record.iterations,
        "memories_used": list(record.memories_used),
        "created_by": record.created_by,
        "persona": record.persona,
        "received_at": rfc3339(record.received_at),
        "finished_at": _instant(record.finished_at),
        **(record.result or {}),
    }


def staged_json(staged: StagedLearning) -> dict[str, Any]:
    learning = asdict(staged.learning)
    return {
        "id": staged.id,
        "run_id": staged.run_id,
        "status": staged.status,
        "rejection_reason": staged.rejection_reason,
        "staged_at": rfc3339(staged.staged_at),
        "validated_at": _instant(staged.validated_at),
        "decided_by": staged.decided_by,
        "decided_at": _instant(staged.decided_at),
        "memory_id": staged.memory_id,
        "persona": staged.persona,
        "learning": {**learning, "source_runs": list(learning["source_runs"])},
    }


def _instant(moment: datetime | None) -> str | None:
    return None if moment is None else rfc3339(moment)
