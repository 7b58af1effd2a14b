"""Ranking: the signals of a memory, and the profiles that weigh them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memory_layer.domain.globs import glob_matches
from memory_layer.domain.memory import Category, Memory, TaskType
from memory_layer.domain.outcome_signal import outcome_basis, outcome_signal
from memory_layer.domain.policy import OutcomeModel
from memory_layer.domain.retrieval import facts as columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memory_layer.domain.retrieval.blending import Column, Relevances
    from memory_layer.domain.retrieval.candidates import RecordTable, Rows
    from memory_layer.domain.retrieval.facts import Facts

    SignalColumns = Mapping[str, Column]
    """Signals of n candidates: a column for each field of `Signals`, shape (n,)."""

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

RECENCY_SCALE_DAYS = 30.0
FREQUENCY_SATURATION = 100

GOVERNED_MIN_CONFIDENCE = 0.3

TASK_WEIGHTS: Mapping[str, float] = {"confidence": 0.4, "task_type": 0.3, "success_rate": 0.2, "recency": 0.1}
"""Relevance to a task (Loop Learning, relevance scoring)."""

TASK_RECENCY_DAYS = 90
UNKNOWN_SUCCESS_RATE = 0.5
KNOWN_ERROR_BONUS = 0.3


@dataclass(frozen=True, slots=True)
class Signals:
    """Ranking signals of a memory, all 0..1 but `boost`, a factor from 1 to 1.5.

    `semantic` is the blended relevance to the query, `lexical` the share of the keyword arm in it.
    """

    semantic: float
    lexical: float
    outcome: float
    recency: float
    frequency: float
    confidence: float
    boost: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """Memory that may be shown, with its signals for this query. `recency_share`: as in `signal_columns`."""

    memory: Memory
    signals: Signals
    recency_share: float = 1.0


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """Ranked candidate, with the score that its profile gave it."""

    memory: Memory
    score: float
    signals: Signals


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskProfile:
    """Task of the caller, for the profiles that use it."""

    task_type: TaskType | None = None
    write_scope: tuple[str, ...] = ()
    file_patterns: tuple[str, ...] = ()
    error_patterns: tuple[str, ...] = ()


def signal_columns(
    facts: Facts,
    relevances: Relevances,
    *,
    intent: Category | None,
    now: datetime,
    outcome_model: OutcomeModel,
    recency_shares: Column | float = 1.0,
) -> SignalColumns:
    """Signals of n candidates for one query.

    Args:
        facts, relevances: of the candidates; shape (n,).
        intent: the category that the query asks for, if it is clear.
        recency_shares: share of its recency that each keeps, 0..1 (see domain.time.decay).
    """
    import numpy as np  # late: reads of a record do not need it

    standing = outcome_basis(facts, now)
    boosts = np.ones(len(facts))
    if intent is not None:
        boosts[facts["category"] == columns.category_code(intent)] = CATEGORY_BOOSTS.get(intent, 1.0)
    return {
        "semantic": relevances.semantic,
        "lexical": relevances.lexical,
        "outcome": outcome_signal(standing, outcome_model),
        "recency": recency_shares * np.exp(-_ages_days(facts, now) / RECENCY_SCALE_DAYS),
        "frequency": np.minimum(1.0, np.log(standing.use_count + 1) / math.log(FREQUENCY_SATURATION)),
        "confidence": facts["confidence"] / 1000,
        "boost": boosts,
    }


def signals_at(signals: SignalColumns, row: int) -> Signals:
    """Signals of one candidate."""
    return Signals(**{name: float(signals[name][row]) for name in SIGNALS})


SIGNALS: Final = tuple(field.name for field in fields(Signals))


def _ages_days(facts: Facts, now: datetime) -> NDArray[np.int64]:
    """`age_days` of each record."""
    import numpy as np  # late: reads of a record do not need it

    return np.asarray(np.maximum(0, (columns.microseconds(now) - facts["updated_at"]) // columns.DAY_US))


def age_days(memory: Memory, now: datetime) -> int:
    """Whole days since the memory's content last changed; 0 where clocks disagree."""
    return max(0, (now - memory.updated_at).days)


def learned_scores(signals: SignalColumns) -> Column:
    """Weighted sums of the five signals, times the boost; 0..1.5."""
    return (LEARNED_WEIGHTS["semantic"] * signals["semantic"] + _experience(signals)) * signals["boost"]


def _experience(signals: SignalColumns) -> Column:
    """Weighted sum of the four signals that are independent of the query; 0..`EXPERIENCE_WEIGHT`."""
    return (
        LEARNED_WEIGHTS["outcome"] * signals["outcome"]
        + LEARNED_WEIGHTS["recency"] * signals["recency"]
        + LEARNED_WEIGHTS["frequency"] * signals["frequency"]
        + LEARNED_WEIGHTS["confidence"] * signals["confidence"]
    )


EXPERIENCE_WEIGHT = sum(weight for name, weight in LEARNED_WEIGHTS.items() if name != "semantic")


def merits(signals: SignalColumns) -> Column:
    """Merit of each memory beside its relevance, boost included; 0..1."""
    import numpy as np  # late: reads of a record do not need it

    return np.minimum(1.0, _experience(signals) / EXPERIENCE_WEIGHT * signals["boost"])


def rank_learned(signals: SignalColumns, records: RecordTable, *, margin: float = RELEVANCE_MARGIN) -> Rows:
    """Ranks by relevance first: experience decides among memories about as relevant as each other, and never beyond.

    A memory stands at semantic + margin * merit. As merit is 0..1, one that is more relevant by more than
    `margin` always comes first, however famous the other; among equally relevant ones merit decides; and
    between the two, the smaller the difference in relevance, the less experience it takes to turn it.
    `learned_scores` is the plain weighted sum, which lets fame beat relevance: where score and place disagree
    (boosts aside), the memory in front is the more relevant one.

    Args:
        signals: of `records`.
        margin: in units of `semantic`; 0 leaves relevance alone.

    Returns:
        All rows, best first; equal standing by project and id.

    Source: ADR-0005, which compares it with the plain sum, with bands of relevance, and with the score
    inside a sliding window.
    """
    from memory_layer.domain.retrieval.candidates import best_rows  # late: it loads numpy

    return best_rows(signals["semantic"] + margin * merits(signals), records, len(records))


def _identity(memory: Memory) -> tuple[str, str]:
    return memory.id, memory.project


def rank_governed(candidates: Iterable[Candidate], write_scope: Sequence[str]) -> list[RankedMemory]:
    """Ranks project memories for governance: those of the write scope first, then by standing.

    Args:
        candidates: those below confidence 0.3 are left out.
        write_scope: paths, globs or keywords that the task may touch.

    Returns:
        With confidence * relevance_score as score; equal ones by id.

    Source: Project Memories, memory selection logic (updated).
    """
    ranked = [
        RankedMemory(c.memory, c.memory.confidence * c.memory.relevance_score, c.signals)
        for c in candidates
        if c.memory.confidence >= GOVERNED_MIN_CONFIDENCE
    ]
    return sorted(
        ranked, key=lambda r: (not tags_match(r.memory.tags, write_scope), -r.score, *_identity(r.memory))
    )


def tags_match(tags: Collection[str], write_scope: Collection[str]) -> bool:
    """Tells whether a tag and an entry of the scope match: equal keywords, or either as a glob matches the other."""
    entries = {entry.casefold() for entry in write_scope}
    return any(tag.casefold() in entries for tag in tags) or any(
        glob_matches(tag, entry) or glob_matches(entry, tag) for tag in tags for entry in write_scope
    )


def rank_task(candidates: Iterable[Candidate], task: TaskProfile, now: datetime) -> list[RankedMemory]:
    """Ranks learnings of past runs by their relevance to this task: conventions of the files at hand first.

    Returns:
        With `task_score` as score; equal ones by id.

    Source: Loop Learning, memory retrieval.
    """
    known_error = error_matcher(task.error_patterns)
    ranked = [
        RankedMemory(c.memory, task_score(c.memory, task, known_error, now, c.recency_share), c.signals)
        for c in candidates
    ]
    return sorted(
        ranked,
        key=lambda r: (not _is_convention_of(r.memory, task.file_patterns), -r.score, *_identity(r.memory)),
    )


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
