"""What sweeps over the search index are measured by."""

from __future__ import annotations

from collections.abc import Mapping

from aws_lambda_powertools.metrics import MetricUnit

from memory_layer.domain.time.sweep_state import SweepReport
from memory_layer.manifest.metrics import INDEX_COVERAGE, INDEX_REPAIRED
from memory_layer.ports.index import SearchIndex

_REPAIRED = ("missing", "stale", "orphan", "resurrected")


def index_measures(index: SearchIndex, report: SweepReport) -> Mapping[str, tuple[MetricUnit, float]]:
    """Unit and value by name; none of a sweep over something else, or of a dry run.

    Raises:
        IndexUnavailable: it cannot be asked.
    """
    if report.is_dry_run or report.is_stopped:
        return {}
    if report.name == "backfill":
        return {INDEX_COVERAGE: (MetricUnit.Percent, 100 * index.coverage().ratio)}
    if report.name == "reconcile":
        return {INDEX_REPAIRED: (MetricUnit.Count, sum(report.did.get(kind, 0) for kind in _REPAIRED))}
    return {}
