"""What a run teaches, number for number as the tables of Loop Learning have it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.learning.approaches import (
    INCREMENTAL,
    MINIMAL,
    REFACTOR_AFTER,
    TEST_DRIVEN,
    approach_of,
)
from memory_layer.domain.learning.pooled_counts import estimate_sentence
from memory_layer.domain.learning.run import ITERATIONS_MAX, Run
from memory_layer.domain.learning.run_extraction import approach_texts, extract
from memory_layer.domain.learning.staging import Learning
from memory_layer.domain.safety.quarantine import suspicion
from tests.unit.domain.learning.learning_examples import iteration, run, runs


@pytest.mark.parametrize(
    ("approach", "text"),
    [
        ("Test-driven development approach", "Write tests first before implementation"),
        ("Incremental implementation", "Implemented incrementally, one function at a time"),
        ("Minimal changes approach", "Made minimal changes to fix the bug"),
        ("Implement first, refactor after", "Refactored after tests passed"),
        (TEST_DRIVEN, "Test-driven: red, green"),
        (TEST_DRIVEN, "Testing comes first"),
        (TEST_DRIVEN, "First, tests; small changes second"),
        (TEST_DRIVEN, "TDD"),
        (INCREMENTAL, "went step by step"),
        (INCREMENTAL, "Step-by-step migration"),
        (INCREMENTAL, "incremental, minimal"),
        (REFACTOR_AFTER, "refactoring afterwards"),
        (REFACTOR_AFTER, "After it worked, refactored with minimal effort"),
        (MINIMAL, "One small change at a time"),
        (MINIMAL, "Smaller, safer changes"),
        (MINIMAL, "touched minimally"),
    ],
)
def test_approaches(approach: str, text: str) -> None:
    assert approach_of(text) == approach


@pytest.mark.parametrize(
    "text",
    [
        "contest first of all things",
        "the latest comes first",
        "Tests passed at first",
        "Tests passed on the first try",
        "the minimalist small changeset",
        "Reran everything after refactoring",
        "did not write tests first",
        "never incremental again",
        "Avoid minimal changes here",
        "stepped by the stepbystep guide",
    ],
)
def test_fragments_denials_and_other_meanings_name_no_approach(text: str) -> None:
    assert approach_of(text) == text


def test_a_denial_ends_with_its_clause() -> None:
    assert approach_of("Do not guess: write tests first") == TEST_DRIVEN


def test_a_text_stands_for_itself_if_it_says_something() -> None:
    assert approach_of("0123456789") is None
    assert approach_of("  0123456789 ") is None
    assert approach_of("01234567890") == "01234567890"
    assert approach_of(" read\tthe \n logs  ") == "read the logs"
    assert approach_of("x" * 8_192) == "x" * 100
    assert approach_of("") is None


def test_a_text_is_cut_between_characters_as_they_are_seen() -> None:
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    assert approach_of("x" * 99 + "e\u0301y") == "x" * 99
    assert approach_of("x" * 98 + family) == "x" * 98
    assert approach_of("\u0301" * 200) == "\u0301" * 100


@given(st.text(max_size=3_000))
def test_every_text_has_a_short_approach_or_none(text: str) -> None:
    found = approach_of(text)
    assert found is None or 10 < len(found) <= 100


def by_type(found: list[Learning], type_: str) -> list[Learning]:
    return [learning for learning in found if learning.type == type_]


def test_the_strategy_of_the_design() -> None:
    tested = [iteration(learnings=("Write tests first",)) for _ in range(17)]
    others = [iteration(learnings=("",)) for _ in range(3)]
    no_progress = [iteration(progress=False, learnings=("Write tests first",)) for _ in range(5)]
    (found,) = by_type(extract(run(*tested, *others, *no_progress, run_id="ralph-001")), "strategy")
    assert found == Learning(
        type="strategy",
        task_type="test-fix",
        content="Test-driven development approach",
        detail={"effectiveness": 0.85, "iterations": 17, "successful_iterations": 20},
        confidence=0.85,
        success_rate=0.85,
        source_runs=("ralph-001",),
    )


def test_a_strategy_is_used_in_half_of_the_successful_iterations() -> None:
    half = [iteration(learnings=("Read the logs", "Read  the logs", "read the LOGS")), iteration()]
    (found,) = by_type(extract(run(*half)), "strategy")
    assert (found.content, found.confidence, found.detail["iterations"]) == ("Read the logs", 0.5, 1)
    assert by_type(extract(run(*half, iteration())), "strategy") == []


def test_confidence_in_a_strategy_has_a_cap() -> None:
    (found,) = by_type(extract(run(iteration(learnings=("Read the logs",)))), "strategy")
    assert (found.confidence, found.success_rate) == (0.9, 1.0)


def test_the_antipattern_of_the_design() -> None:
    failed = [
        iteration("failed", errors=("SyntaxError: x",)),
        iteration("failed", errors=("cannot parse y", "widget lost here")),
        iteration("crashed", errors=("Invalid syntax",)),
        iteration("failed"),
    ]
    (found,) = by_type(extract(run(*failed, iteration(errors=("syntax",)), run_id="r7")), "antipattern")
    assert found == Learning(
        type="antipattern",
        task_type="test-fix",
        content="Avoid: Syntax errors - check code carefully before execution",
        detail={"occurrences": 3, "failed_iterations": 4, "impact": "high"},
        confidence=0.75,
        success_rate=0.0,
        source_runs=("r7",),
    )


def test_confidence_in_an_antipattern_has_a_cap_and_every_message_counts() -> None:
    (found,) = by_type(extract(run(iteration("crashed", errors=("timeout", "timed out")))), "antipattern")
    assert (found.confidence, found.detail["occurrences"]) == (0.8, 2)


def test_the_estimate_of_the_design() -> None:
    completed = [iteration(duration=ms, files_modified=("a", "./a", "b")) for ms in (44_000, 45_000, 46_000)]
    (found,) = by_type(extract(run(*completed, current_iteration=3, run_id="ralph-001")), "estimate")
    assert found.content == "Similar test-fix tasks of medium complexity take about 3 iterations of 45 s each"
    assert found.detail == {
        "avg_iteration_time_ms": 45_000,
        "total_iterations": 3,
        "complexity": "medium",
        "completed_iterations": 3,
        "all_iterations": 3,
        "total_time_ms": 135_000,
        "iterations_sum": 3,
        "runs": 1,
    }
    assert (found.confidence, found.success_rate, found.source_runs) == (0.6, 1.0, ("ralph-001",))


def test_an_estimate_rests_on_completed_iterations() -> None:
    (found,) = by_type(extract(run(iteration(duration=10.5), iteration("failed", duration=999))), "estimate")
    assert (found.confidence, found.success_rate) == (0.2, 0.5)
    assert (found.detail["avg_iteration_time_ms"], found.detail["total_iterations"]) == (11, 2)
    assert by_type(extract(run(iteration("failed"))), "estimate") == []
    (sure,) = by_type(extract(run(*[iteration()] * 9)), "estimate")
    assert sure.confidence == 0.9


@pytest.mark.parametrize(
    ("iterations", "files", "complexity"),
    [(2, 2, "low"), (3, 2, "medium"), (2, 3, "medium"), (5, 5, "medium"), (6, 5, "high"), (5, 6, "high")],
)
def test_complexity(iterations: int, files: int, complexity: str) -> None:
    paths = tuple(f"f{number}" for number in range(files))
    (found,) = by_type(extract(run(*[iteration(files_modified=paths)] * iterations)), "estimate")
    assert found.detail["complexity"] == complexity


@pytest.mark.parametrize(
    ("iterations", "average_ms", "sentence"),
    [
        (1, 850, "Similar tasks of low complexity take about 1 iteration of 850 ms"),
        (2, 1_500, "Similar tasks of low complexity take about 2 iterations of 1.5 s each"),
        (2, 0, "Similar tasks of low complexity take about 2 iterations"),
        (2, 119_960, "Similar tasks of low complexity take about 2 iterations of 120 s each"),
        (2, 720_000, "Similar tasks of low complexity take about 2 iterations of 12 min each"),
        (2, 9_000_000, "Similar tasks of low complexity take about 2 iterations of 2.5 h each"),
        (2, 864_000_000, "Similar tasks of low complexity take about 2 iterations of 10 days each"),
    ],
)
def test_durations_in_the_unit_that_people_would_name(
    iterations: int, average_ms: int, sentence: str
) -> None:
    figures = {"total_iterations": iterations, "avg_iteration_time_ms": average_ms, "complexity": "low"}
    assert estimate_sentence("general", figures) == sentence


def test_conventions_are_of_the_project_and_certain_to_have_worked() -> None:
    told = run(
        iteration("failed", files_modified=("src/auth/login.test.ts", "test/integration/api.test.mjs"))
    )
    assert by_type(extract(told), "convention")[0] == Learning(
        type="convention",
        task_type="general",
        content="Tests co-located with source or in test/ directory",
        detail={"examples": ["src/auth/login.test.ts", "test/integration/api.test.mjs"]},
        confidence=0.7,
        success_rate=1.0,
        source_runs=("r1",),
    )


def test_at_most_twenty_of_each_the_most_frequent_by_name() -> None:
    texts = tuple(f"approach number {number:02}" for number in range(30))
    errors = tuple(f"widget {chr(97 + number)} is lost" for number in range(25)) * 2
    told = run(
        iteration(learnings=texts), iteration(learnings=texts[29:]), iteration("failed", errors=errors)
    )
    found = extract(told)
    strategies = by_type(found, "strategy")
    assert len(strategies) == len(by_type(found, "antipattern")) == 20
    assert [one.content for one in strategies[:2]] == ["approach number 29", "approach number 00"]


def test_our_own_words_are_no_evidence() -> None:
    """The safeguard is `echoes`: without it a recalled strategy confirms itself."""
    said = ("Write tests first", "Read the logs")
    told = run(iteration(learnings=said), iteration(learnings=("Test-driven development approach",)))
    assert approach_texts(told) == ["Read the logs", "Test-driven development approach", "Write tests first"]
    found = by_type(extract(told, echoes=["Test-driven development approach"]), "strategy")
    assert [(one.content, one.confidence) for one in found] == [
        ("Read the logs", 0.5),
        ("Test-driven development approach", 0.5),
    ]
    assert by_type(extract(told, echoes=approach_texts(told)), "strategy") == []


def test_the_texts_to_compare_are_the_most_frequent_of_those_that_make_strategies() -> None:
    common = tuple(f"approach number {number:03}" for number in range(120))
    told = run(iteration(learnings=(*common, "too short")), iteration(learnings=common[110:]), iteration())
    found = approach_texts(told)
    assert found == list(common[110:])
    assert len(approach_texts(run(iteration(learnings=common)))) == 100


def test_what_is_extracted_may_be_recalled() -> None:
    """The safeguard is the quarantine: no wording of ours may look like an order to the model."""
    told = run(
        *[iteration(learnings=("tests first", "step by step", "minimal", "refactor after"), duration=1.0)]
        * 2,
        iteration(
            "failed", files_modified=("src/a.test.ts", "src/b.py", "tests/test_a.py", "pyproject.toml")
        ),
    )
    assert [one.content for one in extract(told) if suspicion(one.content)] == []


def test_ten_thousand_iterations() -> None:
    told = run(*[iteration(learnings=("Read the logs",)), iteration("failed", errors=("timeout",))] * 5_000)
    found = extract(told)
    assert len(told.iterations) == ITERATIONS_MAX
    assert found[0].detail["iterations"] == found[1].detail["occurrences"] == 5_000


@given(runs)
def test_every_run_can_be_learned_from(told: Run) -> None:
    found = extract(told)
    assert extract(told) == found
    for learning in found:
        for score in (learning.confidence, learning.success_rate):
            assert 0 <= score <= 1
            assert round(score * 1_000) / 1_000 == score
        assert 10 < len(learning.content) <= 200
        assert learning.source_runs == (told.run_id,)
    assert len(found) <= 90
    texts = {text for one in told.iterations for text in one.learnings}
    assert set(approach_texts(told)) <= texts
    assert by_type(extract(told, echoes=texts), "strategy") == []
