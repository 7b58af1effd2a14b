"""Demo `make demo`: the main job on real engineering memories, told step by step.

Everything here goes through the use cases that HTTP, the command line and MCP call.
"""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import OutcomeResult
from memory_layer.domain.policy import Policy
from memory_layer.domain.ranking import RankedMemory, TaskProfile
from memory_layer.edge.shapes.requests import NewMemory
from memory_layer.errors import Duplicate
from memory_layer.local.demo_loops import tell_loops
from memory_layer.local.demo_tables import SIGNALS, ranked_table, side_by_side
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Ports
from memory_layer.settings import EmbeddedSettings, read_settings
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember, remember_many

PROJECT = "demo"
AGENT = Principal(tenant=LOCAL_PRINCIPAL.tenant, subject="coding-agent")

QUESTIONS = (
    "Why do my writers get 'database is locked'?",
    "how big may an item be in DynamoDB",
    "cold start of the function is slow, what helps?",
    "the late message overwrote the newer document in the index",
    "pip installs a package with another hash than in the lock file",
)
LESSONS = (
    ("what makes a page of search results empty?", "max_result_window", "LastEvaluatedKey"),
    ("pip fails on a hash", "switches pip to hash-checking mode", "THESE PACKAGES DO NOT MATCH"),
)
"""Questions, each with a phrase of the memory that misleads here, and one of the memory that is right."""
RUNS = 4
SHOWN = 5
PIPED_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Stage:
    """Console of the story, and the product that it is about."""

    console: Console
    ports: Ports

    def chapter(self, title: str, told: str) -> None:
        self.console.print()
        self.console.rule(f"[bold]{title}", align="left")
        self.console.print(told, style="dim")

    def store(self, principal: Principal, **fields: Any) -> StoredMemory:
        stored = remember(self.ports, principal, PROJECT, RememberRequest(fields=fields))
        if not isinstance(stored, StoredMemory):
            raise TypeError("the demo sends no idempotency keys")
        return stored

    def ask(self, question: str, limit: int = SHOWN) -> RecallResult:
        return recall(self.ports, LOCAL_PRINCIPAL, PROJECT, RecallRequest(query=question, limit=limit))


def main() -> None:
    """Tells the story, on a data folder that is thrown away afterwards."""
    started = time.perf_counter()
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    with TemporaryDirectory(prefix="memory-layer-demo-") as folder:
        backend = open_embedded(EmbeddedSettings(Path(folder), read_settings().model_dir))
        with closing(backend):
            tell_story(Stage(console, backend.ports))
    console.print(
        f"\nTold in {time.perf_counter() - started:.1f} s. Your own: [bold]mem add[/], [bold]mem search[/]."
    )


def tell_story(stage: Stage) -> None:
    """Tells every chapter, in order."""
    load(stage)
    ask_questions(stage)
    learn_from_outcomes(stage)
    review_what_an_agent_learned(stage)
    refuse_a_duplicate(stage)
    redact_a_secret(stage)
    compose(stage)
    learn_from_loops(stage)


def load(stage: Stage) -> None:
    """Stores a person's notes, as one batch."""
    stage.chapter(
        "Remember", "Facts, traps and conventions of the technologies that this product is built on."
    )
    asked = [RememberRequest(fields=_fields(item)) for item in bundled_memories()]
    started = time.perf_counter()
    results = remember_many(stage.ports, LOCAL_PRINCIPAL, PROJECT, asked)
    seconds = time.perf_counter() - started
    stored = [result for result in results if isinstance(result, StoredMemory)]
    searchable = sum(result.is_indexed for result in stored)
    stage.console.print(
        f"{len(stored)} of {len(asked)} memories stored in {seconds:.1f} s; {searchable} found by meaning."
    )
    if searchable < len(stored):
        stage.console.print(
            "There is no embedding model (mem model build): recall goes by words alone.", style="yellow"
        )


def bundled_memories() -> list[Mapping[str, Any]]:
    """Fields of the memories that come with the product."""
    found: list[Mapping[str, Any]] = json.loads(
        files(__package__).joinpath("demo_memories.json").read_text("utf-8")
    )
    return found


def _fields(item: Mapping[str, Any]) -> dict[str, Any]:
    body = NewMemory.model_validate(item)
    return {name: getattr(body, name) for name in body.model_fields_set}


def ask_questions(stage: Stage) -> None:
    """Recalls memories for questions, which is the main job."""
    stage.chapter(
        "Recall", f"Relevance first, experience among equals. Signals: {', '.join(SIGNALS.values())}."
    )
    for question in QUESTIONS:
        started = time.perf_counter()
        recalled = stage.ask(question, limit=3)
        milliseconds = (time.perf_counter() - started) * 1000
        stage.console.print(
            f"\n[bold cyan]? {question}[/]  [dim]{recalled.ranking}, {milliseconds:.1f} ms[/]"
        )
        stage.console.print(ranked_table(recalled.memories))


def learn_from_outcomes(stage: Stage) -> None:
    """Reports outcomes: a memory that worked rises, one that failed falls."""
    stage.chapter(
        "Learn from outcomes",
        f"Two questions with a plausible answer that misled and another that was right. {RUNS} runs report "
        "the right one as worked, the first of them the other one as failed.",
    )
    for question, misleading, right in LESSONS:
        before = stage.ask(question, limit=3).memories
        failing, working = (_with_phrase(before, phrase) for phrase in (misleading, right))
        stage.console.print(f"\n[bold cyan]? {question}[/]")
        if failing is None or working is None:
            stage.console.print("by words alone it finds only one of the two", style="yellow")
        else:
            _report(stage, failing, "failed", "run-1")
            places = [_place_after(stage, question, working, run) for run in range(1, RUNS + 1)]
            stage.console.print(side_by_side(before, stage.ask(question, limit=3).memories))
            first = [item.memory.id for item in before].index(working) + 1
            stage.console.print(
                f"The right one's place: {' → '.join(map(str, (first, *places)))}", style="dim"
            )


def _place_after(stage: Stage, question: str, working: str, run: int) -> int:
    _report(stage, working, "worked", f"run-{run}")
    return [item.memory.id for item in stage.ask(question).memories].index(working) + 1


def _with_phrase(ranked: Sequence[RankedMemory], phrase: str) -> str | None:
    return next((item.memory.id for item in ranked if phrase in item.memory.content), None)


def _report(stage: Stage, id: str, result: OutcomeResult, run_id: str) -> None:
    report = OutcomeReport(result=result, run_id=run_id, session_id="demo")
    report_outcome(stage.ports, LOCAL_PRINCIPAL, PROJECT, id, report)


def review_what_an_agent_learned(stage: Stage) -> None:
    """Reviews an agent's conclusion: nobody believes it before a person has looked at it."""
    stage.chapter("Govern", "This project wants to see what agents learn before anyone recalls it.")
    set_policy(stage.ports, LOCAL_PRINCIPAL, PROJECT, lambda _: Policy(review_sources=("run", "learning")))
    learned = (
        "The nightly export job must open its SQLite connection with mode=ro, or it takes the write lock "
        "during its checkpoint and the API times out."
    )
    stored = stage.store(AGENT, content=learned, source="learning", category="gotcha")
    question = "why does the API time out during the nightly export?"
    stage.console.print(f"The agent stores: [italic]{escape(learned)}[/]")
    _tell_whether_recalled(stage, question, stored.memory.id, f"status {stored.memory.status}")
    approved = approve_memory(stage.ports, LOCAL_PRINCIPAL, PROJECT, stored.memory.id)
    _tell_whether_recalled(
        stage,
        question,
        stored.memory.id,
        f"approved by {approved.approved_by}, confidence {approved.confidence:g}",
    )


def _tell_whether_recalled(stage: Stage, question: str, id: str, state: str) -> None:
    places = [item.memory.id for item in stage.ask(question).memories]
    found = f"recalled in place {places.index(id) + 1}" if id in places else "not recalled"
    stage.console.print(f"  {state}: [bold]{found}[/]  [dim]? {question}[/]")


def refuse_a_duplicate(stage: Stage) -> None:
    """Stores the same again, which is no second memory."""
    stage.chapter("No duplicates", "The same thing in almost the same words, once more.")
    first = bundled_memories()[0]["content"]
    repeated = f"Note: {first[0].lower()}{first[1:]}"
    try:
        stage.store(LOCAL_PRINCIPAL, content=repeated)
    except Duplicate as error:
        stage.console.print(f"Refused: {escape(error.detail)}\n  [dim]{escape(error.twin.content)}[/]")
    else:
        stage.console.print("Stored: without a model only equal texts are known as twins.", style="yellow")


def redact_a_secret(stage: Stage) -> None:
    """Stores a secret, which is taken out before anything is stored, embedded or logged."""
    stage.chapter("No secrets", "Somebody pastes a connection string with its password.")
    password = "-".join(("correct", "horse", "8c21f0"))
    pasted = f"The staging queue is reached with amqp://worker:{password}@queue.staging.internal:5672/jobs"
    stored = stage.store(LOCAL_PRINCIPAL, content=pasted)
    stage.console.print(f"Stored:  {escape(stored.memory.content)}")
    for finding in stored.redacted:
        receipt = f"Receipt: {finding.count} × {finding.kind} redacted in {finding.pointer}"
        stage.console.print(receipt, style="dim")


def compose(stage: Stage) -> None:
    """Composes the section that an orchestrator puts into the prompt of a task."""
    task = "Make the record store survive a crash in the middle of a write"
    stage.chapter("Compose the prompt", f"Task: {task}; it may touch store/**.")
    prompt = compose_prompt(
        stage.ports, LOCAL_PRINCIPAL, PROJECT, task, TaskProfile(write_scope=("store/**", "sqlite")), limit=6
    )
    stage.console.print(
        Panel(Text(prompt.markdown.rstrip()), title=f"memory set {prompt.memory_set_hash[:12]}")
    )


def learn_from_loops(stage: Stage) -> None:
    """Reports runs, whose lessons reach the next one's prompt."""
    stage.chapter(
        "Learn from runs",
        "Three loops of an agent. Each run is reported when it ends: what it taught is extracted, judged and "
        "promoted, and the memories that it cites are credited.",
    )
    tell_loops(stage.console, stage.ports, AGENT)


if __name__ == "__main__":
    main()
