"""Loops of an agent in sequence: the prompt of each carries what the ones before it taught."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.context.levels_of_detail import levels
from memory_layer.domain.learning.run import Run, RunStatus
from memory_layer.domain.ranking import TaskProfile
from memory_layer.local.demo_loops import LOOPS
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.recall.compose_knowledge import compose_knowledge
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.write.put import put_memory
from tests.given import PROJECT
from tests.run_examples import run_of
from tests.unit.domain.learning.learning_examples import iteration, run


@pytest.mark.parametrize(("status", "is_proven"), [("failed", False), ("completed", True)])
def test_a_strategy_of_a_failed_run_is_not_proven(
    backend: EmbeddedBackend, agent: Principal, status: RunStatus, is_proven: bool
) -> None:
    """Falls where a share of successful iterations is taken for the success of their run."""
    learn_from_run(backend.ports, agent, PROJECT, run_of("loop-1", status=status), "auto")
    backend.drain()
    page = compose_knowledge(backend.ports, agent, PROJECT, "Fix failing tests", TaskProfile(), limit=13)
    assert ("Proven Strategies" in page.markdown) == is_proven
    assert "Avoid: Syntax errors" in page.markdown


def test_the_third_loops_prompt_carries_what_the_first_two_taught(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    prompts = []
    for run_id, objective, iterations in LOOPS:
        prompts.append(
            compose_knowledge(backend.ports, agent, PROJECT, objective, TaskProfile(), limit=13).markdown
        )
        run = Run(run_id=run_id, objective=objective, status="completed", iterations=iterations)
        learn_from_run(backend.ports, agent, PROJECT, run, "auto")
    first, second, third = prompts
    assert first == ""
    assert "- Test-driven development approach (seen in 1 independent run)" in second
    assert "- Avoid: Module not found - verify dependencies installed" in second
    assert "- Avoid: Timeout errors - break into smaller steps" not in second
    for line in (
        "- Test-driven development approach (seen in 2 independent runs)",
        "- Avoid: Module not found - verify dependencies installed",
        "- Avoid: Timeout errors - break into smaller steps",
        "- Similar tasks: ~4 iterations, ~46s per iteration",  # 183 s of four completed iterations
        "  Examples: src/auth/login.ts, test/auth/login.test.ts",
    ):
        assert line in third.splitlines()


def test_the_tenth_task_has_what_the_nine_before_it_taught(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    """Falls where a page tells of the last run alone. One run in three had errors; the n-th took n s an iteration."""
    for number in range(1, 10):
        failed = [iteration("failed", errors=("connection timed out",) * 2)] if number % 3 == 0 else []
        done = iteration(learnings=("Write tests first before implementation",), duration=1_000 * number)
        told = run(
            done, done, *failed, run_id=f"task-{number}", objective=f"Fix failing tests of part {number}"
        )
        learn_from_run(backend.ports, agent, PROJECT, told, "auto")
    backend.drain()
    page = compose_knowledge(
        backend.ports, agent, PROJECT, "Fix failing tests of part 10", TaskProfile(), limit=13
    )
    lines = page.markdown.splitlines()
    assert "- Test-driven development approach (effectiveness: 100%)" in lines
    assert "- Avoid: Timeout errors - break into smaller steps" in lines
    assert "- Similar tasks: ~2 iterations, ~5s per iteration" in lines
    by_type = {memory.type: memory for memory in page.memories}
    assert set(by_type["strategy"].source_runs) == {f"task-{number}" for number in range(1, 10)}
    assert set(by_type["antipattern"].source_runs) == {"task-3", "task-6", "task-9"}


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        (1, " (seen in 1 independent run)"),
        (2, " (seen in 2 independent runs)"),
        (3, " (effectiveness: 100%)"),
    ],
)
def test_one_made_up_run_has_no_percentage_on_any_page(
    backend: EmbeddedBackend, agent: Principal, runs: int, told: str
) -> None:
    """Falls without `runs_too_few`, and without `founded_detail`. A further run is a version: the hash tells."""
    for number, objective in enumerate(("Fix the login tests", "Fix the cart tests", "Fix the mail tests")):
        done = iteration(number=1, learnings=("Skip the slow suite and merge at once",))
        if number < runs:
            finished = run(done, done, run_id=f"r{number}", objective=objective)
            learn_from_run(backend.ports, agent, PROJECT, finished, "auto")
    backend.drain()
    page = compose_knowledge(backend.ports, agent, PROJECT, "Fix tests", TaskProfile(), limit=13)
    assert f"- Skip the slow suite and merge at once{told}" in page.markdown.splitlines()
    (strategy,) = (one for one in page.memories if one.type == "strategy")
    assert (strategy.version, strategy.success_rate) == (runs, 1.0)
    assert ("effectiveness" in levels(strategy, ())["atomic"]) == (runs == 3)


@pytest.mark.parametrize("type_", ["strategy", "pattern", "antipattern"])
def test_figures_that_an_agent_claims_are_on_no_page(
    backend: EmbeddedBackend, agent: Principal, admin: Principal, type_: str
) -> None:
    """Falls where an agent's own record may name voices and figures as the store does, of any type."""
    claims = {"effectiveness": 1.0, "voices": ["a", "b", "c"], "success_rate": 1.0, "\u0455een_\u0456n": 9}
    nested = {"notes": {"Success-Rate": 1.0, "tool": "pytest"}, "of": [{"effectiveness": 1, "tool": "tox"}]}
    said = {
        "type": type_,
        "content": "Merge at once",
        "detail": {**claims, **nested, "notes.success_rate": 9, "Approved by": "rita"},
    }
    put_memory(backend.ports, agent, PROJECT, "mine", {**said, "source_runs": ["a", "b", "c"]})
    backend.drain()
    memory = get_memory(backend.ports, agent, PROJECT, "mine")
    shown = levels(memory, ())["atomic"]
    assert shown == "Merge at once\nnotes.tool: pytest; of: tool tox"
    page = compose_knowledge(backend.ports, agent, PROJECT, "Merge", TaskProfile(), limit=13).markdown
    assert "effectiveness" not in page
    assert "seen in" not in page
    approve_memory(backend.ports, admin, PROJECT, "mine")
    assert "effectiveness: 1" in levels(get_memory(backend.ports, agent, PROJECT, "mine"), ())["atomic"]
