"""Units and requests of the calls of the cloud, on local engines: reads, writes, searches, and rounds of them.

    python -m tests.bench.cloud.units [--memories 1000] [--calls 20] [--lag 500] [--json FILE]

DynamoDB Local says what each request would consume. Counts are the same on every machine; no time is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console
from rich.table import Table

from memory_layer.adapters.aws.search.search_circuit import SearchCircuit
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.edge.api_gateway import HttpApi
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.settings import read_settings
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from tests.aws.deployment import Deployment, on_engines
from tests.bench.cloud.engine_calls import EngineCalls, recorded
from tests.bench.sentences import sentences
from tests.functions.http_api import ADMIN, client_of

PROJECT = "/v1/projects/bench"
TRACEPARENT = f"00-{'1' * 32}-{'2' * 16}-01"
"""Each request has a trace, as in Lambda with X-Ray: changes and what they tell name it."""

Counts = dict[str, float]


PATIENCE_S = 120.0
"""Seconds that a search may take here: what is counted are requests, on a machine that may be busy."""


def main() -> None:
    os.environ |= {
        "POWERTOOLS_TRACE_DISABLED": "true",
        "POWERTOOLS_LOG_LEVEL": "ERROR",
        "POWERTOOLS_METRICS_DISABLED": "true",
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--lag", type=int, default=500)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    SearchCircuit.call.__defaults__ = (PATIENCE_S,)
    with tempfile.TemporaryDirectory() as folder:
        report = measured(Path(folder), arguments.memories, arguments.calls, arguments.lag)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    _print(report)


def measured(folder: Path, memories: int, calls: int, lag: int) -> dict[str, Counts]:
    """Mean counts of each kind of call, and of the work that it leaves to the stream."""
    local = open_embedded(read_settings(data_dir=folder))
    texts = sentences(memories + calls + lag, seed=7)
    with on_engines(folder, local.ports.embedder) as deployment:
        http = client_of(HttpApi("recall", lambda: deployment.cloud), ADMIN)
        http.headers["traceparent"] = TRACEPARENT
        _fill(http, texts[:memories])
        deployment.project()
        with recorded(deployment.cloud._dynamodb) as seen:
            return _each(deployment, http, seen, texts, memories, calls)


def _fill(http: httpx2.Client, texts: list[str]) -> None:
    for start in range(0, len(texts), 100):
        lines = [{"content": text, "on_duplicate": "create"} for text in texts[start : start + 100]]
        _ok(http.post(f"{PROJECT}/memories:batch", json=lines))


def _each(
    deployment: Deployment,
    http: httpx2.Client,
    seen: EngineCalls,
    texts: list[str],
    memories: int,
    calls: int,
) -> dict[str, Counts]:
    known = http.get(f"{PROJECT}/memories").json()["memories"][0]["id"]
    asked_of, new, late = texts[:calls], texts[memories : memories + calls], texts[memories + calls :]
    asked: dict[str, Callable[[str], httpx2.Response]] = {
        "recall": lambda text: http.post(f"{PROJECT}/recall", json={"query": text, "min_score": 0.0}),
        "prompt": lambda text: http.post(f"{PROJECT}/prompt", json={"task": text}),
        "context": lambda text: http.post(
            f"{PROJECT}/context", json={"intent": text, "budgets": {"time_ms": 20_000}}
        ),
        "create": lambda text: http.post(f"{PROJECT}/memories", json={"content": text}),
        "outcome": lambda _: http.post(f"{PROJECT}/memories/{known}/outcome", json={"result": "worked"}),
    }
    report: dict[str, Counts] = {}
    for name, call in asked.items():
        report |= _of_kind(deployment, seen, name, call, new if name == "create" else asked_of)
    _fill(http, late)
    deployment.resettle()
    _ok(asked["recall"](asked_of[0]))  # the first one of a process reads what the index lacks
    behind = _mean(list(_one_by_one(seen, asked["recall"], asked_of)))
    report |= {f"recall, {len(late)} changes behind": behind}
    deployment.project()
    _counts(seen)
    swept = {f"sweep {name}": _swept(deployment, seen, name) for name in DECLARED_SWEEPS}
    known = {"memories": memories, "lag": len(late), "swept": len(texts)}
    return {"corpus": known, **report, **swept}


def _swept(deployment: Deployment, seen: EngineCalls, name: str) -> Counts:
    """Counts of the first run of a sweep over all memories, with what it leaves to the stream."""
    report = run_sweep(deployment.cloud.ports, name, holder="bench", seconds=600.0)
    if not report.is_complete:
        raise SystemExit(f"sweep {name} did not come to its end, so its counts say nothing: {report.failed}")
    deployment.project()
    return _counts(seen)


def _of_kind(
    deployment: Deployment,
    seen: EngineCalls,
    name: str,
    call: Callable[[str], httpx2.Response],
    questions: list[str],
) -> Iterator[Any]:
    _ok(call(questions[0]))  # the first one warms up
    deployment.project()
    direct = _mean(list(_one_by_one(seen, call, questions[1:])))
    deployment.project()
    later = _counts(seen)
    yield name, direct
    yield f"{name}, later", {key: round(value / (len(questions) - 1), 2) for key, value in later.items()}


def _one_by_one(
    seen: EngineCalls, call: Callable[[str], httpx2.Response], questions: list[str]
) -> Iterator[Counts]:
    _counts(seen)
    for question in questions:
        _ok(call(question))
        yield _counts(seen)


def _counts(seen: EngineCalls) -> Counts:
    """Counts since the last time."""
    calls = seen.taken()
    by_engine = Counter(call.engine for call in calls)
    return {
        "WCU": sum(call.written for call in calls),
        "RCU": sum(call.read + call.empty for call in calls),
        "empty_keys": sum(call.empty for call in calls if call.operation != "Query"),
        "empty_queries": sum(call.empty for call in calls if call.operation == "Query"),
        "DynamoDB": by_engine["DynamoDB"],
        "OpenSearch": by_engine["OpenSearch"],
        "rounds": seen.rounds_taken(),
    }


def _mean(counts: list[Counts]) -> Counts:
    return {name: round(sum(one[name] for one in counts) / len(counts), 2) for name in counts[0]}


def _ok(answer: httpx2.Response) -> None:
    if answer.status_code >= 300:
        raise SystemExit(f"{answer.status_code}: {answer.text}")


def _print(report: dict[str, Counts]) -> None:
    corpus = report.pop("corpus")
    names = list(next(iter(report.values())))
    table = Table("call", *names)
    for call, counts in report.items():
        table.add_row(call, *(f"{counts[name]:.1f}" for name in names))
    Console().print(f"{corpus['memories']} memories", table)


if __name__ == "__main__":
    main()
