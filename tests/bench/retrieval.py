"""Evidence recall on LoCoMo through the product: turns go in over HTTP, questions through the recall use case.

    python -m tests.bench.retrieval LOCOMO_FOLDER [--backend aws|small] [--json FILE]

The folder holds memories.jsonl and questions.jsonl of LoCoMo (Maharana et al., ACL 2024). The aws backend runs on the
engines of `make engines`, the small one on their DynamoDB with a bucket in this process. All turns have reached the
index before the first question.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.local.server import application
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from memory_layer.usecases.recall.find_candidates import CandidateSearch, find_candidates
from memory_layer.usecases.recall.recall import RecallRequest, Strategy, recall
from tests.aws.deployment import on_engines, small_on_engines

CUTS = (5, 10, 25, 50)
DEEPEST = max(CUTS)
Ranker = Callable[[str, str], list[str]]
"""From project and question to memory ids, best first."""


def main() -> None:
    run(str(__doc__), _rankers, _print)


def run(
    description: str,
    rankers: Callable[[EmbeddedBackend], Mapping[str, Ranker]],
    show: Callable[[dict[str, Any]], None],
) -> None:
    """Load LoCoMo, measure each ranker on its questions, and show the report."""
    arguments = _arguments(description)
    memories, questions = (lines(arguments.locomo / f"{name}.jsonl") for name in ("memories", "questions"))
    with tempfile.TemporaryDirectory() as folder, opened(arguments.backend, Path(folder)) as backend:
        loading_s = load(backend, Path(folder), memories).seconds
        results = {name: measure(ranker, questions) for name, ranker in rankers(backend).items()}
    report = {"memories": len(memories), "questions": len(questions), "loading_s": loading_s, "runs": results}
    show(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def _arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--backend", choices=("embedded", "aws", "small"), default="embedded")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


@contextmanager
def opened(name: str, folder: Path, embedder: Embedder | None = None) -> Iterator[EmbeddedBackend]:
    """Opens a backend of this name on a folder. Args: embedder: None: the product's."""
    local = open_embedded(read_settings(data_dir=folder), embedder=embedder)
    with closing(local):
        if name == "embedded":
            yield local
            return
        deployments = on_engines if name == "aws" else small_on_engines
        with deployments(folder, local.ports.embedder) as deployment, closing(deployment.open()) as backend:
            yield backend


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@dataclass(frozen=True)
class Loaded:
    """Turns that were loaded. Args: ids: that the product gave, by project and name of the turn."""

    seconds: float
    ids: Mapping[tuple[str, str], str]


def load(
    backend: EmbeddedBackend, folder: Path, memories: Iterable[dict[str, Any]], *, default_ids: bool = False
) -> Loaded:
    """Every session in one request to POST /sessions/{id}/turns, as a user would.

    Args:
        default_ids: the product gives the ids; else the turns keep their own.
    """
    import asyncio

    sessions: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for memory in memories:
        sessions[memory["project"], memory["session"]].append(memory)

    ids: dict[tuple[str, str], str] = {}

    async def post_all() -> None:
        transport = httpx2.ASGITransport(app=application(backend, folder, with_auth=False))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
            for (project, session), turns in sessions.items():
                turns.sort(key=lambda turn: turn["turn"])
                body = [_turn(turn, has_id=not default_ids) for turn in turns]
                answer = await client.post(f"/v1/projects/{project}/sessions/{session}/turns", json=body)
                results = answer.json()["results"]
                failed = [line for line in results if line["status"] != 201]
                if failed:
                    raise SystemExit(f"{project} {session}: {failed[0]}")
                ids.update(
                    ((project, turn["id"]), line["id"]) for turn, line in zip(turns, results, strict=True)
                )

    started = time.perf_counter()
    asyncio.run(post_all())
    backend.drain()
    return Loaded(time.perf_counter() - started, ids)


def _turn(turn: dict[str, Any], *, has_id: bool) -> dict[str, Any]:
    said_at = datetime.strptime(turn["said_at"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return {
        **({"id": turn["id"]} if has_id else {}),
        "speaker": turn["speaker"],
        "content": turn["text"],
        "valid_from": said_at.isoformat(),
    }


def _rankers(backend: EmbeddedBackend) -> dict[str, Ranker]:
    def by_recall(strategy: Strategy) -> Ranker:
        def rank(project: str, question: str) -> list[str]:
            request = RecallRequest(query=question, strategy=strategy, limit=DEEPEST)
            return [
                item.memory.id for item in recall(backend.ports, LOCAL_PRINCIPAL, project, request).memories
            ]

        return rank

    def dense(project: str, question: str) -> list[str]:
        """The semantic arm over the content alone: no strategy of the product, here for comparison."""
        search = CandidateSearch(
            project=LOCAL_PRINCIPAL.scope(project),
            query=question,
            filters=Filters(),
            viewer=viewer_of(LOCAL_PRINCIPAL),
            now=backend.ports.clock.now(),
        )
        scores = find_candidates(backend.ports, search).table.ranked("content_semantic")
        return [ref.id for ref in sorted(scores, key=lambda ref: -scores[ref])]

    return {
        "lexical": by_recall("lexical"),
        "dense (content only)": dense,
        "hybrid (semantic)": by_recall("semantic"),
        "default (auto)": by_recall("auto"),
    }


def measure(rank: Ranker, questions: list[dict[str, Any]]) -> dict[str, Any]:
    rows, times_ms = [], []
    rank(questions[0]["project"], questions[0]["question"])  # loads what is loaded lazily
    for question in questions:
        started = time.perf_counter()
        found = rank(question["project"], question["question"])
        times_ms.append((time.perf_counter() - started) * 1000)
        rows.append((question["category"], _scores(found, set(question["evidence"]))))
    groups = {category: [s for c, s in rows if c == category] for category in sorted({c for c, _ in rows})}
    return {
        "all": _mean([scores for _, scores in rows]),
        "categories": {name: _mean(scores) | {"questions": len(scores)} for name, scores in groups.items()},
        "p50_ms": float(np.percentile(times_ms, 50)),
        "p95_ms": float(np.percentile(times_ms, 95)),
    }


def _scores(found: list[str], evidence: set[str]) -> dict[str, float]:
    """Share of the evidence among the first k, and NDCG@10 with binary gains."""
    hits = [id in evidence for id in found[:10]]
    gain = sum(1 / np.log2(place + 2) for place, hit in enumerate(hits) if hit)
    ideal = sum(1 / np.log2(place + 2) for place in range(min(10, len(evidence))))
    recalls = {f"R@{k}": len(evidence.intersection(found[:k])) / len(evidence) for k in CUTS}
    return {**recalls, "NDCG@10": float(gain / ideal)}


def _mean(scores: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([score[name] for score in scores])) for name in scores[0]}


def _print(report: dict[str, Any]) -> None:
    console = Console()
    console.print(
        f"LoCoMo: {report['memories']} turns loaded in {report['loading_s']:.1f} s, "
        f"{report['questions']} questions"
    )
    table = Table("", "n", *(f"R@{k}" for k in CUTS), "NDCG@10", "p50 ms", "p95 ms")
    for name, run in report["runs"].items():
        cells = (f"{value:.3f}" for value in run["all"].values())
        table.add_row(name, str(report["questions"]), *cells, f"{run['p50_ms']:.1f}", f"{run['p95_ms']:.1f}")
    table.add_section()
    for category, scores in report["runs"]["default (auto)"]["categories"].items():
        cells = (f"{value:.3f}" for key, value in scores.items() if key != "questions")
        table.add_row(f"default · {category}", str(scores["questions"]), *cells, "", "")
    console.print(table)


if __name__ == "__main__":
    main()
