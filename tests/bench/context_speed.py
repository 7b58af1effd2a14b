"""How long does a context take? At 100,000 memories in 20 projects, embedded; and on the cloud's engines, locally.

    python -m tests.bench.context_speed [--size 100000x20] [--requests 200] [--backend embedded|aws] [--json FILE]

Each request is asked for anew, then twice more: how many of those come from what was kept is printed beside.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap import embedded
from memory_layer.domain.access import Principal
from memory_layer.ports import Ports
from memory_layer.settings import read_settings
from memory_layer.usecases.assemble import Context, assemble_context
from memory_layer.usecases.context_request import ContextRequest
from memory_layer.usecases.remember import Asked, remember_many
from tests.aws.deployment import on_engines
from tests.bench.speed import seed_project_tables
from tests.bench.synthetic import clustered_vectors, zipfian_texts

ADMIN = Principal(tenant="bench", subject="bench", roles=frozenset({"admin"}))
PATIENT_MS = 27_000
BUDGETS = (1_000, 4_000, 16_000)
Ask = Callable[[int, str, int], Context]


def main() -> None:
    arguments = _arguments()
    questions = [" ".join(text.split()[:6]) for text in zipfian_texts(arguments.requests, seed=3)]
    opened = _on_engines if arguments.backend == "aws" else _embedded
    with opened(arguments.size) as ask:
        for tokens in BUDGETS:
            ask(0, questions[0], tokens)  # loads what is loaded late
        gc.collect()
        gc.freeze()
        report = {f"{tokens} tokens": _measured(ask, questions, tokens) for tokens in BUDGETS}
    _print(arguments.backend, report)
    if arguments.json:
        arguments.json.write_text(
            json.dumps({"backend": arguments.backend, "size": arguments.size, **report})
        )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="100000x20")
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--backend", choices=("embedded", "aws"), default="embedded")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


@contextmanager
def _embedded(size: str) -> Iterator[Ask]:
    records, projects = map(int, size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings(data_dir=Path(folder))
        backend = embedded(settings)
        texts, vectors = zipfian_texts(records, seed=2), clustered_vectors(records, 384, seed=1)
        seed_project_tables(settings, texts, vectors, projects, backend.ports.embedder.model)
        try:
            for number in range(projects):
                _ask(backend.ports, f"p{number}", texts[0], 1_000)
            yield lambda number, intent, tokens: _ask(backend.ports, f"p{number % projects}", intent, tokens)
        finally:
            backend.close()


@contextmanager
def _on_engines(size: str) -> Iterator[Ask]:
    """Of the size's records as many as one project has."""
    records, projects = map(int, size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        local = embedded(read_settings(data_dir=Path(folder)))
        with on_engines(Path(folder), local.ports.embedder) as deployment:
            ports, texts = deployment.cloud.ports, zipfian_texts(records // projects, seed=2)
            for start in range(0, len(texts), 200):
                asked = [
                    Asked(fields={"content": text}, on_duplicate="create")
                    for text in texts[start : start + 200]
                ]
                remember_many(ports, ADMIN, "p0", asked)
                deployment.project()
            yield lambda _, intent, tokens: _ask(ports, "p0", intent, tokens)


def _ask(ports: Ports, project: str, intent: str, tokens: int) -> Context:
    request = ContextRequest(intent=intent, tokens_max=tokens, time_ms=PATIENT_MS)
    return assemble_context(ports, ADMIN, project, request)


def _measured(ask: Ask, questions: list[str], tokens: int) -> dict[str, float]:
    new, kept, hits, coherences = [], [], 0, []
    for number, question in enumerate(questions):
        taken, found = _timed(ask, number, question, tokens)
        new.append(taken)
        if len(found.assembled.fragments) > 1:
            coherences.append(found.assembled.coherence)
        for _ in range(2):
            taken, found = _timed(ask, number, question, tokens)
            kept.append(taken)
            hits += found.was_kept
    return {
        **{f"p{share}_ms": float(np.percentile(new, share)) for share in (50, 95)},
        "kept_p95_ms": float(np.percentile(kept, 95)),
        "hit_ratio": hits / (3 * len(questions)),
        "coherence": float(np.mean(coherences)) if coherences else 1.0,
    }


def _timed(ask: Ask, number: int, question: str, tokens: int) -> tuple[float, Context]:
    started = time.perf_counter()
    found = ask(number, question, tokens)
    return 1_000 * (time.perf_counter() - started), found


def _print(backend: str, report: dict[str, dict[str, Any]]) -> None:
    table = Table(f"a context, {backend}", "p50 ms", "p95 ms", "kept p95 ms", "hits of all", "coherence")
    for name, row in report.items():
        times = (f"{row[key]:.1f}" for key in ("p50_ms", "p95_ms", "kept_p95_ms"))
        table.add_row(name, *times, f"{row['hit_ratio']:.0%}", f"{row['coherence']:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
