"""Cost of a month without a search domain, by the requests and units that the product is counted to use.

    python -m tests.bench.small_costs [--memories 300] [--recalls 60] [--json FILE]

Requests to S3 and units of DynamoDB (Local) are counted around real writes, compactions, recalls and sweeps; the prices
are those of docs/costs.md, and Lambda's times are its estimates. What is not counted says so.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.ports.process import Ports
from memory_layer.settings import read_settings
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from tests.aws.deployment import Deployment, small_on_engines
from tests.bench.sentences import sentences
from tests.given import ADMIN, PROJECT

MEMORIES_STORED: Final = 10_000
WRITES_A_MONTH: Final = 3_000
RECALLS_A_MONTH: Final = 30_000
MINUTES_A_MONTH: Final = 43_800

WRITE_UNIT, READ_UNIT = 0.625e-6, 0.125e-6
S3_WRITE, S3_READ = 5e-6, 0.4e-6  # PUT and LIST; GET. Source: Amazon S3 pricing, us-east-1
GB_SECOND, CALL, HTTP_REQUEST = 13.33e-6, 0.2e-6, 1e-6
STORED_BYTES: Final = 5_000
"""Bytes of a memory in the table, versions and indexes included (docs/costs.md)."""
SEGMENT_BYTES: Final = 1_600
STORED_GB, BACKUP_GB, S3_GB, LOG_GB = 0.25, 0.2, 0.023, 0.5
LOG_BYTES: Final = 2_000
TRACE: Final = 5e-6

SECONDS: Final = {"write": 0.15 * 1.0 + 0.4 * 1.77, "recall": 0.1 * 1.77 + 0.06 * 0.5, "sweep": 1.5 * 1.77}
"""GB-seconds (estimated): a write with its share of a compaction; a recall and its counting; a sweep with its start."""


def main() -> None:
    arguments = _arguments()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        local = stack.enter_context(closing(open_embedded(read_settings(data_dir=folder))))
        deployment = stack.enter_context(small_on_engines(folder, local.ports.embedder))
        counted = _counted(deployment, arguments.memories, arguments.recalls)
    report = {"counted": counted, "month": _month(counted)}
    _print(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=300)
    parser.add_argument("--recalls", type=int, default=60)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


class Meter:
    """Counts of requests to S3 and of DynamoDB's units, through the clients of a deployment."""

    def __init__(self, deployment: Deployment) -> None:
        self.counts: Counter[str] = Counter()
        cloud = deployment.cloud
        cloud.__dict__["_dynamodb"] = _Metered(cloud._dynamodb, self.counts)
        events = cloud._segment_parts().store._client.meta.events
        events.register("before-call.s3", lambda model, **_: self.counts.update([f"s3 {_kind(model.name)}"]))

    def of(self, work: Callable[[], object], times: int = 1) -> dict[str, float]:
        """Counts of some work, each time."""
        before = Counter(self.counts)
        work()
        return {name: (self.counts[name] - before[name]) / times for name in self.counts}


class _Metered:
    def __init__(self, client: Any, counts: Counter[str]) -> None:
        self._client, self._counts = client, counts

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if name not in _UNITS:
            return call

        def metered(**request: Any) -> Any:
            answer = call(**request, ReturnConsumedCapacity="TOTAL")
            consumed = answer.get("ConsumedCapacity", [])
            for one in consumed if isinstance(consumed, list) else [consumed]:
                self._counts[_UNITS[name]] += one["CapacityUnits"]  # type: ignore[assignment]
            return answer

        return metered


_UNITS: Final = {
    **dict.fromkeys(("get_item", "batch_get_item", "query", "scan"), "read units"),
    **dict.fromkeys(
        ("put_item", "update_item", "delete_item", "batch_write_item", "transact_write_items"), "write units"
    ),
}


def _kind(operation: str) -> str:
    return {"GetObject": "reads", "HeadObject": "reads", "DeleteObject": "deletes"}.get(operation, "writes")


def _counted(deployment: Deployment, memories: int, recalls: int) -> dict[str, dict[str, float]]:
    meter, texts = Meter(deployment), sentences(memories, seed=7)
    ports = deployment.cloud.ports
    writes = meter.of(lambda: _write(deployment, ports, texts), memories)
    asked = meter.of(lambda: _ask(ports, texts[:recalls]), recalls)
    counting = meter.of(deployment.project, recalls)
    recalled = {name: asked.get(name, 0) + counting.get(name, 0) for name in meter.counts}
    sweeps = {f"sweep {name}": meter.of(partial(_sweep, ports, name)) for name in DECLARED_SWEEPS}
    return {"write": writes, "recall": recalled, **sweeps}


def _sweep(ports: Ports, name: str) -> None:
    run_sweep(ports, name, holder="bench", seconds=60)  # type: ignore[arg-type]


def _write(deployment: Deployment, ports: Ports, texts: list[str]) -> None:
    """Writes one by one, each compacted by itself: the dearest way."""
    for text in texts:
        remember(ports, ADMIN, PROJECT, RememberRequest(fields={"content": text}, keeps_both=True))
        deployment.project()


def _ask(ports: Ports, texts: list[str]) -> None:
    for text in texts:
        recall(ports, ADMIN, PROJECT, RecallRequest(query=text))


def _month(counted: dict[str, dict[str, float]]) -> dict[str, float]:
    runs = {f"sweep {sweep.name}": MINUTES_A_MONTH / sweep.minutes for sweep in DECLARED_SWEEPS.values()}
    sweeps = sum(runs[name] * _requests(counted[name]) for name in runs)
    calls = sum(runs.values())
    return {
        "asleep: sweeps, their requests and units": sweeps,
        "asleep: sweeps, Lambda (estimated)": calls * (SECONDS["sweep"] * GB_SECOND + 2 * CALL),
        "asleep: table, backups, segments": MEMORIES_STORED
        * (STORED_BYTES * (STORED_GB + BACKUP_GB) + SEGMENT_BYTES * S3_GB)
        / 1e9,
        "writes: requests and units": WRITES_A_MONTH * _requests(counted["write"]),
        "writes: Lambda, API, log (estimated)": WRITES_A_MONTH * _beside("write"),
        "recalls: requests and units": RECALLS_A_MONTH * _requests(counted["recall"]),
        "recalls: Lambda, API, log (estimated)": RECALLS_A_MONTH * _beside("recall"),
        "Cognito: a token a day (estimated)": 30 * 2.25e-3,
    }


def _requests(counts: dict[str, float]) -> float:
    prices = {"read units": READ_UNIT, "write units": WRITE_UNIT, "s3 reads": S3_READ, "s3 writes": S3_WRITE}
    return sum(counts.get(name, 0) * price for name, price in prices.items())


def _beside(kind: str) -> float:
    return SECONDS[kind] * GB_SECOND + 2 * CALL + HTTP_REQUEST + LOG_BYTES * LOG_GB / 1e9 + TRACE


def _print(report: dict[str, Any]) -> None:
    console = Console(width=120)
    table = Table("work", "read units", "write units", "S3 reads", "S3 writes")
    for name, counts in report["counted"].items():
        cells = (counts.get(one, 0) for one in ("read units", "write units", "s3 reads", "s3 writes"))
        table.add_row(name, *(f"{cell:.2f}" for cell in cells))
    console.print(table)
    month = Table(
        f"{MEMORIES_STORED:,} memories, {WRITES_A_MONTH:,} writes, {RECALLS_A_MONTH:,} recalls a month", "$"
    )
    for name, dollars in report["month"].items():
        month.add_row(name, f"{dollars:.3f}")
    asleep = sum(dollars for name, dollars in report["month"].items() if name.startswith("asleep"))
    month.add_row("asleep, all", f"{asleep:.2f}")
    month.add_row("all", f"{sum(report['month'].values()):.2f}")
    console.print(month)


if __name__ == "__main__":
    main()
