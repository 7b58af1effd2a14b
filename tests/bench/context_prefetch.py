"""Prefetch of contexts on conversations: how often it foresees a request, and what the processor pays for a hit.

    python -m tests.bench.context_prefetch LOCOMO_FOLDER ENGINEERING_FOLDER [--sessions N] [--facts N]

The words are LoCoMo's (turns and questions) and those of public documentation; what is asked when is a habit of the
asker, and the habits stand in the table. A context is asked for once the prefetch has come to rest, as after the
seconds in which a model answers, or at once after the write. Each habit has projects of its own.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from time import process_time
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from memory_layer.adapters.process.prefetch_thread import PrefetchThread
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.prefetch import PrefetchCounts
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from tests.bench.retrieval import lines, opened

QUIET_S: Final = 0.05
"""Shorter than the product's, so that the table is there today; nothing is measured in seconds of the wall."""

Step = tuple[str, str | None]
"""Turn that is stored, and the intent that is asked for after it; None: nothing is asked."""

Habit = Callable[[Sequence[str], Iterator[str]], Iterator[Step]]
"""From the turns of a session, and questions that nobody has asked yet."""


def each_turn(turns: Sequence[str], _: Iterator[str]) -> Iterator[Step]:
    return ((turn, turn) for turn in turns)


def every_second_turn(turns: Sequence[str], _: Iterator[str]) -> Iterator[Step]:
    return ((turn, turn if number % 2 == 0 else None) for number, turn in enumerate(turns))


def one_objective(turns: Sequence[str], _: Iterator[str]) -> Iterator[Step]:
    return ((turn, turns[0]) for turn in turns)


def objective_every_third(turns: Sequence[str], _: Iterator[str]) -> Iterator[Step]:
    return ((turn, turns[0] if number % 3 == 2 else None) for number, turn in enumerate(turns))


def three_in_rotation(turns: Sequence[str], _: Iterator[str]) -> Iterator[Step]:
    return zip(turns, cycle(turns[:3]), strict=False)


def questions(turns: Sequence[str], asked: Iterator[str]) -> Iterator[Step]:
    return ((turn, next(asked, None)) for turn in turns)


def objective_and_questions(turns: Sequence[str], asked: Iterator[str]) -> Iterator[Step]:
    return ((turn, turns[0] if number % 2 else next(asked, turns[0])) for number, turn in enumerate(turns))


HABITS: Final[dict[str, Habit]] = {
    "each turn's words": each_turn,
    "every second turn's words": every_second_turn,
    "one objective, after each turn": one_objective,
    "one objective, after three turns": objective_every_third,
    "three objectives in rotation": three_in_rotation,
    "questions of people": questions,
    "an objective and questions by turns": objective_and_questions,
}

AT_ONCE: Final = ("each turn's words", "one objective, after each turn")
"""Habits that are tried without a rest between a write and the request as well."""


@dataclass
class Row:
    """Counts of one habit. Args: hit_s, missed_s: processor time of each request, seconds."""

    counts: PrefetchCounts = field(default_factory=PrefetchCounts)
    hit_s: list[float] = field(default_factory=list)
    missed_s: list[float] = field(default_factory=list)


def main() -> None:
    arguments = _arguments()
    logging.getLogger("memory_layer").setLevel(logging.ERROR)
    table = Table(
        *("texts", "asked", "when", "requests", "hits", "ratio", "assembled", "for nothing", "given up"),
        *("ms a hit", "ms a miss", "processor ms a hit"),
    )
    with tempfile.TemporaryDirectory() as folder, opened("embedded", Path(folder)) as backend:
        prefetch = backend.ports.contexts.prefetch
        assert isinstance(prefetch, PrefetchThread)
        prefetch._quiet_s, prefetch._rest_factor = QUIET_S, 0.0
        for texts, sessions, asked in _texts(arguments):
            for name, habit in HABITS.items():
                for waits in (True, False) if name in AT_ONCE else (True,):
                    project = f"{texts}-{list(HABITS).index(name)}-{waits:d}"
                    row = _row(backend, prefetch, project, sessions, habit, iter(asked), waits=waits)
                    table.add_row(texts, name, "after a rest" if waits else "at once", *_told(row))
                    print(texts, name, waits, *_told(row), flush=True)
    Console(width=200).print(table)


def _texts(arguments: argparse.Namespace) -> Iterator[tuple[str, list[list[str]], list[str]]]:
    """Name, sessions of turns, and questions of each set of texts."""
    by_session: dict[tuple[str, str], list[str]] = defaultdict(list)
    for turn in lines(arguments.locomo / "memories.jsonl"):
        by_session[turn["project"], turn["session"]].append(turn["text"])
    asked = [one["question"] for one in lines(arguments.locomo / "questions.jsonl")]
    yield "LoCoMo", list(by_session.values())[: arguments.sessions], asked
    facts = [one["text"] for one in lines(arguments.engineering / "facts.jsonl")][: arguments.facts]
    asked = [one["question"] for one in lines(arguments.engineering / "questions.jsonl")]
    yield "engineering", [facts[at : at + 20] for at in range(0, len(facts), 20)], asked


def _row(
    backend: EmbeddedBackend,
    prefetch: PrefetchThread,
    project: str,
    sessions: Sequence[Sequence[str]],
    habit: Habit,
    asked: Iterator[str],
    *,
    waits: bool,
) -> Row:
    set_policy(backend.ports, LOCAL_PRINCIPAL, project, lambda old: replace(old, context_prefetch=True))
    row, before = Row(), prefetch.counts()
    for number, turns in enumerate(sessions):
        for position, (turn, intent) in enumerate(habit(turns, asked)):
            _store(backend, project, {"session_id": f"s{number}", "position": position, "content": turn})
            if waits:
                backend.drain()
                prefetch.drain()
            if intent is not None:
                _ask(backend, project, f"s{number}", intent, row)
    backend.drain()
    prefetch.drain()
    after = prefetch.counts()
    row.counts = PrefetchCounts(
        after.requests - before.requests,
        after.hits - before.hits,
        after.assembled - before.assembled,
        after.abandoned - before.abandoned,
        after.processor_s - before.processor_s,
    )
    return row


def _store(backend: EmbeddedBackend, project: str, fields: dict[str, Any]) -> None:
    remember(backend.ports, LOCAL_PRINCIPAL, project, RememberRequest(fields=fields, on_duplicate="create"))


def _ask(backend: EmbeddedBackend, project: str, session_id: str, intent: str, row: Row) -> None:
    request = ContextRequest(intent=intent, session_id=session_id, time_ms=20_000)
    started = process_time()
    page = assemble_context(backend.ports, LOCAL_PRINCIPAL, project, request)
    (row.hit_s if page.was_kept else row.missed_s).append(process_time() - started)


def _told(row: Row) -> tuple[str, ...]:
    counts = row.counts
    ratio = counts.hits / counts.requests if counts.requests else 0.0
    wasted = counts.assembled - counts.hits
    a_hit = f"{1_000 * counts.processor_s / counts.hits:.0f}" if counts.hits else "-"
    return (
        *map(str, (counts.requests, counts.hits, f"{ratio:.2f}", counts.assembled, wasted, counts.abandoned)),
        *(_mean_ms(row.hit_s), _mean_ms(row.missed_s), a_hit),
    )


def _mean_ms(seconds: Sequence[float]) -> str:
    return f"{1_000 * sum(seconds) / len(seconds):.1f}" if seconds else "-"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("engineering", type=Path)
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--facts", type=int, default=60)
    return parser.parse_args()


if __name__ == "__main__":
    main()
