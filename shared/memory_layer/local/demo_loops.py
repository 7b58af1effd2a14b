"""Three loops of an agent, one after the other: each begins with what the ones before it taught."""

from collections.abc import Sequence

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from memory_layer.domain.access import Principal
from memory_layer.domain.learning.run import Analysis, Iteration, Run
from memory_layer.domain.ranking import TaskProfile
from memory_layer.ports.process import Ports
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.recall.compose_knowledge import KnowledgePrompt, compose_knowledge

PROJECT = "demo-loops"
FILES = ("src/auth/login.ts", "test/auth/login.test.ts")


def _done(number: int, seconds: float, *learnings: str) -> Iteration:
    return Iteration(
        number=number,
        status="completed",
        duration=seconds * 1_000,
        analysis=Analysis(progress_made=True),
        learnings=learnings,
        files_modified=FILES,
    )


def _failed(number: int, seconds: float, *errors: str) -> Iteration:
    return Iteration(
        number=number, status="failed", duration=seconds * 1_000, analysis=Analysis(errors=errors)
    )


LOOPS: Sequence[tuple[str, str, tuple[Iteration, ...]]] = (
    (
        "ralph-001",
        "Fix failing authentication tests",
        (
            _failed(1, 31, "Error: Cannot find module 'supertest'"),
            _failed(2, 28, "Module not found: jsonwebtoken"),
            _done(3, 52, "Write tests first before implementation"),
            _done(
                4,
                44,
                "Test-driven: reproduce the failure, then fix it",
                "Made minimal changes to fix the bug",
            ),
        ),
    ),
    (
        "ralph-002",
        "Fix database connection tests",
        (
            _failed(1, 35, "connect timeout after 5000 ms", "query timed out"),
            _done(2, 48, "Write tests first, with a container for the database"),
            _done(3, 39, "Implemented incrementally, one function at a time"),
        ),
    ),
    (
        "ralph-003",
        "Fix API endpoint tests",
        (_done(1, 41, "Tests first, then the handler"), _done(2, 37, "Small change, test first")),
    ),
)


def tell_loops(console: Console, ports: Ports, agent: Principal) -> None:
    """Tells three loops: before each its prompt is composed; after it the run is reported, and credits what it was
    given."""
    for run_id, objective, iterations in LOOPS:
        knowledge = compose_knowledge(ports, agent, PROJECT, objective, TaskProfile(), limit=10)
        _show(console, f"{run_id} begins: {objective}", knowledge)
        run = Run(
            run_id=run_id,
            objective=objective,
            status="completed",
            iterations=iterations,
            memories_used=tuple(memory.id for memory in knowledge.memories if memory.type == "strategy"),
        )
        counts = learn_from_run(ports, agent, PROJECT, run, "auto").record.result or {}
        console.print(
            "  " + ", ".join(f"{count} {name}" for name, count in counts.items() if count), style="dim"
        )


def _show(console: Console, title: str, knowledge: KnowledgePrompt) -> None:
    console.print(
        Panel(Text(knowledge.markdown.rstrip() or "(nothing is known yet)"), title=title, title_align="left")
    )
