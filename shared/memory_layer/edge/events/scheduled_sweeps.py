"""Sweeps that the cloud's scheduler starts, and the index metrics taken from their reports."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

from aws_lambda_powertools.metrics import MetricUnit

from memory_layer.domain.time.sweep_state import SweepReport
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.shapes.sweep_answers import report_json
from memory_layer.errors import StoreUnavailable, SweepRunning
from memory_layer.manifest import metrics
from memory_layer.manifest.metrics import INDEX_COVERAGE, INDEX_REPAIRED
from memory_layer.ports.index import SearchIndex
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps.run_sweep import run_sweep

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


def _backlog_measures(ports: Ports, report: SweepReport) -> Mapping[str, tuple[MetricUnit, float]]:
    """Measures of what waits for a person, beside those of the vectors; none of an index that cannot tell."""
    is_due = report.name == "backfill" and not (report.is_dry_run or report.is_stopped)
    backlog = ports.backlog() if is_due else None
    if backlog is None:
        return {}
    return {
        metrics.REVIEW_BACKLOG: (MetricUnit.Count, backlog.total),
        metrics.REVIEW_AGE: (MetricUnit.Seconds, backlog.age_s(ports.clock.now())),
    }


RUN_S: Final = 780.0
"""Seconds of one run, of the function's 900: the page that has begun is finished."""


def sweep(ports: Ports, event: Mapping[str, Any], watch: Observability) -> dict[str, Any]:
    """Runs the sweep that the event names; one that is running already is left alone.

    Args:
        event: `sweep`, and `dry_run` if nothing shall be written.

    Raises:
        NotFound: there is no such sweep.
        StoreUnavailable: it was stopped by a part that is down: Lambda calls again.
    """
    name, is_dry_run = event["sweep"], bool(event.get("dry_run"))
    holder = f"function sweep, run {uuid4().hex[:8]}"
    try:
        report = run_sweep(ports, name, holder=holder, seconds=RUN_S, is_dry_run=is_dry_run)
    except SweepRunning:
        watch.tell("running already", sweep=name)
        return {"sweep": name, "running": True}
    measure_report(ports, report, watch)
    return tell_report(report, watch)


def measure_report(ports: Ports, report: SweepReport, watch: Observability) -> None:
    """Emits the metrics of a run. Raises: IndexUnavailable: the index cannot be asked for its own."""
    failed = {metrics.SWEEP_FAILED: (MetricUnit.Count, report.failed_count)}
    watch.measure(**failed, **index_measures(ports.index, report), **_backlog_measures(ports, report))


def tell_report(report: SweepReport, watch: Observability) -> dict[str, Any]:
    """Logs the report of a run, and returns it as a document.

    Raises:
        StoreUnavailable: the run was stopped by a part that is down.
    """
    document = report_json(report)
    # What failed may quote what was stored: the caller is told, the log has the number.
    watch.tell(
        "swept",
        **{fact: value for fact, value in document.items() if fact not in ("failed", "name")},
        sweep=report.name,
    )
    if report.is_stopped:
        raise StoreUnavailable(f"sweep {report.name} was stopped; the next run goes on: {report.failed[-1]}")
    return document
