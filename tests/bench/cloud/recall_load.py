"""Recalls of a busy project, on local engines: units that counting takes by the size of its batch, and the lag.

    python -m tests.bench.cloud.recall_load [--memories 1000] [--recalls 4000] [--json FILE]

Receipts are written as recalls write them, ten memories each: drawn evenly, which is the dearest there is, or as words
are drawn from a language (Zipf). Changes are written in between. The lane of changes is delivered while no receipt is
counted yet, then the receipts in batches as Lambda would make them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.adapters.aws.table import keys
from memory_layer.domain.memory import Ref, Scope
from memory_layer.manifest.tables import RECEIPTS
from memory_layer.ports.commit import Commit
from memory_layer.ports.receipts import RecallReceipt
from tests.aws.deployment import Deployment, on_engines
from tests.bench.cloud.engine_calls import recorded
from tests.given import START, NoEmbedder, a_memory, created

SCOPE = Scope("acme", "busy")
SHOWN = 10
BATCHES = (10, 100, 1_000, RECEIPTS.batch_size)
CHANGE_EVERY = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--recalls", type=int, default=4_000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = {}
    for shape in ("even", "zipf"):
        with tempfile.TemporaryDirectory() as folder, on_engines(Path(folder), NoEmbedder()) as deployment:
            report[shape] = measured(deployment, shape, arguments.memories, arguments.recalls)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    _print(report, arguments.memories)


def measured(deployment: Deployment, shape: str, memories: int, recalls: int) -> dict[str, float]:
    """Write units a recall, by batch; what the lane of changes saw while no receipt was counted."""
    ids = [f"mem_{number:032x}" for number in range(memories)]
    _write(deployment, ids)
    deployment.project()
    changes = [f"mem_{number:032x}" for number in range(memories, memories + recalls // CHANGE_EVERY)]
    with recorded(deployment.cloud._dynamodb) as seen:
        receipts = list(_receipts(shape, ids, recalls))
        for start in range(0, recalls, CHANGE_EVERY):
            for receipt in receipts[start : start + CHANGE_EVERY]:
                deployment.cloud.ports.store.receipts.note(receipt)
        noted = sum(call.written for call in seen.taken()) / recalls
        _write(deployment, changes)
        events = [record for batch in deployment._stream.batches() for record in batch]
        lane = [event for event in events if not _is_receipt(event)]
        for start in range(0, len(lane), 100):
            assert deployment.cloud.project(lane[start : start + 100]).failed == []
        behind = len(deployment.cloud.ports.store.memories.written_after(SCOPE, 0))
        waiting = [event for event in events if _is_receipt(event)]
        found = {"receipt": noted, "events of changes": len(lane), "receipts waiting meanwhile": len(waiting)}
        found["changes behind then"] = behind
        for size in BATCHES:
            seen.taken()
            taken = waiting[: max(size, min(len(waiting), 400))]
            for start in range(0, len(taken), size):
                assert deployment.cloud.count_accesses(taken[start : start + size]).failed == []
            written = sum(call.written for call in seen.taken())
            found[f"counting, batches of {size}"] = written / len(taken)
    return found


def _write(deployment: Deployment, ids: Sequence[str]) -> None:
    commits = [Commit(scope=SCOPE, changes=(created(a_memory(SCOPE, id)),)) for id in ids]
    errors = deployment.cloud.ports.store.writer.commit_each(commits)
    assert errors == [None] * len(ids)


def _receipts(shape: str, ids: Sequence[str], recalls: int) -> Iterator[RecallReceipt]:
    randomness = np.random.default_rng(7)
    weights = 1 / np.arange(1, len(ids) + 1) if shape == "zipf" else np.ones(len(ids))
    for number in range(recalls):
        shown = randomness.choice(len(ids), SHOWN, replace=False, p=weights / weights.sum())
        refs = tuple(Ref(SCOPE.project, ids[one]) for one in shown)
        at = START + timedelta(milliseconds=number)
        yield RecallReceipt(f"rcl_{keys.log_position(at)}{number:012x}", SCOPE, "ada", refs, at)


def _is_receipt(event: dict[str, Any]) -> bool:
    return str(event["dynamodb"]["Keys"]["sk"]["S"]).startswith("rcl_")


def _print(report: dict[str, dict[str, float]], memories: int) -> None:
    table = Table(f"{memories} memories, {SHOWN} shown a recall", *report)
    for name in next(iter(report.values())):
        table.add_row(name, *(f"{found[name]:.2f}" for found in report.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
