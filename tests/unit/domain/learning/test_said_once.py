"""Learnings in the words of the iterations: each whole, once a run, with the iterations that said it."""

from __future__ import annotations

from hypothesis import given

from memory_layer.domain.learning.run import Run
from memory_layer.domain.learning.run_extraction import extract
from memory_layer.domain.learning.said_once import SAID_MAX, learnings_said
from memory_layer.domain.learning.staging import Learning, learning_id, validate
from tests.unit.domain.learning.learning_examples import iteration, run, runs

LONG = (
    "The import of invoices stops without a word when the file has a byte order mark: strip it in the reader, as the "
    "parser of the vendor takes it for a column"
)


def said(told: Run, *echoes: str) -> list[Learning]:
    strategies = [one.content for one in extract(told) if one.type == "strategy"]
    return learnings_said(told, strategies, echoes)


def contents(told: Run) -> list[str]:
    return [one.content for one in said(told)]


def once_each(*lines: str) -> Run:
    return run(*(iteration(number=at, learnings=(line,)) for at, line in enumerate(lines, 1)))


def test_what_is_said_once_is_kept_whole() -> None:
    lines = (LONG, "Seeds come after migrations", "The broker needs 2 GB", "Mocks of the clock leak")
    found = said(once_each(*lines))
    assert [one.content for one in found] == list(lines)
    assert {(one.type, one.confidence, one.success_rate, one.task_type) for one in found} == {
        ("learning", 0.3, None, "test-fix")
    }
    assert found[1].detail == {
        "iterations": 1, "runs": 1, "said_in": [{"run": "r1", "iterations": [2], "verdict": "worked"}]
    }  # fmt: skip
    assert all(validate({"content": one.content, "type": one.type, "task_type": one.task_type,
                         "confidence": one.confidence, "success_rate": None}) is None for one in found)  # fmt: skip


def test_failed_and_crashed_iterations_teach_as_well() -> None:
    told = run(
        iteration("failed", number=1, learnings=("Retrying the upload is useless: the token has expired",)),
        iteration("crashed", number=2, learnings=("The importer runs out of memory on 2 GB files",)),
        iteration(number=3, progress=False, learnings=("The sandbox has no network",)),
    )
    assert len(said(told)) == 3


def test_a_run_that_crashed_has_no_verdict() -> None:
    crashed = Run(
        run_id="r1",
        objective="x",
        status="crashed",
        iterations=once_each("Seeds come last", "Mocks leak", "The sandbox has no network").iterations,
    )
    assert said(crashed)[0].detail["said_in"][0]["verdict"] is None


def test_almost_the_same_words_are_one_learning_of_a_run() -> None:
    lines = (
        "Seeds need a running Postgres",
        "The seeds need running `postgres`.",
        "Seeds need a running MySQL",
    )
    found = said(
        run(iteration(number=7, learnings=("Mocks of the clock leak",)), *once_each(*lines).iterations)
    )
    assert [(one.content, one.detail["iterations"]) for one in found] == [
        ("Mocks of the clock leak", 1),
        ("The seeds need running `postgres`.", 2),
        ("Seeds need a running MySQL", 1),
    ]
    assert found[1].detail["said_in"][0]["iterations"] == [1, 2]


def test_what_a_strategy_tells_is_not_said_again() -> None:
    assert contents(once_each("Write tests first before implementation")) == []
    assert contents(once_each("Ask the schema registry for the newest version")) == []


def test_what_a_strategy_does_not_tell_is_kept() -> None:
    """Falls where a text that is counted for a strategy counts as told: it is cut, or its details are dropped."""
    assert contents(once_each(LONG)) == [LONG]
    detailed = "Write tests first, with API_URL set to the stub"
    assert contents(once_each(detailed)) == [detailed]


def test_statuses_and_lists_of_files_are_left_out() -> None:
    assert contents(once_each("All tests pass", "src/a.ts, src/b.ts", "", "about 4 iterations", "Done")) == []


def test_our_own_words_are_no_learnings() -> None:
    told = once_each("Seeds come after migrations", "The broker needs 2 GB", "The sandbox has no network")
    assert [one.content for one in said(told, "The broker needs 2 GB")] == [
        "Seeds come after migrations", "The sandbox has no network"
    ]  # fmt: skip


def test_of_very_many_the_most_often_said_are_kept() -> None:
    lines = [f"Module {at} is loaded by plugin {at}" for at in range(SAID_MAX + 30)]
    last = lines[-1]
    found = contents(run(*once_each(*lines).iterations, iteration(number=999, learnings=(last,))))
    assert len(found) == SAID_MAX
    assert found[-1] == last
    assert found[0] == lines[0]


def test_markup_makes_no_second_learning_and_the_task_neither() -> None:
    plain, marked = (
        said(once_each("Set `CI` first", "x y z", "a b c")),
        said(once_each("- set CI first!", "x", "y z")),
    )
    fix = said(
        run(iteration(learnings=("Set CI first",)), iteration(), iteration(), objective="Implement search")
    )
    assert len({learning_id(one[0], None) for one in (plain, marked, fix)}) == 1
    assert learning_id(plain[0], "ops") != learning_id(plain[0], None)


@given(runs)
def test_every_run_can_be_read_for_learnings(told: Run) -> None:
    found = said(told)
    assert all(one.content.strip() == one.content != "" for one in found)
    assert len({learning_id(one, None) for one in found}) == len(found)
