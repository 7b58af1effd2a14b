"""How soon the index is level again after an outage: the projector as in Lambda, behind a port that answers nobody.

    python -m tests.bench.outage [--outage-s 45] [--writes-per-s 10] [--json FILE]

The projector's own patience is that of the cloud: attempts within 30 s, up to 3 s apart. Lambda delivers again what
failed; how long it waits before is its own matter, and not documented: PAUSE_S stands for it, add what you fear.
DynamoDB Local has one shard and this one projector; a table in the cloud begins with four, two batches at a time each.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from rich.console import Console
from rich.table import Table

from memory_layer.domain.access import Principal
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from tests.aws.deployment import Deployment, deployed
from tests.aws.gate import Gate
from tests.aws.stream import Redelivery
from tests.bench.sentences import sentences
from tests.engines import lifecycle
from tests.engines.dynamodb import DYNAMODB
from tests.engines.opensearch import OPENSEARCH_NODE
from tests.given import ADMIN, NoEmbedder

PROJECT = "bench"
PAUSE_S = 1.0
WARM_UP_S = 5.0


@dataclass
class Seen:
    """What readers and writers met."""

    written: int = 0
    recalls: int = 0
    degraded: int = 0
    missed: int = 0
    failures: list[str] = field(default_factory=list)


def main() -> None:
    arguments = _arguments()
    endpoints = [p.endpoint for engine in (DYNAMODB, OPENSEARCH_NODE) if (p := lifecycle.running(engine))]
    if len(endpoints) < 2:
        raise SystemExit("The engines are not running. Start them: make engines")
    gate = Gate(endpoints[1])
    with (
        tempfile.TemporaryDirectory() as folder,
        deployed(endpoints[0], gate.endpoint, Path(folder), NoEmbedder()) as deployment,
    ):
        report = _measured(deployment, gate, arguments.outage_s, arguments.writes_per_s)
    _print(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outage-s", type=float, default=45.0)
    parser.add_argument("--writes-per-s", type=float, default=10.0)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _measured(deployment: Deployment, gate: Gate, outage_s: float, writes_per_s: float) -> dict[str, float]:
    ports, seen = deployment.open().ports, Seen()
    with _going_on(ports, seen, writes_per_s), _projecting(deployment.redelivery()) as delivery:
        time.sleep(WARM_UP_S)
        before = seen.recalls, seen.degraded
        gate.shut()
        time.sleep(outage_s)
        during = seen.recalls - before[0], seen.degraded - before[1]
        behind = delivery.behind()
        gate.open()
        ended = time.monotonic()
        while delivery.last_begun < ended:
            time.sleep(0.05)
        level_s = delivery.last_ended - ended
    if seen.failures:
        raise SystemExit(f"{len(seen.failures)} calls failed, first: {seen.failures[0]}")
    return {
        "outage_s": outage_s,
        "written": seen.written,
        "behind_at_the_end": behind,
        "level_after_s": level_s,
        "recalls_during": during[0],
        "of_them_degraded": during[1],
        "recalls_that_missed_the_last_write": seen.missed,
    }


class _Delivering:
    """Delivers until told to stop, and remembers the last attempt that took all that was written before it began."""

    def __init__(self, redelivery: Redelivery) -> None:
        self._redelivery = redelivery
        self.last_begun = self.last_ended = 0.0
        self.is_over = False

    def behind(self) -> int:
        return len(self._redelivery.waiting)

    def run(self) -> None:
        while not self.is_over:
            begun = time.monotonic()
            if self._redelivery.deliver():
                time.sleep(PAUSE_S)
            else:
                self.last_ended, self.last_begun = time.monotonic(), begun


@contextmanager
def _projecting(redelivery: Redelivery) -> Iterator[_Delivering]:
    delivering = _Delivering(redelivery)
    thread = threading.Thread(target=delivering.run)
    thread.start()
    try:
        yield delivering
    finally:
        delivering.is_over = True
        thread.join()


@contextmanager
def _going_on(ports: Ports, seen: Seen, writes_per_s: float) -> Iterator[None]:
    """One writes, and asks for what it wrote just now, all the while."""
    over = threading.Event()

    def work() -> None:
        for number, text in zip(count(), sentences(20_000, seed=5), strict=False):
            if over.wait(1 / writes_per_s):
                return
            try:
                _write_and_ask(ports, ADMIN, f"entry{number}x {text}", seen)
            except Exception as error:  # whatever it is, the report has to tell
                seen.failures.append(repr(error))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _write_and_ask(ports: Ports, principal: Principal, content: str, seen: Seen) -> None:
    remember(ports, principal, PROJECT, RememberRequest(fields={"content": content}, on_duplicate="create"))
    seen.written += 1
    if seen.written % 5 == 0:
        found = recall(ports, principal, PROJECT, RecallRequest(query=content.split()[0]))
        seen.recalls += 1
        seen.degraded += "index" in str(found.note)
        seen.missed += not any(item.memory.content == content for item in found.memories)


def _print(report: dict[str, float]) -> None:
    table = Table("an outage of the index", "")
    for name, value in report.items():
        table.add_row(name.replace("_", " "), f"{value:.1f}" if isinstance(value, float) else str(value))
    Console().print(table)


if __name__ == "__main__":
    main()
