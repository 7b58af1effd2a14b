"""Batches of the records table's stream: projected, counted, and the failed items named for another delivery."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from aws_lambda_powertools.metrics import MetricUnit

from memory_layer.edge.events.observability import Observability
from memory_layer.manifest import metrics
from memory_layer.manifest.metrics import INDEX_LAG

Record = Mapping[str, Any]


class ProjectionOutcome(Protocol):
    """Outcome of projecting a batch."""

    @property
    def failed(self) -> Sequence[str]:
        """Sequence numbers of the items to deliver again."""

    @property
    def set_aside(self) -> int:
        """Number of items that were handed to the failure queue instead."""


Project = Callable[[Sequence[Record]], ProjectionOutcome]
"""Brings stream records to the index, or to the counts."""


def project(
    records: Sequence[Record],
    bring: Project,
    watch: Observability,
    *,
    published: Counter[str] | None = None,
    clock: Callable[[], float] = time.time,
) -> dict[str, Any]:
    """Brings a batch to the index.

    Args:
        records: as in a Lambda event of a DynamoDB stream.
        published: counts of changes that the bus was told, by type; they are logged, and begin anew.
        clock: seconds since 1970.

    Returns:
        Lambda's partial batch response: it delivers again from the first failure on.
    """
    brought = bring(records)
    arrived = len(records) - len(brought.failed) - brought.set_aside
    counts = {
        metrics.INDEX_DOCUMENTS: (MetricUnit.Count, arrived),
        metrics.INDEX_FAILED: (MetricUnit.Count, len(brought.failed)),
        metrics.INDEX_SET_ASIDE: (MetricUnit.Count, brought.set_aside),
        INDEX_LAG: (MetricUnit.Seconds, _lag_s(records, clock())),
    }
    watch.measure(**counts)
    if published:
        counted = {kind.rpartition(".")[2]: count for kind, count in published.items()}
        watch.tell("published", changes=counted)
        published.clear()
    return _response(brought)


def count(records: Sequence[Record], bring: Project) -> dict[str, Any]:
    """Counts a batch of receipts.

    Returns:
        Lambda's partial batch response, as `project`.
    """
    return _response(bring(records))


def _response(outcome: ProjectionOutcome) -> dict[str, Any]:
    return {"batchItemFailures": [{"itemIdentifier": number} for number in outcome.failed]}


def _lag_s(records: Sequence[Record], now_s: float) -> float:
    """Seconds that the oldest write of a batch has waited; clocks may differ a little."""
    written = (float(record["dynamodb"]["ApproximateCreationDateTime"]) for record in records)
    return max(0.0, now_s - min(written, default=now_s))
