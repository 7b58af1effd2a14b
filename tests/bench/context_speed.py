"""How long does a context take? At 100,000 memories in 20 projects, embedded; and on the cloud's engines, locally.

    python -m tests.bench.context_speed [--size 100000x20] [--requests 200] [--backend embedded|aws] [--json FILE]

Each request is asked for anew, then twice more: how many of those come from what was kept is printed beside; and how
long a graph around one memory takes. On the engines, the requests to them are counted: of a context asked for anew.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.domain.fields import memory_from_json
from memory_layer.domain.memory import Memory
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Ports
from memory_layer.settings import read_settings
from memory_layer.usecases.context.assemble import AssembledPage, assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.explore_graph import explore_graph
from tests.aws.deployment import on_engines
from tests.bench.cloud_seed import counted_round_trips, seed_engines
from tests.bench.data_folder import Size, corpus_of, loaded_folder, working_copy
from tests.bench.plan import CACHE
from tests.bench.questions import load_sample, questions_of

PATIENT_MS = 27_000
BUDGETS = (1_000, 4_000, 16_000)
T = TypeVar("T")


@dataclass(frozen=True)
class Opened:
    """A backend with memories, project `p0` to `p{projects - 1}`. Args: trips: requests to its engines till now."""

    ports: Ports
    projects: int
    trips: Counter[str] = field(default_factory=Counter)

    def ask(self, number: int, intent: str, tokens: int) -> AssembledPage:
        request = ContextRequest(intent=intent, tokens_max=tokens, time_ms=PATIENT_MS)
        return assemble_context(self.ports, LOCAL_PRINCIPAL, f"p{number % self.projects}", request)

    def explore(self, number: int) -> object:
        """Around a memory of the project's first."""
        id, project = f"mem_{number:032x}", f"p{number % self.projects}"
        return explore_graph(self.ports, LOCAL_PRINCIPAL, project, id, hops=2, limit=50)


def main() -> None:
    arguments = _arguments()
    cache, size = arguments.cache.expanduser(), Size.of(arguments.size, arguments.texts)
    cache.mkdir(parents=True, exist_ok=True)
    folder = loaded_folder(size, cache, print)
    asked = questions_of(load_sample(folder), arguments.requests, seed=3).asked
    questions = [question.text for question in asked]
    opened = _on_engines(size, cache) if arguments.backend == "aws" else _embedded(size, folder)
    with opened as backend:
        for number in range(backend.projects):
            backend.ask(number, questions[0], BUDGETS[-1])  # loads what is loaded late
        gc.collect()
        gc.freeze()
        report = {f"{tokens} tokens": _measured(backend, questions, tokens) for tokens in BUDGETS}
        report["graph"] = _shares([_timed(lambda: backend.explore(n))[0] for n in range(arguments.requests)])  # noqa: B023
    _print(arguments.backend, report)
    if arguments.json:
        arguments.json.write_text(
            json.dumps({"backend": arguments.backend, "size": arguments.size, **report})
        )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="100000x20")
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument(
        "--texts", action="append", default=[], help="a folder of real sentences; repeat for more"
    )
    parser.add_argument("--cache", type=Path, default=CACHE, help="where loaded corpora are kept")
    parser.add_argument("--backend", choices=("embedded", "aws"), default="embedded")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


@contextmanager
def _embedded(size: Size, folder: Path) -> Iterator[Opened]:
    with working_copy(folder) as copy:
        backend = open_embedded(read_settings(data_dir=copy / "data"))
        try:
            yield Opened(backend.ports, size.projects)
        finally:
            backend.close()


@contextmanager
def _on_engines(size: Size, cache: Path) -> Iterator[Opened]:
    corpus = corpus_of(size, cache)
    with tempfile.TemporaryDirectory() as folder:
        local = open_embedded(read_settings(data_dir=Path(folder)))
        with on_engines(Path(folder), local.ports.embedder) as deployment:
            for chunk in corpus.chunks():
                memories = [_memory(document, local.ports.embedder.model) for document in chunk.documents]
                seed_engines(deployment.cloud, memories, chunk.vectors)
            with counted_round_trips(deployment.cloud) as trips:
                yield Opened(deployment.cloud.ports, corpus.projects, trips)
        local.close()


def _memory(document: dict[str, Any], model: str) -> Memory:
    """The record of a corpus's document, as the store would have it."""
    tenant = LOCAL_PRINCIPAL.tenant
    return memory_from_json({**document, "tenant": tenant, "embedding_model": model})


def _measured(backend: Opened, questions: list[str], tokens: int) -> dict[str, Any]:
    new, kept, hits, coherences = [], [], 0, []
    trips: Counter[str] = Counter()
    for number, question in enumerate(questions):
        before = Counter(backend.trips)
        taken, found = _timed(lambda: backend.ask(number, question, tokens))  # noqa: B023
        new.append(taken)
        trips += backend.trips - before
        if len(found.assembled.fragments) > 1:
            coherences.append(found.assembled.coherence)
        for _ in range(2):
            taken, found = _timed(lambda: backend.ask(number, question, tokens))  # noqa: B023
            kept.append(taken)
            hits += found.was_kept
    return {
        **_shares(new),
        "kept_p95_ms": float(np.percentile(kept, 95)),
        "hit_ratio": hits / (3 * len(questions)),
        "coherence": float(np.mean(coherences)) if coherences else 1.0,
        "round_trips": {name: count / len(questions) for name, count in sorted(trips.items())},
    }


def _shares(times_ms: list[float]) -> dict[str, Any]:
    return {f"p{share}_ms": float(np.percentile(times_ms, share)) for share in (50, 95)}


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    found = work()
    return 1_000 * (time.perf_counter() - started), found


def _print(backend: str, report: dict[str, dict[str, Any]]) -> None:
    names = "p50_ms", "p95_ms", "kept_p95_ms", "hit_ratio", "coherence"
    table = Table(f"a context, {backend}", *names, "round trips")
    for name, row in report.items():
        told = (f"{row[key]:.2f}" if key in row else "" for key in names)
        table.add_row(name, *told, f"{sum(row.get('round_trips', {}).values()):.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
