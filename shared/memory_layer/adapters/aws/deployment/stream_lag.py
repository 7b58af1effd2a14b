"""Lag of a deployment's index behind its table, as CloudWatch has it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from memory_layer.adapters.aws.deployment.stack import aws_errors
from memory_layer.manifest import metrics

LOOKED_BACK: Final = timedelta(minutes=15)
"""Time of which the worst minute is told: metrics come a few minutes late."""


def read_lag(
    client: Any, deployment: str, reader: str, function: str, now: datetime
) -> dict[str, float | None]:
    """Worst lags of the last minutes; None: nothing was written, or it is not told yet.

    Args:
        client: of CloudWatch.
        deployment: its name, which is a dimension of its metrics.
        reader: function of the manifest that the table's stream is for.
        function: its name in Lambda.

    Returns:
        `index_lag_s`: seconds from a write to its being searchable; `iterator_age_s`: seconds that the oldest change of
        the stream had waited.

    Raises:
        Forbidden, Unavailable: CloudWatch does not answer.
    """
    dimensions = {metrics.SERVICE_DIMENSION: reader, metrics.DEPLOYMENT_DIMENSION: deployment}
    queries = [
        _worst("index_lag", metrics.NAMESPACE, metrics.INDEX_LAG, dimensions),
        _worst("iterator_age", "AWS/Lambda", "IteratorAge", {"FunctionName": function}),
    ]
    with aws_errors("reading metrics"):
        answer = client.get_metric_data(MetricDataQueries=queries, StartTime=now - LOOKED_BACK, EndTime=now)
    worst = {found["Id"]: max(found["Values"], default=None) for found in answer["MetricDataResults"]}
    age_ms = worst.get("iterator_age")
    return {
        "index_lag_s": worst.get("index_lag"),
        "iterator_age_s": None if age_ms is None else age_ms / 1_000,
    }


def _worst(id: str, namespace: str, name: str, dimensions: dict[str, str]) -> dict[str, Any]:
    metric = {
        "Namespace": namespace,
        "MetricName": name,
        "Dimensions": [{"Name": one, "Value": value} for one, value in dimensions.items()],
    }
    return {"Id": id, "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Maximum"}}
