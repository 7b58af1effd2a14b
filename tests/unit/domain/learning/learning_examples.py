"""Runs and learnings, as the tests of learning make them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from memory_layer.domain.learning.pooled_counts import LearningCounts, learning_from_evidence
from memory_layer.domain.learning.run import Analysis, Iteration, Run, RunStatus
from memory_layer.domain.learning.staging import Learning

MANY_CHARACTERS = st.text(st.characters(codec="utf-8"), max_size=120)
_TELLING = (
    *("test", "tests", "first", "incremental", "minimal", "small", "changes", "refactored", "after", "not"),
    *("syntax", "timeout", "null", "module", "found", "permission", "the", "of", "ÉTÉ", "Straße", "ſharp"),
    *("src/a.test.ts", "src/b.py", "crates/x/src/y.rs"),
)
TELLING_WORDS = st.lists(st.sampled_from(_TELLING), max_size=8).map(" ".join)
TEXTS = st.lists(st.one_of(TELLING_WORDS, MANY_CHARACTERS), max_size=6).map(tuple)
STATUSES: list[RunStatus] = ["completed", "failed", "crashed"]


def iteration(status: RunStatus = "completed", *, progress: bool = True, **told: Any) -> Iteration:
    errors = told.pop("errors", ())
    told.setdefault("number", 1)
    return Iteration(status=status, analysis=Analysis(progress_made=progress, errors=tuple(errors)), **told)


def run(*iterations: Iteration, run_id: str = "r1", objective: str = "Fix failing tests", **told: Any) -> Run:
    return Run(run_id=run_id, objective=objective, status="completed", iterations=iterations, **told)


iterations = st.builds(
    Iteration,
    number=st.integers(0, 2**31 - 1),
    status=st.sampled_from(STATUSES),
    duration=st.floats(0, 31_536_000_000),
    analysis=st.builds(Analysis, progress_made=st.booleans(), errors=TEXTS),
    learnings=TEXTS,
    files_modified=TEXTS,
)
runs = st.builds(
    Run,
    run_id=st.text(st.characters(codec="utf-8"), min_size=1, max_size=20),
    objective=st.one_of(TELLING_WORDS, MANY_CHARACTERS),
    status=st.sampled_from(STATUSES),
    current_iteration=st.none() | st.integers(0, 2**31 - 1),
    iterations=st.lists(iterations, max_size=12).map(tuple),
)


def strategy(run_id: str = "r1", used: int = 3, successful: int = 4, said: str = "Pair on it") -> Learning:
    counts = {"iterations": used, "successful_iterations": successful}
    return learning_from_evidence(
        LearningCounts(type="strategy", task_type="feature", said=said, counts=counts, source_runs=(run_id,))
    )


def antipattern(run_id: str, occurrences: int, failed: int) -> Learning:
    counts = {"occurrences": occurrences, "failed_iterations": failed}
    return learning_from_evidence(
        LearningCounts(
            type="antipattern", task_type="feature", said="Avoid: it", counts=counts, source_runs=(run_id,)
        )
    )


def estimate(run_id: str, completed: int, more: int, total_time_ms: int, iterations: int) -> Learning:
    counts = {
        "completed_iterations": completed,
        "all_iterations": completed + more,
        "total_time_ms": total_time_ms,
        "iterations_sum": iterations,
        "runs": 1,
    }
    return learning_from_evidence(
        LearningCounts(
            type="estimate", task_type="feature", complexity="medium", counts=counts, source_runs=(run_id,)
        )
    )


def convention(run_id: str, *examples: str) -> Learning:
    return learning_from_evidence(
        LearningCounts(
            type="convention",
            task_type="general",
            said="Tests beside the source",
            counts={},
            examples=tuple(sorted(examples)),
            confidence=0.7,
            source_runs=(run_id,),
        )
    )


def said(run_id: str, content: str = "Seeds come after migrations", times: int = 1) -> Learning:
    entry = {"run": run_id, "iterations": list(range(1, times + 1)), "verdict": "worked"}
    return learning_from_evidence(
        LearningCounts(
            type="learning",
            task_type="feature",
            said=content,
            counts={"iterations": times, "runs": 1},
            said_in=(entry,),
            source_runs=(run_id,),
        )
    )


_counts = st.integers(0, 10_000)


def learnings_of_runs(run_ids: list[str]) -> st.SearchStrategy[list[Learning]]:
    """One and the same learning, as each of these runs tells it."""
    kinds = st.sampled_from(["strategy", "antipattern", "estimate", "convention", "learning"])
    return kinds.flatmap(lambda kind: st.tuples(*(_of_run(kind, run_id) for run_id in run_ids)).map(list))


def _of_run(kind: str, run_id: str) -> st.SearchStrategy[Learning]:
    name = st.just(run_id)
    if kind == "strategy":
        spellings = st.sampled_from(["Pair on it", "pair on it", "PAIR ON IT"])
        return st.builds(strategy, name, _counts, _counts, spellings)
    if kind == "antipattern":
        return st.builds(antipattern, name, _counts, _counts)
    if kind == "estimate":
        return st.builds(estimate, name, _counts, _counts, st.integers(0, 10**12), _counts)
    if kind == "learning":
        wordings = st.sampled_from(["Seeds come after migrations", "- seeds come after *migrations*"])
        return st.builds(said, name, wordings, st.integers(1, 9))
    examples = st.lists(st.sampled_from("abcdefg"), max_size=3, unique=True)
    return examples.map(lambda names: convention(run_id, *names))
