"""What the graph adds to recall on LoCoMo: strategies side by side, by category of question.

    python -m tests.bench.graph LOCOMO_FOLDER [--backend aws] [--json FILE]

The data and the loading are those of `tests.bench.retrieval`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap import Embedded
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.usecases.recall import RecallRequest, recall
from tests.bench import retrieval
from tests.bench.retrieval import DEEPEST, Ranker

SHOWN = ("R@5", "R@10", "R@25")
ASKED: dict[str, dict[str, Any]] = {
    "semantic": {"strategy": "semantic"},
    "auto": {"strategy": "auto"},
    "graph, 1 hop": {"strategy": "graph", "hops": 1},
    "graph, 2 hops": {"strategy": "graph", "hops": 2},
}


def main() -> None:
    arguments = _arguments()
    memories, questions = (
        retrieval.lines(arguments.locomo / f"{name}.jsonl") for name in ("memories", "questions")
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        retrieval.opened(arguments.backend, Path(folder)) as backend,
    ):
        loading_s = retrieval.load(backend, Path(folder), memories)
        runs = {name: retrieval.measure(_ranker(backend, asked), questions) for name, asked in ASKED.items()}
    report = {"memories": len(memories), "questions": len(questions), "loading_s": loading_s, "runs": runs}
    _print(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--backend", choices=("embedded", "aws"), default="embedded")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _ranker(backend: Embedded, asked: dict[str, Any]) -> Ranker:
    def rank(project: str, question: str) -> list[str]:
        request = RecallRequest(query=question, limit=DEEPEST, **asked)
        found = recall(backend.ports, LOCAL_PRINCIPAL, project, request)
        return [item.memory.id for item in found.memories]

    return rank


def _print(report: dict[str, Any]) -> None:
    categories = ["all", *next(iter(report["runs"].values()))["categories"]]
    table = Table("", *(f"{name}\n{' / '.join(SHOWN)}" for name in categories), "p50 / p95 ms")
    for name, run in report["runs"].items():
        scores = {"all": run["all"], **run["categories"]}
        cells = (" / ".join(f"{scores[of][cut]:.3f}"[1:] for cut in SHOWN) for of in categories)
        table.add_row(name, *cells, f"{run['p50_ms']:.1f} / {run['p95_ms']:.1f}")
    Console(width=200).print(table)


if __name__ == "__main__":
    main()
