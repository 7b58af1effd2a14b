"""Extraction of learnings from a run that has ended: strategies, anti-patterns, an estimate, conventions.

Source: Loop Learning, extraction process; SPEC 6.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from math import fsum

from memory_layer.domain.learning.approaches import approach_of
from memory_layer.domain.learning.error_classes import error_class
from memory_layer.domain.learning.file_conventions import conventions, normalised
from memory_layer.domain.learning.pooled_counts import Complexity, LearningCounts, learning_from_evidence
from memory_layer.domain.learning.run import Iteration, Run
from memory_layer.domain.learning.staging import Learning
from memory_layer.domain.learning.task_types import detect_task_type
from memory_layer.domain.memory import TaskType

STRATEGIES_MAX = 20
ANTIPATTERNS_MAX = 20
"""Limits of the most frequent learnings of a run, so that it and all its learnings fit one transaction."""

APPROACH_TEXTS_MAX = 100
ANTIPATTERN_MIN_OCCURRENCES = 2
AVOID = "Avoid: "

LOW_MAX = 2
MEDIUM_MAX = 5
"""Maxima of iterations, and of files, for a task of low and of medium complexity."""


def extract(run: Run, *, echoes: Collection[str] = ()) -> list[Learning]:
    """Extracts all learnings of a run: strategies and anti-patterns by frequency, the estimate, conventions.

    Args:
        echoes: learning texts (see `approach_texts`) that repeat a recall's answer, which is no evidence.

    Returns:
        At most 20 strategies and 20 anti-patterns, one estimate, and a convention for each pattern of files.
    """
    task_type = detect_task_type(run.objective)
    files = {normalised(path) for iteration in run.iterations for path in iteration.files_modified}
    evidence = [
        *_strategies(run, task_type, frozenset(echoes)),
        *_antipatterns(run, task_type),
        *_estimates(run, task_type, len(files)),
        *_conventions(run, files),
    ]
    return [learning_from_evidence(one) for one in evidence]


def approach_texts(run: Run) -> list[str]:
    """Texts that strategies of a run rest on, to be checked for echoes of recalls; most frequent first, at most 100."""
    successful = _successful(run)
    counts: Counter[str] = Counter()
    for approach in _frequent(_approaches(successful, frozenset()), len(successful)):
        counts.update(approach.texts)
    return sorted(counts, key=lambda text: (-counts[text], text))[:APPROACH_TEXTS_MAX]


@dataclass(slots=True)
class _Tally:
    """Count of a statement, with its wording (the first by name) and the texts that made it."""

    wording: str
    times: int = 0
    texts: Counter[str] = field(default_factory=Counter)


def _successful(run: Run) -> list[Iteration]:
    return [one for one in run.iterations if one.status == "completed" and one.analysis.progress_made]


def _strategies(run: Run, task_type: TaskType, echoes: frozenset[str]) -> Iterator[LearningCounts]:
    """Evidence of strategies: the frequent approaches of successful iterations, each counted once an iteration."""
    successful = _successful(run)
    frequent = _frequent(_approaches(successful, echoes), len(successful))
    for approach in _most_frequent(frequent, STRATEGIES_MAX):
        yield LearningCounts(
            type="strategy",
            task_type=task_type,
            said=approach.wording,
            counts={"iterations": approach.times, "successful_iterations": len(successful)},
            source_runs=(run.run_id,),
        )


def _approaches(successful: Iterable[Iteration], echoes: frozenset[str]) -> list[_Tally]:
    tallies: dict[str, _Tally] = {}
    approach = cache(approach_of)
    for iteration in successful:
        keys = set()
        for text in set(iteration.learnings) - echoes:
            wording = approach(text)
            if wording is not None:
                key = _tallied(tallies, wording)
                tallies[key].texts[text] += 1
                keys.add(key)
        for key in keys:
            tallies[key].times += 1
    return list(tallies.values())


def _tallied(tallies: dict[str, _Tally], wording: str) -> str:
    """Key of a statement, regardless of case, for which a tally is kept."""
    key = wording.casefold()
    tally = tallies.setdefault(key, _Tally(wording))
    tally.wording = min(tally.wording, wording)
    return key


def _frequent(tallies: Iterable[_Tally], successful: int) -> list[_Tally]:
    """Tallies of at least half of the successful iterations."""
    return [tally for tally in tallies if 2 * tally.times >= successful]


def _most_frequent(tallies: Iterable[_Tally], at_most: int) -> list[_Tally]:
    return sorted(tallies, key=lambda tally: (-tally.times, tally.wording))[:at_most]


def _antipatterns(run: Run, task_type: TaskType) -> Iterator[LearningCounts]:
    """Evidence of anti-patterns: each message of an iteration that failed or crashed is an occurrence of its class."""
    failed = [one for one in run.iterations if one.status in ("failed", "crashed")]
    tallies: dict[str, _Tally] = {}
    class_of = cache(error_class)
    for wording in (class_of(message) for one in failed for message in one.analysis.errors):
        if wording is not None:
            tallies[_tallied(tallies, wording)].times += 1
    often = (tally for tally in tallies.values() if tally.times >= ANTIPATTERN_MIN_OCCURRENCES)
    for tally in _most_frequent(often, ANTIPATTERNS_MAX):
        yield LearningCounts(
            type="antipattern",
            task_type=task_type,
            said=f"{AVOID}{tally.wording}",
            counts={"occurrences": tally.times, "failed_iterations": len(failed)},
            source_runs=(run.run_id,),
        )


def _estimates(run: Run, task_type: TaskType, files: int) -> Iterator[LearningCounts]:
    """Evidence of the one estimate; none if no iteration was completed, as their duration is then unknown."""
    completed = [one for one in run.iterations if one.status == "completed"]
    if not completed:
        return
    iterations = run.current_iteration or len(run.iterations)
    yield LearningCounts(
        type="estimate",
        task_type=task_type,
        complexity=_complexity(iterations, files),
        counts={
            "completed_iterations": len(completed),
            "all_iterations": len(run.iterations),
            "total_time_ms": int(fsum(one.duration for one in completed) + 0.5),
            "iterations_sum": iterations,
            "runs": 1,
        },
        source_runs=(run.run_id,),
    )


def _complexity(iterations: int, files: int) -> Complexity:
    most = max(iterations, files)
    return "low" if most <= LOW_MAX else "medium" if most <= MEDIUM_MAX else "high"


def _conventions(run: Run, files: Iterable[str]) -> Iterator[LearningCounts]:
    for found in conventions(files):
        yield LearningCounts(
            type="convention",
            task_type="general",
            said=found.content,
            counts={},
            examples=found.examples,
            confidence=found.confidence,
            source_runs=(run.run_id,),
        )
