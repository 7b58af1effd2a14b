"""Results and states of sweeps, as JSON."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from memory_layer.domain.fields import rfc3339
from memory_layer.domain.time.sweep_state import SweepReport, SweepState


def report_json(report: SweepReport) -> dict[str, Any]:
    document = asdict(report)
    flags = {
        name.removeprefix("is_"): document.pop(name) for name in ("is_dry_run", "is_complete", "is_stopped")
    }
    times = {name: rfc3339(document[name]) for name in ("started_at", "ended_at")}
    return {**document, **times, **flags, "failed": list(report.failed)}


def state_json(name: str, state: SweepState | None, minutes: int | None, now: datetime) -> dict[str, Any]:
    """State of a sweep. Args: minutes: between two runs; None: only by hand."""
    report = None if state is None else state.last_report
    is_running = state is not None and state.leased_until is not None and state.leased_until > now
    return {
        "name": name,
        "every_minutes": minutes,
        "running": is_running,
        "holder": state.holder if state is not None and is_running else None,
        "last_report": None if report is None else report_json(report),
    }
