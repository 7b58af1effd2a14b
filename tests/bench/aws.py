"""What our code adds to a warm call in the cloud: the handler on local engines, with their answers taken off.

    python -m tests.bench.aws [--calls 200] [--json FILE]

The time in which at least one request to DynamoDB or OpenSearch was under way is the engines'; the rest is ours.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import botocore.httpsession
import httpx2
import numpy as np
from opensearchpy.connection.http_urllib3 import Urllib3HttpConnection
from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.edge.api_gateway import HttpApi
from memory_layer.settings import read_settings
from tests.aws.deployment import on_engines
from tests.bench.sentences import sentences
from tests.functions.http_api import ADMIN, client_of

MEMORIES = 1_000
MEMORIES_URL = "/v1/projects/bench/memories"
Span = tuple[float, float]


def main() -> None:
    os.environ |= {"POWERTOOLS_TRACE_DISABLED": "true", "POWERTOOLS_LOG_LEVEL": "ERROR"}
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        report = _measured(Path(folder), arguments.calls)
    _print(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _measured(folder: Path, calls: int) -> dict[str, dict[str, float]]:
    local = open_embedded(read_settings(data_dir=folder))
    texts = sentences(MEMORIES + calls, seed=7)
    with on_engines(folder, local.ports.embedder) as deployment, _engine_spans() as spans:
        http = client_of(HttpApi("recall", lambda: deployment.cloud), ADMIN)
        for start in range(0, MEMORIES, 200):
            lines = [{"content": text, "on_duplicate": "create"} for text in texts[start : start + 200]]
            _ok(http.post(f"{MEMORIES_URL}:batch", json=lines))
        deployment.project()
        known = http.get(MEMORIES_URL).json()["memories"][0]["id"]
        questions = [" ".join(text.split()[:6]) for text in texts[MEMORIES:]]
        return {
            name: _timed(call, questions, spans)
            for name, call in {
                "recall": lambda text: http.post("/v1/projects/bench/recall", json={"query": text}),
                "recall, words alone": lambda text: http.post(
                    "/v1/projects/bench/recall", json={"query": text, "strategy": "lexical"}
                ),
                "read": lambda _: http.get(f"{MEMORIES_URL}/{known}"),
                "create": lambda text: http.post(
                    MEMORIES_URL, json={"content": f"{text} once more", "on_duplicate": "create"}
                ),
                "outcome": lambda _: http.post(f"{MEMORIES_URL}/{known}/outcome", json={"result": "worked"}),
            }.items()
        }


def _timed(
    call: Callable[[str], httpx2.Response], questions: list[str], spans: list[Span]
) -> dict[str, float]:
    totals, ours = [], []
    for number, question in enumerate(questions):
        spans.clear()
        started = time.perf_counter()
        _ok(call(question))
        total = time.perf_counter() - started
        if number >= 10:  # the first ones warm up
            totals.append(total * 1000)
            ours.append((total - _covered(spans)) * 1000)
    return {
        "p50_ms": float(np.percentile(totals, 50)),
        "ours_p50_ms": float(np.percentile(ours, 50)),
        "ours_p95_ms": float(np.percentile(ours, 95)),
        "engine_requests": len(spans),
    }


def _ok(answer: httpx2.Response) -> None:
    if answer.status_code >= 300:
        raise SystemExit(f"{answer.status_code}: {answer.text}")


def _covered(spans: list[Span]) -> float:
    """Seconds in which at least one of them was under way."""
    covered, until = 0.0, 0.0
    for start, end in sorted(spans):
        covered += max(0.0, end - max(start, until))
        until = max(until, end)
    return covered


@contextmanager
def _engine_spans() -> Iterator[list[Span]]:
    """Start and end of every request that the clients send."""
    spans: list[Span] = []

    def noting(send: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **named: Any) -> Any:
            started = time.perf_counter()
            try:
                return send(*arguments, **named)
            finally:
                spans.append((started, time.perf_counter()))

        return noted

    places = ((botocore.httpsession.URLLib3Session, "send"), (Urllib3HttpConnection, "perform_request"))
    kept = [(place, name, getattr(place, name)) for place, name in places]
    for place, name, send in kept:
        setattr(place, name, noting(send))
    try:
        yield spans
    finally:
        for place, name, send in kept:
            setattr(place, name, send)


def _print(report: dict[str, dict[str, float]]) -> None:
    table = Table("one warm call", "in all p50 ms", "ours p50 ms", "ours p95 ms", "requests to engines")
    for name, row in report.items():
        times = (f"{row[key]:.1f}" for key in ("p50_ms", "ours_p50_ms", "ours_p95_ms"))
        table.add_row(name, *times, str(int(row["engine_requests"])))
    Console().print(table)


if __name__ == "__main__":
    main()
