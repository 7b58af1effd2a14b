"""A batch of the records table's stream: projected, counted, and what failed named for another delivery."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from memory_layer.edge.observability import Observability
from memory_layer.manifest import metrics
from memory_layer.manifest.metrics import INDEX_LAG

Record = Mapping[str, Any]
Project = Callable[[Sequence[Record]], Sequence[str]]
"""Brings stream records to the index; the sequence numbers of those that failed."""


def project(
    records: Sequence[Record], bring: Project, watch: Observability, *, clock: Callable[[], float] = time.time
) -> dict[str, Any]:
    """Bring a batch to the index.

    Args:
        records: as in a Lambda event of a DynamoDB stream.
        clock: seconds since 1970.

    Returns:
        Lambda's partial batch response: it delivers again from the first failure on.
    """
    failed = bring(records)
    counts = {
        metrics.INDEX_DOCUMENTS: (MetricUnit.Count, len(records) - len(failed)),
        metrics.INDEX_FAILED: (MetricUnit.Count, len(failed)),
        INDEX_LAG: (MetricUnit.Seconds, _lag_s(records, clock())),
    }
    watch.measure(**counts)
    return {"batchItemFailures": [{"itemIdentifier": number} for number in failed]}


def _lag_s(records: Sequence[Record], now_s: float) -> float:
    """How long the oldest write of a batch has waited; clocks may differ a little."""
    written = (float(record["dynamodb"]["ApproximateCreationDateTime"]) for record in records)
    return max(0.0, now_s - min(written, default=now_s))
