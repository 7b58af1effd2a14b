"""Cost of a day, about: what was counted, times list prices of docs/costs.md; without taxes, logs and reservations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from infra.constructs.metrics import api_metric, consumed
from infra.deployment import Deployment
from infra.sizes import Sizes
from memory_layer.manifest.functions import COMPACTOR, FUNCTIONS

if TYPE_CHECKING:
    from infra.constructs.dashboard import Shown

A_DAY: Final = Duration.days(1)
HOURS: Final = 24

READ_UNIT, WRITE_UNIT = 0.125e-6, 0.625e-6
GB_SECOND, CALL = 13.33e-6, 0.20e-6
API_REQUEST: Final = 1.00e-6
VOLUME_GB_MONTH: Final = 0.122
NODE_HOUR: Final[Mapping[str, float]] = {
    "t3.small.search": 0.036,
    "r7g.large.search": 0.178,
    "r7g.4xlarge.search": 1.422,
    "m7g.large.search": 0.135,
}
"""List prices in us-east-1, November 2026; of another instance the domain is left out. Source: docs/costs.md."""


def daily_cost(deployment: Deployment, shown: Shown) -> list[cloudwatch.IMetric]:
    """Metrics in dollars a day, one for each part."""
    return [
        _table(shown.table),
        _functions(shown),
        _api(shown.api_id),
        *_domain(deployment.sizes, shown),
    ]


def _table(table: str) -> cloudwatch.MathExpression:
    used = {"reads": consumed(table, "Read", A_DAY), "writes": consumed(table, "Write", A_DAY)}
    return _priced("table", f"reads * {READ_UNIT:.9f} + writes * {WRITE_UNIT:.9f}", used)


def _functions(shown: Shown) -> cloudwatch.MathExpression:
    used: dict[str, cloudwatch.IMetric] = {}
    terms = []
    for entry in (*FUNCTIONS, COMPACTOR):
        if entry.name in shown.functions:
            function = shown.functions[entry.name]
            used[f"{entry.name}_ms"] = function.metric_duration(statistic="Sum", period=A_DAY)
            used[f"{entry.name}_calls"] = function.metric_invocations(statistic="Sum", period=A_DAY)
            a_ms = GB_SECOND * entry.memory_mb / 1024 / 1000
            terms.append(f"FILL({entry.name}_ms, 0) * {a_ms:.12f} + FILL({entry.name}_calls, 0) * {CALL:.9f}")
    return _priced("functions", " + ".join(terms), used)


def _api(api_id: str) -> cloudwatch.MathExpression:
    requests = {"requests": api_metric("Count", api_id, statistic="Sum", period=A_DAY)}
    return _priced("API", f"requests * {API_REQUEST:.9f}", requests)


def _domain(sizes: Sizes, shown: Shown) -> list[cloudwatch.IMetric]:
    """Nodes and volumes of the domain, whose prices do not depend on its use; none where a price is unknown."""
    nodes = {sizes.search_instance: sizes.search_nodes}
    if sizes.search_masters:
        nodes[sizes.search_master_instance] = (
            nodes.get(sizes.search_master_instance, 0) + sizes.search_masters
        )
    if not shown.domain or not nodes.keys() <= NODE_HOUR.keys():
        return []
    volumes = sizes.search_nodes * sizes.search_volume_gb * VOLUME_GB_MONTH * 12 / 365
    price = HOURS * sum(NODE_HOUR[instance] * count for instance, count in nodes.items()) + volumes
    there = {"heap": shown.domain["JVMMemoryPressure"].with_(period=A_DAY)}
    return [_priced("domain", f"heap * 0 + {price:.2f}", there)]


def _priced(label: str, expression: str, used: Mapping[str, cloudwatch.IMetric]) -> cloudwatch.MathExpression:
    return cloudwatch.MathExpression(
        label=label, expression=expression, using_metrics=dict(used), period=A_DAY
    )
