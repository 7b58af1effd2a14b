"""Staged learnings on their way to becoming memories: validated, rejected or promoted."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Literal, NamedTuple, get_args

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.memory import LEARNING_ID_PREFIX, REASON_MAX_CHARS, TaskType
from memory_layer.domain.text.same_words import plain_form
from memory_layer.domain.text_rules import storable

LearningType = Literal["strategy", "antipattern", "estimate", "convention", "learning"]
"""Loop Learning has the first four; a `learning` is what an iteration said, in its own words (SPEC 6.9)."""

StagedStatus = Literal["pending", "validated", "rejected", "promoted"]

STAGED_DAYS = 30
"""Retention of a learning after it was promoted or rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """Learning of one or several runs. Scores are multiples of 0.001; `detail` holds the numbers and examples.

    `success_rate` is None for what was said and never measured; `source_runs` are in order of their names.

    Args:
        type: the kind of memory that it becomes.
        task_type: the kind of task that it helps with.
        content: what was learned.
        detail: numbers and examples beside the words.
        confidence: how far to believe it, 0 to 1.
        success_rate: how often it worked; null: it was never measured.
        source_runs: the runs that taught it.
    """

    type: LearningType
    task_type: TaskType
    content: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    confidence: float
    success_rate: float | None
    source_runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedLearning:
    """Learning of one run with its status; `version` counts its changes from 1.

    `memory_id` names the memory that it became or, if `is_merged`, that it was merged into.
    """

    id: str
    run_id: str
    learning: Learning
    status: StagedStatus = "pending"
    rejection_reason: str | None = None
    staged_at: datetime
    validated_at: datetime | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    memory_id: str | None = None
    is_merged: bool = False
    created_by: str
    persona: str | None = None
    version: int = 1

    @property
    def kept_until(self) -> datetime | None:
        """End of retention of a promoted or rejected learning; None: it still waits for promotion or rejection."""
        if self.status not in ("promoted", "rejected"):
            return None
        return (self.decided_at or self.validated_at or self.staged_at) + timedelta(days=STAGED_DAYS)


class LearningRefusal(NamedTuple):
    """Result of a rejection: the rejected learning; or the learning as it was, with the problem in words.

    The same object as before without a problem: it was rejected already, and there is nothing to write.
    """

    staged: StagedLearning
    problem: str | None = None


STAGED_ID_PREFIX = "stg_"
_ID_DIGITS = 32


def learning_id(learning: Learning, persona: str | None) -> str:
    """Id of the memory that a learning becomes: the same for the same learning of any run.

    The id follows from the content, regardless of case; an estimate's sentence changes with its counts, so its id
    follows from its complexity. What was said in an iteration holds for every kind of task, however it is marked up.
    """
    if learning.type == "learning":
        return LEARNING_ID_PREFIX + _digest([persona, learning.type, None, plain_form(learning.content)])
    complexity = learning.detail.get("complexity") if learning.type == "estimate" else None
    key = str(complexity) if complexity else learning.content.casefold()
    return LEARNING_ID_PREFIX + _digest([persona, learning.type, learning.task_type, key])


def staged_id(run_id: str, learning_id: str) -> str:
    """Id of a learning of one run: staging it again writes the same row."""
    return STAGED_ID_PREFIX + _digest([run_id, learning_id])


def _digest(named: list[str | None]) -> str:
    return sha256(canonical_json(named).encode()).hexdigest()[:_ID_DIGITS]


MIN_CONFIDENCE = 0.3
ANTIPATTERN_MAX_SUCCESS_RATE = 0.2
STRATEGY_MIN_SUCCESS_RATE = 0.5

_VALIDATED = ("type", "task_type", "content", "confidence", "success_rate")


def validate(learning: Mapping[str, Any]) -> str | None:
    """Reason that a learning must not become a memory, None if it may; in the order and the words of its source.

    Args:
        learning: any JSON object; NaN, booleans and texts are no numbers from 0 to 1.

    Source: Loop Learning, validation criteria.
    """
    fields: Mapping[str, Any] = dict.fromkeys(_VALIDATED) | dict(learning)
    type_, confidence, success_rate = fields["type"], fields["confidence"], fields["success_rate"]
    if any(_is_missing(fields[name]) for name in ("type", "task_type", "content")):
        return "Missing required fields"
    if type_ not in get_args(LearningType):
        return f"Invalid type: {storable(type_ if isinstance(type_, str) else canonical_json(type_))[:100]}"
    if not _is_share(confidence):
        return "Confidence must be between 0 and 1"
    is_unmeasured = type_ == "learning" and success_rate is None
    if not (is_unmeasured or _is_share(success_rate)):
        return "Success rate must be between 0 and 1"
    return _weakness(type_, float(confidence), float(success_rate or 0))


def _weakness(type_: str, confidence: float, success_rate: float) -> str | None:
    if confidence < MIN_CONFIDENCE:
        return f"Confidence too low (< {MIN_CONFIDENCE})"
    if type_ == "antipattern" and success_rate > ANTIPATTERN_MAX_SUCCESS_RATE:
        return "Anti-patterns should have low success rate"
    if type_ == "strategy" and success_rate < STRATEGY_MIN_SUCCESS_RATE:
        return f"Strategies should have success rate >= {STRATEGY_MIN_SUCCESS_RATE}"
    return None


def _is_missing(value: Any) -> bool:
    return not value or (isinstance(value, str) and not value.strip())


def _is_share(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= 1


def validate_staged(staged: StagedLearning, at: datetime) -> StagedLearning:
    """Validates a pending learning; returns any other as it is."""
    if staged.status != "pending":
        return staged
    learning = staged.learning
    reason = validate({name: getattr(learning, name) for name in _VALIDATED})
    if reason is None:
        return _moved(staged, "validated", validated_at=at)
    return _moved(staged, "rejected", rejection_reason=reason, decided_at=at)


def reject_learning(staged: StagedLearning, reason: str, by: str, at: datetime) -> LearningRefusal:
    """Rejects a learning on a person's word, so that it does not become a memory."""
    if staged.status == "rejected":
        return LearningRefusal(staged)
    if staged.status == "promoted":
        return LearningRefusal(
            staged, f"{staged.id} is promoted; reject the memory {staged.memory_id} that it became instead"
        )
    shortened = reason[:REASON_MAX_CHARS]
    return LearningRefusal(
        _moved(staged, "rejected", rejection_reason=shortened, decided_by=by, decided_at=at)
    )


def mark_promoted(
    staged: StagedLearning, memory_id: str, *, is_merged: bool, by: str, at: datetime
) -> StagedLearning:
    """Marks a validated learning as promoted to, or merged into, a memory; returns any other as it is."""
    if staged.status != "validated":
        return staged
    return _moved(staged, "promoted", memory_id=memory_id, is_merged=is_merged, decided_by=by, decided_at=at)


def _moved(staged: StagedLearning, status: StagedStatus, **changed: Any) -> StagedLearning:
    return replace(staged, status=status, version=staged.version + 1, **changed)
