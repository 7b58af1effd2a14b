"""Learnings computed from counts that add up over runs; every score follows from the sums.

The learnings of many runs are so the same in whatever order they are pooled.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Literal, get_args

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.learning.file_conventions import EXAMPLES_MAX
from memory_layer.domain.learning.staging import Learning, LearningType
from memory_layer.domain.learning.voices import named_voices, united_voices
from memory_layer.domain.memory import TaskType, to_thousandths

Complexity = Literal["low", "medium", "high"]

STRATEGY_CONFIDENCE_MAX = 0.9
ANTIPATTERN_CONFIDENCE_MAX = 0.8
ESTIMATE_CONFIDENCE_MAX = 0.9
ESTIMATE_SURE_AFTER = 5
"""Completed iterations at which an estimate is certain. Source: SPEC 6.7, 6.10 and 6.12."""

COUNT_MAX = 2**53
"""Upper bound of a count; a larger or fractional number is no count."""

SAID_CONFIDENCE = 0.3
SAID_CONFIDENCE_STEP = 0.1
SAID_CONFIDENCE_MAX = 0.6
"""Confidence in a learning that one run said, its rise with each further run, and its cap: saying proves nothing."""

SAID_IN_MAX_BYTES = 8_192
"""Room in the detail for the runs that said a learning."""

_COUNTS: Mapping[LearningType, tuple[str, ...]] = {
    "strategy": ("iterations", "successful_iterations"),
    "antipattern": ("occurrences", "failed_iterations"),
    "estimate": ("completed_iterations", "all_iterations", "total_time_ms", "iterations_sum", "runs"),
    "convention": (),
    "learning": ("iterations", "runs"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningCounts:
    """Evidence of a learning: the counts that its scores are computed from.

    `counts` are those of `_COUNTS`; `said` is the content, but for an estimate, whose sentence follows from its
    counts and `complexity`; `confidence` is a convention's, the others' follow from their counts; `said_in` names the
    runs that said a learning, each with the numbers of its iterations and its verdict; `voices` those
    that it comes from (see domain/learning/voices.py).
    """

    type: LearningType
    task_type: TaskType
    said: str = ""
    counts: Mapping[str, int]
    complexity: Complexity = "medium"
    examples: tuple[str, ...] = ()
    said_in: tuple[Mapping[str, Any], ...] = ()
    confidence: float = 0.0
    voices: tuple[str, ...] = ()
    source_runs: tuple[str, ...] = ()


def learning_from_evidence(evidence: LearningCounts) -> Learning:
    """Computes a learning, with every score and sentence, from its evidence."""
    detail, confidence, success_rate = _computed(evidence)
    is_estimate = evidence.type == "estimate"
    return Learning(
        type=evidence.type,
        task_type=evidence.task_type,
        content=estimate_sentence(evidence.task_type, detail) if is_estimate else evidence.said,
        detail={**detail, "voices": list(evidence.voices)} if evidence.voices else detail,
        confidence=confidence,
        success_rate=success_rate,
        source_runs=evidence.source_runs,
    )


def _computed(evidence: LearningCounts) -> tuple[dict[str, Any], float, float | None]:
    """Detail, confidence and success rate of evidence."""
    counts = evidence.counts
    if evidence.type == "strategy":
        share = _share(counts["iterations"], counts["successful_iterations"])
        return {"effectiveness": share, **counts}, min(share, STRATEGY_CONFIDENCE_MAX), share
    if evidence.type == "antipattern":
        share = _share(counts["occurrences"], counts["failed_iterations"])
        return {**counts, "impact": "high"}, min(share, ANTIPATTERN_CONFIDENCE_MAX), 0.0
    if evidence.type == "estimate":
        return _estimated(evidence)
    if evidence.type == "learning":
        return {**counts, "said_in": list(evidence.said_in)}, said_confidence(counts["runs"]), None
    return {"examples": list(evidence.examples)}, to_thousandths(evidence.confidence), 1.0


def said_confidence(runs: int) -> float:
    """Confidence in a learning that so many runs said."""
    risen = SAID_CONFIDENCE + SAID_CONFIDENCE_STEP * (min(runs, COUNT_MAX) - 1)
    return to_thousandths(min(SAID_CONFIDENCE_MAX, max(SAID_CONFIDENCE, risen)))


def _estimated(evidence: LearningCounts) -> tuple[dict[str, Any], float, float]:
    counts = evidence.counts
    completed = counts["completed_iterations"]
    figures = {
        "avg_iteration_time_ms": _mean(counts["total_time_ms"], completed),
        "total_iterations": _mean(counts["iterations_sum"], counts["runs"]),
        "complexity": evidence.complexity,
    }
    confidence = min(_share(completed, ESTIMATE_SURE_AFTER), ESTIMATE_CONFIDENCE_MAX)
    return {**figures, **counts}, confidence, _share(completed, counts["all_iterations"])


def _share(part: int, whole: int) -> float:
    return to_thousandths(min(1.0, part / max(1, whole)))


def _mean(total: int, count: int) -> int:
    """Mean of whole numbers, rounded half up."""
    count = max(1, count)
    return (2 * total + count) // (2 * count)


def estimate_sentence(task_type: TaskType, detail: Mapping[str, Any]) -> str:
    """Sentence of an estimate. Args: detail: with `complexity`, `total_iterations` and `avg_iteration_time_ms`."""
    kind = "Similar tasks" if task_type == "general" else f"Similar {task_type} tasks"
    iterations, average_ms = int(detail["total_iterations"]), int(detail["avg_iteration_time_ms"])
    each = f" of {_duration(average_ms)}" + (" each" if iterations != 1 else "") if average_ms else ""
    plural = "" if iterations == 1 else "s"
    return f"{kind} of {detail['complexity']} complexity take about {iterations} iteration{plural}{each}"


_UNITS: Sequence[tuple[str, int, int]] = (
    ("ms", 1, 1_000),
    ("s", 1_000, 120_000),
    ("min", 60_000, 7_200_000),
    ("h", 3_600_000, 172_800_000),
)


def _duration(milliseconds: int) -> str:
    """Duration in the unit that people would name, with one decimal at most."""
    for unit, size_ms, below_ms in _UNITS:
        if milliseconds < below_ms:
            return f"{_decimal(milliseconds, size_ms)} {unit}"
    return f"{_decimal(milliseconds, 86_400_000)} days"


def _decimal(milliseconds: int, size_ms: int) -> str:
    tenths = _mean(10 * milliseconds, size_ms)
    return f"{tenths // 10}.{tenths % 10}".removesuffix(".0")


def evidence_of(learning: Learning) -> LearningCounts:
    """Evidence that a learning rests on; a count that it lacks is the least that its scores imply."""
    implied, detail = _implied(learning), learning.detail
    counts = {name: _count(detail.get(name), implied[name]) for name in _COUNTS[learning.type]}
    examples = detail.get("examples")
    return LearningCounts(
        type=learning.type,
        task_type=learning.task_type,
        said=learning.content,
        counts=counts,
        complexity=complexity_of(detail) or "medium",
        examples=tuple(e for e in examples if isinstance(e, str))
        if isinstance(examples, list | tuple)
        else (),
        said_in=_said_in(detail.get("said_in")),
        confidence=learning.confidence,
        voices=named_voices(detail.get("voices")),
        source_runs=learning.source_runs,
    )


def _said_in(found: object) -> tuple[Mapping[str, Any], ...]:
    entries = found if isinstance(found, list | tuple) else ()
    return tuple(one for one in entries if isinstance(one, Mapping) and isinstance(one.get("run"), str))


def _in_room(entries: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """The first entries by the names of their runs, as many as there is room for: the same in every order."""
    ordered = sorted({str(entry["run"]): entry for entry in entries}.items())
    sizes = accumulate(len(canonical_json(dict(entry)).encode()) for _, entry in ordered)
    return tuple(entry for (_, entry), size in zip(ordered, sizes, strict=True) if size <= SAID_IN_MAX_BYTES)


def complexity_of(detail: Mapping[str, Any]) -> Complexity | None:
    found = detail.get("complexity")
    return next((complexity for complexity in get_args(Complexity) if complexity == found), None)


def _implied(learning: Learning) -> dict[str, int]:
    """Counts of a single run that give the scores of a learning."""
    detail, runs, rate = learning.detail, max(1, len(learning.source_runs)), learning.success_rate or 0.0
    used, occurrences = _count(detail.get("iterations"), 1), _count(detail.get("occurrences"), 1)
    completed = _count(
        detail.get("completed_iterations"), max(1, round(learning.confidence * ESTIMATE_SURE_AFTER))
    )
    return {
        "iterations": 1,
        "successful_iterations": _whole(used, rate),
        "occurrences": 1,
        "failed_iterations": _whole(occurrences, learning.confidence),
        "completed_iterations": completed,
        "all_iterations": _whole(completed, rate),
        "total_time_ms": _count(detail.get("avg_iteration_time_ms"), 0) * completed,
        "iterations_sum": _count(detail.get("total_iterations"), completed) * runs,
        "runs": runs,
    }


def _whole(part: int, share: float) -> int:
    return min(COUNT_MAX, max(1, round(part / share))) if share > 0 else max(1, part)


def _count(found: object, implied: int) -> int:
    if isinstance(found, bool) or not isinstance(found, int | float):
        return implied
    return int(found) if 0 <= found <= COUNT_MAX and found == int(found) else implied


RUN_WEIGHT_MAX = 50
"""Maximum of iterations that one run counts for beside others: a single report, however long, is one report."""

_WEIGHED_BY: Mapping[LearningType, tuple[str, ...]] = {
    "strategy": ("successful_iterations",),
    "antipattern": ("failed_iterations", "occurrences"),
    "estimate": ("all_iterations",),
}


def _weighed(evidence: LearningCounts) -> LearningCounts:
    """Evidence of one run as it is weighed beside others: the same shares, of at most RUN_WEIGHT_MAX iterations."""
    whole = max((evidence.counts.get(name, 0) for name in _WEIGHED_BY.get(evidence.type, ())), default=0)
    if len(evidence.source_runs) > 1 or whole <= RUN_WEIGHT_MAX:
        return evidence
    counts = {
        name: count if name in _OF_THE_RUN else _mean(count * RUN_WEIGHT_MAX, whole)
        for name, count in evidence.counts.items()
    }
    return replace(evidence, counts=counts)


_OF_THE_RUN = ("iterations_sum", "runs")
"""Counts taken once a run, which weigh the same for each run already."""


def merge_evidence(
    one: LearningCounts, other: LearningCounts, source_runs: tuple[str, ...]
) -> LearningCounts:
    """Union of two pieces of evidence of the same learning that rest on different runs."""
    one, other = _weighed(one), _weighed(other)
    return LearningCounts(
        type=one.type,
        task_type=one.task_type if one.task_type == other.task_type else "general",
        said=min(one.said, other.said),
        counts={name: one.counts[name] + other.counts[name] for name in one.counts},
        complexity=one.complexity,
        examples=tuple(sorted({*one.examples, *other.examples})[:EXAMPLES_MAX]),
        said_in=_in_room((*one.said_in, *other.said_in)),
        confidence=max(one.confidence, other.confidence),
        voices=united_voices((one.voices, one.source_runs), (other.voices, other.source_runs)),
        source_runs=source_runs,
    )
