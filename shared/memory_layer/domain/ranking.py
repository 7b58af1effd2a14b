"""Ranking: the signals of a memory, and the profiles that weigh them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final, Literal

from memory_layer.domain.globs import glob_matches
from memory_layer.domain.memory import Category, Memory, TaskType
from memory_layer.domain.scope_tags import WriteScope

LEARNED_WEIGHTS: Mapping[str, float] = {
    "semantic": 0.35,
    "outcome": 0.25,
    "recency": 0.15,
    "frequency": 0.15,
    "confidence": 0.10,
}
"""Five signals, relevance first and outcome as the tie-breaker (Outcome-Ranked Engine, weights)."""

CATEGORY_BOOSTS: Mapping[Category, float] = {
    "troubleshooting": 1.5,
    "gotcha": 1.4,
    "decision": 1.4,
    "pattern": 1.3,
    "convention": 1.3,
    "architecture": 1.2,
    "command": 1.2,
    "workaround": 1.1,
}
"""Factors on memories of the category that the query asks for (Outcome-Ranked Engine, category boosts)."""

RELEVANCE_MARGIN = 0.4
"""Deficit of relevance that experience can make up for; set by the learning benchmark."""

EXPERIENCE_WEIGHT = sum(weight for name, weight in LEARNED_WEIGHTS.items() if name != "semantic")

RECENCY_SCALE_DAYS = 30.0
FREQUENCY_SATURATION = 100

GOVERNED_MIN_CONFIDENCE = 0.3

TASK_WEIGHTS: Mapping[str, float] = {"confidence": 0.4, "task_type": 0.3, "success_rate": 0.2, "recency": 0.1}
"""Relevance to a task (Loop Learning, relevance scoring)."""

TASK_RECENCY_DAYS = 90
UNKNOWN_SUCCESS_RATE = 0.5
KNOWN_ERROR_BONUS = 0.3
FIRST_OF_ALL = 2.0
"""Score that puts a memory before all others: more than any confidence, or relevance to a task, is."""


@dataclass(slots=True)  # never changed; a frozen one takes six times as long to make
class Signals:
    """Ranking signals of a memory, all 0..1 but `boost`, a factor from 1 to 1.5.

    `semantic` is the blended relevance to the query, `lexical` the share of the keyword arm in it; `formula`, 0 to
    1.5, the weighted sum of all (Outcome-Ranked Engine), which is shown and does not order.

    Args:
        semantic: blended relevance to the query.
        lexical: share of the keywords in that relevance.
        outcome: how well it has worked, by its verdicts.
        recency: how lately it was changed or used.
        frequency: how often it was used and helped.
        confidence: how far to believe it.
        boost: factor for what fits the task, 1 to 1.5.
        formula: weighted sum of all; it is shown and does not order.
    """

    semantic: float
    lexical: float
    outcome: float
    recency: float
    frequency: float
    confidence: float
    boost: float
    formula: float = 0.0


PlacedBy = Literal["relevance", "trust", "fold", "exploration", "correction", "record", "file", "release"]
"""Reasons for a place: relevance and merit; standing above unreviewed ones; likeness to one that stands before; being
tried out; being proposed in the place of one that agents found wrong; the record of its author, of whom others found
lines wrong; the order of its file; being of the newest release that says it, or of an older one."""

SIGNALS: Final = tuple(field.name for field in fields(Signals))


@dataclass(frozen=True, slots=True)
class Candidate:
    """Memory that may be shown, with its signals for this query. `recency_share`: as in `signal_columns`."""

    memory: Memory
    signals: Signals
    recency_share: float = 1.0


@dataclass(frozen=True, slots=True)
class Match:
    """What a memory says of a question.

    Args:
        words: of the question that the memory says, or says in another form, in the question's order.
        entities: that both name, a URN as it is, others with their kind.
    """

    words: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(slots=True)  # as Signals
class RankedMemory:
    """Ranked candidate.

    Args:
        score: that its profile gave it; candidates stand in the order of their scores.
        relevance: chance that it bears on the question, 0..1; 1 where nobody asked one.
        placed_by: why it stands where it does.
        matched: what it says of the question; None: nobody asked.
    """

    memory: Memory
    score: float
    signals: Signals
    relevance: float = 1.0
    placed_by: PlacedBy = "relevance"
    matched: Match | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskProfile:
    """Task of the caller, for the profiles that use it."""

    task_type: TaskType | None = None
    write_scope: tuple[str, ...] = ()
    file_patterns: tuple[str, ...] = ()
    error_patterns: tuple[str, ...] = ()


def age_days(memory: Memory, now: datetime) -> int:
    """Whole days since the memory's content last changed; 0 where clocks disagree."""
    return max(0, (now - memory.updated_at).days)


def _identity(memory: Memory) -> tuple[str, str]:
    return memory.id, memory.project


def rank_governed(candidates: Iterable[Candidate], scope: WriteScope) -> list[RankedMemory]:
    """Ranks project memories for governance: those of the write scope first, then by standing.

    Args:
        candidates: those below confidence 0.3 are left out.

    Returns:
        With confidence * relevance_score as score, `FIRST_OF_ALL` more for those that the scope puts first; equal ones
        by id.

    Source: Project Memories, memory selection logic (updated).
    """
    ranked = [
        RankedMemory(
            c.memory,
            governed_score(c.memory, scope),
            c.signals,
        )
        for c in candidates
        if c.memory.confidence >= GOVERNED_MIN_CONFIDENCE
    ]
    return sorted(ranked, key=lambda r: (-r.score, *_identity(r.memory)))


def in_governed_order(memories: Iterable[Memory], scope: WriteScope) -> list[Memory]:
    """Memories in the order of `rank_governed`, without those that it leaves out."""
    governing = [memory for memory in memories if memory.confidence >= GOVERNED_MIN_CONFIDENCE]
    return sorted(governing, key=lambda memory: (-governed_score(memory, scope), *_identity(memory)))


def governed_score(memory: Memory, scope: WriteScope) -> float:
    """Standing of a memory, 0..1; `FIRST_OF_ALL` more where the scope puts it first."""
    return FIRST_OF_ALL * scope.puts_first(memory) + memory.confidence * memory.relevance_score


def rank_task(candidates: Iterable[Candidate], task: TaskProfile, now: datetime) -> list[RankedMemory]:
    """Ranks learnings of past runs by their relevance to this task: conventions of the files at hand first.

    Returns:
        With `task_score` as score, and `FIRST_OF_ALL` more for those conventions; equal ones by id.

    Source: Loop Learning, memory retrieval.
    """
    known_error = error_matcher(task.error_patterns)
    ranked = [
        RankedMemory(
            c.memory,
            FIRST_OF_ALL * _is_convention_of(c.memory, task.file_patterns)
            + task_score(c.memory, task, known_error, now, c.recency_share),
            c.signals,
        )
        for c in candidates
    ]
    return sorted(ranked, key=lambda r: (-r.score, *_identity(r.memory)))


def task_score(
    memory: Memory,
    task: TaskProfile,
    known_error: re.Pattern[str] | None,
    now: datetime,
    recency_share: float = 1.0,
) -> float:
    """Score of one memory for a task; 0..1.3.

    Args:
        known_error: the pattern that `error_matcher` made of the task's error patterns.
        recency_share: as in `signal_columns`.
    """
    success_rate = UNKNOWN_SUCCESS_RATE if memory.success_rate is None else memory.success_rate
    score = (
        TASK_WEIGHTS["confidence"] * memory.confidence
        + TASK_WEIGHTS["task_type"] * (memory.task_type is not None and memory.task_type == task.task_type)
        + TASK_WEIGHTS["success_rate"] * success_rate
        + TASK_WEIGHTS["recency"] * recency_share * _task_recency(age_days(memory, now))
    )
    is_known = known_error and memory.type == "antipattern" and known_error.search(memory.content)
    return score + KNOWN_ERROR_BONUS if is_known else score


def _task_recency(days: int) -> float:
    return max(0, TASK_RECENCY_DAYS - days) / TASK_RECENCY_DAYS


def error_matcher(error_patterns: Iterable[str]) -> re.Pattern[str] | None:
    """Pattern that finds any of these phrases, as whole words in any case and spacing; None if there are none."""
    phrases = [r"\s+".join(map(re.escape, pattern.split())) for pattern in error_patterns if pattern.strip()]
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE) if phrases else None


def _is_convention_of(memory: Memory, file_patterns: Sequence[str]) -> bool:
    """Tells whether a memory is a convention of these files; patterns are globs or parts of a path, as `src/`."""
    examples = memory.detail.get("examples")
    if memory.type != "convention" or not isinstance(examples, list | tuple):
        return False
    return any(
        pattern in example or glob_matches(pattern, example)
        for example in examples
        if isinstance(example, str)
        for pattern in file_patterns
        if pattern
    )


def belief_millionths(memory: Memory) -> int:
    """Product of confidence and relevance_score in millionths: the order of records that no query distinguishes."""
    return round(memory.confidence * 1_000) * round(memory.relevance_score * 1_000)
