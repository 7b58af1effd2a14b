"""Price of trial places on real text: conversations of which a part is new, and half of the questions have verdicts.

    python -m tests.bench.trial_places LOCOMO_FOLDER [--conversations 4] [--new 0.3]

Turns are drawn that come ninety days after the others. Then the agents' `worked` meets the right turns that every other
question is shown. The same lists with trial places and without are compared: on the other questions too, of which no
verdict tells.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.settings import read_settings
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from tests.bench.learning import Clock
from tests.bench.retrieval import lines, load

LIMITS = (5, 10)
AGENTS = [Principal(tenant=LOCAL_PRINCIPAL.tenant, subject=f"agent-{number}") for number in range(3)]
Question = Mapping[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--conversations", type=int, default=4)
    parser.add_argument("--new", type=float, default=0.3, help="share of the turns that come later")
    arguments = parser.parse_args()
    memories, questions = (lines(arguments.locomo / f"{name}.jsonl") for name in ("memories", "questions"))
    projects = sorted({one["project"] for one in memories})[: arguments.conversations]
    table = Table("questions", "limit", "n", "R without", "R with", "lists with a trial", "right lost", "won")
    counts: Counter[tuple[str, int, str]] = Counter()
    for project in projects:
        own = [one for one in questions if one["project"] == project]
        counts += measured([one for one in memories if one["project"] == project], own, arguments.new)
    for asked in ("told", "others"):
        for limit in LIMITS:
            cell = {name: counts[asked, limit, name] for name in _COUNTED}
            table.add_row(
                *(asked, str(limit), str(cell["n"])),
                *(f"{cell[name] / max(1, cell['right']):.3f}" for name in ("without", "with")),
                *(str(cell[name]) for name in ("trials", "lost", "won")),
            )
    Console(width=130).print(table)


_COUNTED = ("n", "right", "without", "with", "trials", "lost", "won")


def measured(
    memories: Iterable[dict[str, Any]], questions: list[Question], new: float
) -> Counter[tuple[str, int, str]]:
    """Counts of one conversation. Args: new: share of its turns that come later."""
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        with closing(open_embedded(read_settings(data_dir=Path(folder)), clock=clock)) as backend:
            randomness = random.Random(20260105)
            later = {one["id"]: randomness.random() < new for one in memories}
            load(backend, Path(folder), [one for one in memories if not later[one["id"]]])
            clock.moment += timedelta(days=90)
            load(backend, Path(folder), [one for one in memories if later[one["id"]]])
            for number, question in enumerate(questions[::2]):
                _praise(backend, question, AGENTS[number % len(AGENTS)], f"run-{number}")
            clock.moment += timedelta(days=7)
            asked = {"told": questions[::2], "others": questions[1::2]}
            return sum(
                (_compared(backend, name, one) for name, some in asked.items() for one in some),
                Counter[tuple[str, int, str]](),
            )


def _praise(backend: EmbeddedBackend, question: Question, agent: Principal, run: str) -> None:
    """Reports that the right ones among those shown worked."""
    shown = _shown(backend, question, max(LIMITS), explores=False)
    for id in set(shown).intersection(question["evidence"]):
        report = OutcomeReport(result="worked", session_id=run)
        report_outcome(backend.ports, agent, question["project"], id, report)


def _compared(backend: EmbeddedBackend, name: str, question: Question) -> Counter[tuple[str, int, str]]:
    right = set(question["evidence"])
    counts: Counter[tuple[str, int, str]] = Counter()
    for limit in LIMITS:
        plain, tried = (_shown(backend, question, limit, explores=explores) for explores in (False, True))
        before, after = right.intersection(plain), right.intersection(tried)
        found = (1, len(right), len(before), len(after), "exploration" in tried.values())
        each = zip(_COUNTED, (*found, len(before - after), len(after - before)), strict=True)
        counts.update({(name, limit, counted): int(value) for counted, value in each})
    return counts


def _shown(backend: EmbeddedBackend, question: Question, limit: int, *, explores: bool) -> dict[str, str]:
    """Ids of what a list shows, with why each stands there."""
    request = RecallRequest(query=question["question"], limit=limit, explores=explores)
    found = recall(backend.ports, LOCAL_PRINCIPAL, question["project"], request)
    return {one.memory.id: one.placed_by for one in found.memories}


if __name__ == "__main__":
    main()
