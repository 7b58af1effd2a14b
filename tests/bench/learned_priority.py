"""Learned priority on LoCoMo: when each page's reader says which of its turns are evidence, what does the replay say?

    python -m tests.bench.learned_priority LOCOMO_FOLDER [--projects N] [--questions N]

The questions of a conversation are asked one after the other, and the turns that are evidence are told as used. The
same pages with as many used at random are the control: what is on there is on for nothing.
"""

from __future__ import annotations

import argparse
import logging
import random
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.context.learned_priority import (
    FEATURES,
    PAGES_MAX,
    JudgedPage,
    Signals,
    fitted,
    judged_page,
    replayed,
)
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from tests.bench.retrieval import lines, load, opened

TOKENS = 1_000
TIME_MS = 28_000
"""Nothing is left out for want of time."""

CONTROLS = 20
"""Draws of turns used at random, of each conversation."""


def main() -> None:
    arguments = _arguments()
    logging.getLogger("memory_layer").setLevel(logging.ERROR)
    memories, questions = (lines(arguments.locomo / f"{name}.jsonl") for name in ("memories", "questions"))
    projects = list(dict.fromkeys(one["project"] for one in memories))[: arguments.projects]
    table = Table(
        "conversation", "pages", "held out", "fixed", "learned", "gained, lost", "on", "weights", "control on"
    )
    with tempfile.TemporaryDirectory() as folder, opened("embedded", Path(folder)) as backend:
        told = [one for one in memories if one["project"] in projects]
        ids = load(backend, Path(folder), told, default_ids=True).ids
        for project in projects:
            asked = [one for one in questions if one["project"] == project][: arguments.questions]
            table.add_row(project, *_row(list(_pages(backend, ids, asked))))
    Console(width=200).print(table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--projects", type=int, default=4)
    parser.add_argument("--questions", type=int, default=96)
    return parser.parse_args()


_Told = tuple[Sequence[Signals], list[int]]
"""Signals of a page, and which of its numbers are evidence."""


def _pages(
    backend: EmbeddedBackend, ids: dict[tuple[str, str], str], questions: Sequence[dict[str, Any]]
) -> Iterator[_Told]:
    for question in questions:
        project = question["project"]
        request = ContextRequest(intent=question["question"], tokens_max=TOKENS, time_ms=TIME_MS)
        shown = assemble_context(backend.ports, LOCAL_PRINCIPAL, project, request).assembled.fragments
        evidence = {ids[project, name] for name in question["evidence"]}
        yield [part.signals for part in shown], [part.ref for part in shown if part.id in evidence]


def _row(told: Sequence[_Told]) -> list[str]:
    pages = _judged(told)
    replay, weights = replayed(pages), fitted(pages)
    rng = random.Random(0)
    drawn = [
        [(page, rng.sample(range(1, len(page) + 1), len(used))) for page, used in told]
        for _ in range(CONTROLS)
    ]
    on = sum(replayed(_judged(one)).is_won for one in drawn)
    named = ", ".join(f"{name} {weight:+.2f}" for name, weight in zip(FEATURES, weights, strict=True))
    counts = f"{replay.gained}, {replay.lost}"
    return [
        *map(str, (len(pages), replay.pages, replay.fixed, replay.learned, counts, replay.is_won)),
        named,
        f"{on} of {CONTROLS}",
    ]


def _judged(told: Sequence[_Told]) -> list[JudgedPage]:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    pages = [judged_page(page, used, by="reader", at=at) for page, used in told]
    return [page for page in pages if page is not None][-PAGES_MAX:]


if __name__ == "__main__":
    main()
