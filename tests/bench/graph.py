"""What the graph adds to recall on LoCoMo: strategies side by side, by category of question.

    python -m tests.bench.graph LOCOMO_FOLDER [--backend aws] [--json FILE]

The data and the loading are those of `tests.bench.retrieval`.
"""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.usecases.recall.recall import RecallRequest, recall
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
    retrieval.run(str(__doc__), _rankers, _print)


def _rankers(backend: EmbeddedBackend) -> dict[str, Ranker]:
    return {name: _ranker(backend, asked) for name, asked in ASKED.items()}


def _ranker(backend: EmbeddedBackend, asked: dict[str, Any]) -> Ranker:
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
