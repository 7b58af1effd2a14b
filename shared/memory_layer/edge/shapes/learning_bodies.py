"""Runs, staged learnings and their promotion as JSON, and their models in openapi.json."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, Strict

from memory_layer.domain.learning.run import RunMode, RunRecord, RunStatus
from memory_layer.domain.learning.staging import Learning, StagedLearning, StagedStatus
from memory_layer.domain.learning.tool_tellings import ToolFailure
from memory_layer.domain.memory import OutcomeResult, TaskType
from memory_layer.edge.shapes.answer_fields import SPREAD, answer_from, document
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.usecases.learn.learn_from_run import RunReceipt
from memory_layer.usecases.learn.read_runs import RunHistory
from memory_layer.usecases.review.review_staging import StagingPage


class LearningToJudge(BaseModel):
    """A learning to judge; omitted: all that are pending."""

    model_config = REFUSE_UNKNOWN
    learning: Annotated[
        dict[str, Any] | None, Field(description="type, task_type, content, confidence …")
    ] = None


class PromoteStaging(BaseModel):
    """Options of a promotion: judging pending learnings first, removing promoted ones from the staging area."""

    model_config = REFUSE_UNKNOWN
    auto_validate: Annotated[bool, Strict(), Field(description="Judge pending learnings first.")] = True
    clear_after: Annotated[
        bool, Strict(), Field(description="Take out of the staging area what was promoted.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCounts:
    """Counts of what became of a run's learnings; missing until it has ended.

    Args:
        extracted: learnings found in it.
        staged: of these, those put into the staging area.
        validated, rejected: those that passed the judgement, and those that did not.
        promoted: those that became memories.
        merged: those that known memories took in.
        credited: memories that it used, and that its verdict counted for.
    """

    extracted: int | None = None
    staged: int | None = None
    validated: int | None = None
    rejected: int | None = None
    promoted: int | None = None
    merged: int | None = None
    credited: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAnswer:
    """Run and its result; the counts are missing until it has ended.

    `verdict` is null for a run that crashed, or that `failed_by` its tools: it blames nothing.

    Args:
        objective: what it was to do.
        status: how it ended.
        verdict: what it says of the memories that it used.
        failed_by: the failure of a tool that ended it; null: none did.
        mode: when its learnings become memories.
        iterations: how many it took.
        memories_used: ids of the memories that it had.
        recall_ids: recalls, prompts and contexts that it was shown.
        unknown: ids of the report that are of no memory and no recall; missing: there are none, or it is read later.
        created_by: who reported it.
        received_at: when it was reported.
        finished_at: when all was learned from it; null: not yet.
    """

    run_id: str
    objective: str
    status: RunStatus
    verdict: OutcomeResult | None
    failed_by: ToolFailure | None
    task_type: TaskType
    mode: RunMode
    iterations: int
    memories_used: Sequence[str]
    recall_ids: Sequence[str]
    unknown: Sequence[str] | None = None
    created_by: str
    persona: str | None
    received_at: datetime
    finished_at: datetime | None
    counts: Annotated[RunCounts, SPREAD]


@dataclass(frozen=True, slots=True)
class RunsAnswer:
    """Page of runs, newest first.

    Args:
        runs: the newest first.
    """

    runs: Sequence[RunAnswer]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class ShownMemoryAnswer:
    """Memory that a run was shown. Args: version: as it was then."""

    project: str
    id: str
    version: int


@dataclass(frozen=True, slots=True)
class ShownListAnswer:
    """List that a run was shown. Args: memories: in their order on the page."""

    recall_id: str
    at: datetime
    memories: Sequence[ShownMemoryAnswer]


@dataclass(frozen=True, slots=True)
class RunHistoryAnswer:
    """Run with all its iterations.

    Args:
        run: as it is listed.
        iterations: as they were reported, without secrets; null: the run is older than histories are.
        shown: the lists that it was shown.
    """

    run: RunAnswer
    iterations: Sequence[Mapping[str, Any]] | None
    shown: Sequence[ShownListAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedAnswer:
    """Learning on its way, with each decision on it and its author.

    Args:
        run_id: the run that it comes from.
        status: how far it has come.
        rejection_reason: why it was rejected.
        staged_at: when it was put here.
        validated_at: when it passed the judgement.
        decided_by, decided_at: who decided on it, and when.
        memory_id: the memory that it became.
        learning: what was learned.
    """

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
    learning: Learning


@dataclass(frozen=True, slots=True)
class StagingAnswer:
    """Page of staged learnings, with the counts of all statuses.

    Args:
        staged: the learnings of this page.
        counts: how many there are in each status, and in `total`.
    """

    staged: Sequence[StagedAnswer]
    counts: Mapping[str, int]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """Judgement of all that were pending, or of the one that was posted.

    Args:
        validated, rejected: how many passed, and how many did not.
        valid: the posted one passes; `reason`: why it does not.
    """

    validated: int | None = None
    rejected: int | None = None
    valid: bool | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ClearedAnswer:
    """Number of learnings that were taken out.

    Args:
        cleared: how many were taken out.
    """

    cleared: int


def run_json(record: RunRecord) -> dict[str, Any]:
    return document(_run(record))


def reported_run_json(receipt: RunReceipt) -> dict[str, Any]:
    """Run as its reporter is answered: with the ids of its report that nobody knows."""
    return document(replace(_run(receipt.record), unknown=receipt.unknown or None))


def runs_json(records: Sequence[RunRecord], next_cursor: str | None) -> dict[str, Any]:
    return document(RunsAnswer([_run(record) for record in records], next_cursor))


def _run(record: RunRecord) -> RunAnswer:
    result = record.result or {}
    counts = RunCounts(**{one.name: result.get(one.name) for one in fields(RunCounts)})
    recall_ids = [one.recall_id for one in record.shown]
    return answer_from(RunAnswer, record, counts=counts, recall_ids=recall_ids, unknown=None)


def history_json(history: RunHistory) -> dict[str, Any]:
    shown = [
        ShownListAnswer(one.recall_id, one.at, [ShownMemoryAnswer(*memory) for memory in one.memories])
        for one in history.record.shown
    ]
    return document(RunHistoryAnswer(_run(history.record), history.steps, shown))


def staged_json(staged: StagedLearning) -> dict[str, Any]:
    return document(answer_from(StagedAnswer, staged))


def staging_json(listed: StagingPage, next_cursor: str | None) -> dict[str, Any]:
    staged = [answer_from(StagedAnswer, item) for item in listed.page.staged]
    counts = {str(status): count for status, count in listed.counts.items()}
    return document(StagingAnswer(staged, {**counts, "total": sum(counts.values())}, next_cursor))
