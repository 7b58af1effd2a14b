"""Costs on AWS: docs/costs.md from list prices, the sizes of the profiles, and calls counted on local engines.

python -m tools.cloud_costs      (after python -m tests.bench.cloud.units --json docs/cloud-counts.json)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infra.sizes import SIZES, Sizes
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.manifest.sweeps import DECLARED_SWEEPS

REPOSITORY: Final = Path(__file__).parents[1]
COUNTS: Final = REPOSITORY / "docs" / "cloud-counts.json"
TEMPLATE: Final = REPOSITORY / "tools" / "costs.md.in"
DOCUMENT: Final = REPOSITORY / "docs" / "costs.md"

Counts = Mapping[str, Mapping[str, float]]
"""By kind of call: DynamoDB's write and read units, requests to each engine, rounds one after the other.

`RCU` holds `empty_keys` and `empty_queries`: units for what is not there, which AWS takes and local engines do not.
"""

HOURS: Final = 730
MINUTES: Final = HOURS * 60
MILLION: Final = 1_000_000

NODE_HOUR: Final = {
    "t3.small.search": 0.036,
    "r7g.large.search": 0.178,
    "r7g.4xlarge.search": 1.422,
    "m7g.large.search": 0.135,
}
VOLUME_GB: Final = 0.122
WRITE_UNITS: Final = 0.625
READ_UNITS: Final = 0.125
"""A million."""

TABLE_GB: Final = 0.25 + 0.20
"""Storage, and the backup of each moment."""

GB_SECONDS: Final = 13.33
INVOCATIONS: Final = 0.20
REQUESTS: Final = 1.00
"""A million each: Lambda on arm64, and the HTTP API."""

LOG_GB: Final = 0.50
LOG_BYTES: Final = 2_000
"""Of a call, as it was seen on local engines."""

ALARM: Final = 0.10
DASHBOARD: Final = 3.00
KEY: Final = 1.00
METRIC: Final = 0.30
METRICS_A_ROUTE: Final = 6
TOKEN: Final = 0.00225
TOKENS: Final = 720
"""A client keeps its token for its hour."""

QUEUE_POLLS: Final = 650_000
QUEUE_REQUESTS: Final = 0.40

RECORD_BYTES: Final = 5_000
"""A memory of 169 characters with its versions and entries in indexes, half of them with a context."""

MS: Final = {"recall": 80, "create": 150, "context": 120, "prompt": 100, "outcome": 60}
"""Processor time of a call on one vCPU, rounded up from what tests.bench.aws measures beside the engines' answers."""

SERVES: Final = {
    "recall": "recall", "prompt": "recall", "context": "context", "create": "memories", "outcome": "outcome"
}  # fmt: skip
"""Function that serves each kind of call."""

KINDS: Final = tuple(SERVES)


@dataclass(frozen=True, slots=True)
class Deployed:
    """Deployment of the table. Args: calls: a month, by kind; watched: alarms, and routes that are called."""

    name: str
    sizes: Sizes
    memories: int
    calls: Mapping[str, int]
    alarms: int
    routes: int


def _calls(creates: int, recalls: int) -> dict[str, int]:
    """Calls of a month: a tenth as many contexts and prompts as recalls, as many outcomes as creations."""
    side = recalls // 10
    return {"recall": recalls, "create": creates, "context": side, "prompt": side, "outcome": creates}


def _large() -> Sizes:
    return Sizes(
        **{
            **{name: getattr(SIZES["prod"], name) for name in Sizes.__slots__},
            **{"search_nodes": 9, "search_instance": "r7g.4xlarge.search"},
            **{"search_volume_gb": 250, "search_shards": 27},
        }
    )


DEPLOYED: Final = (
    Deployed("dev", SIZES["dev"], 10_000, _calls(3_000, 30_000), 30, 10),
    Deployed("prod", SIZES["prod"], 10_000, _calls(3_000, 30_000), 30, 10),
    Deployed("prod", SIZES["prod"], MILLION, _calls(100_000, MILLION), 30, 10),
    Deployed("prod, larger", _large(), 100 * MILLION, _calls(3 * MILLION, 30 * MILLION), 30, 20),
)


def usd_of_call(counts: Counts, kind: str) -> float:
    """US dollars of a call, with what it leaves to the stream and its share of Lambda, the API and the log."""
    memory_gb = next(one.memory_mb for one in FUNCTIONS if one.name == SERVES[kind]) / 1024
    units = _units(counts[kind]) + _units(counts[f"{kind}, later"])
    compute = memory_gb * MS[kind] / 1_000 * GB_SECONDS / MILLION
    return units + compute + (INVOCATIONS + REQUESTS) / MILLION + LOG_BYTES / 1e9 * LOG_GB


def _units(counted: Mapping[str, float]) -> float:
    return (counted["WCU"] * WRITE_UNITS + counted["RCU"] * READ_UNITS) / MILLION


def usd_of_sweeps(counts: Counts, memories: int) -> float:
    """US dollars a month of the sweeps' units; the reads of those that go through all memories grow with them.

    Queries that find nothing are of days on which nothing is due: these do not grow.
    """
    swept = counts["corpus"]["swept"]
    total = 0.0
    for name, sweep in DECLARED_SWEEPS.items():
        counted = counts[f"sweep {name}"]
        walked = counted["empty_queries"]
        read = counted["RCU"] - walked
        share = memories / swept if read >= swept / 50 else 1.0
        total += _units({**counted, "RCU": share * read + walked}) * MINUTES / sweep.minutes
    return total


def usd_of_domain(sizes: Sizes) -> float:
    nodes = sizes.search_nodes * NODE_HOUR[sizes.search_instance]
    masters = sizes.search_masters * NODE_HOUR[sizes.search_master_instance]
    return HOURS * (nodes + masters) + sizes.search_nodes * sizes.search_volume_gb * VOLUME_GB


def month(counts: Counts, deployed: Deployed) -> dict[str, float]:
    """US dollars a month, by part."""
    watching = deployed.alarms * ALARM + DASHBOARD + KEY + deployed.routes * METRICS_A_ROUTE * METRIC
    watching += TOKENS * TOKEN + QUEUE_POLLS / MILLION * QUEUE_REQUESTS
    return {
        "domain": usd_of_domain(deployed.sizes),
        "table": deployed.memories * RECORD_BYTES / 1e9 * TABLE_GB,
        "calls": sum(usd_of_call(counts, kind) * number for kind, number in deployed.calls.items()),
        "sweeps": usd_of_sweeps(counts, deployed.memories),
        "watching": watching,
    }


def text(counts: Counts) -> str:
    """Document of the costs."""
    corpus = counts["corpus"]
    return TEMPLATE.read_text("utf-8").format(
        memories=int(corpus["memories"]),
        lag=int(corpus["lag"]),
        swept=int(corpus["swept"]),
        recall_empty=f"{_empty(counts['recall']):.1f}",
        context_empty=f"{_empty(counts['context']):.1f}",
        consolidate_empty=f"{counts['sweep consolidate']['empty_keys']:.0f}",
        months="\n".join(_month_row(counts, one) for one in DEPLOYED),
        calls="\n".join([*(_call_row(counts, kind) for kind in KINDS), *_behind_row(counts)]),
        sweeps="\n".join(_sweep_row(counts, name) for name in DECLARED_SWEEPS),
    )


def _empty(counted: Mapping[str, float]) -> float:
    """Read units of a call for what is not there."""
    return counted["empty_keys"] + counted["empty_queries"]


def _month_row(counts: Counts, deployed: Deployed) -> str:
    parts, sizes = month(counts, deployed), deployed.sizes
    masters = f", {sizes.search_masters} masters" if sizes.search_masters else ""
    domain = (
        f"{deployed.name}: {sizes.search_nodes} × {sizes.search_instance.removesuffix('.search')}{masters}, "
        f"{sizes.search_nodes} × {sizes.search_volume_gb} GB"
    )
    shown = " | ".join(_money(value) for value in parts.values())
    return f"| {_number(deployed.memories)} | {domain} | {shown} | **{_money(sum(parts.values()))}** |"


def _call_row(counts: Counts, kind: str) -> str:
    now, later = counts[kind], counts[f"{kind}, later"]
    usd = 1_000 * usd_of_call(counts, kind)
    return (
        f"| {kind} | {now['WCU']:.1f} | {now['RCU']:.1f} | {later['WCU']:.1f} | {later['RCU']:.1f} "
        f"| {now['OpenSearch']:.1f} | {now['rounds']:.1f} | {usd:.3f} |"
    )


def _behind_row(counts: Counts) -> Iterator[str]:
    name = f"recall, {int(counts['corpus']['lag'])} changes behind"
    one = counts[name]
    yield (
        f"| {name} | {one['WCU']:.1f} | {one['RCU']:.1f} | | | {one['OpenSearch']:.1f} | {one['rounds']:.1f} | |"
    )


def _sweep_row(counts: Counts, name: str) -> str:
    counted, minutes = counts[f"sweep {name}"], DECLARED_SWEEPS[name].minutes
    every = f"{minutes} min" if minutes < 60 else f"{minutes // 60} h"
    return f"| {name} | {every} | {counted['WCU']:.0f} | {counted['RCU']:.0f} | {counted['OpenSearch']:.0f} |"


def _money(usd: float) -> str:
    return f"{usd:,.0f}" if usd >= 1 else f"{usd:.2f}"


def _number(count: int) -> str:
    return f"{count // MILLION} M" if count >= MILLION else f"{count // 1_000} k"


def main() -> None:
    DOCUMENT.write_text(text(json.loads(COUNTS.read_text("utf-8"))), "utf-8")


if __name__ == "__main__":
    main()
