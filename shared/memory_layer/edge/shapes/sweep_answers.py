"""Results and states of sweeps, as JSON."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_layer.domain.time.sweep_state import SweepReport, SweepState
from memory_layer.edge.shapes.answer_fields import document


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepStateAnswer:
    """State of a sweep.

    Args:
        every_minutes: between two runs.
        holder: the process that runs it now.
    """

    name: str
    every_minutes: int
    running: bool
    holder: str | None
    last_report: SweepReport | None


def report_json(report: SweepReport) -> dict[str, Any]:
    return document(report)


def state_json(name: str, state: SweepState | None, minutes: int, now: datetime) -> dict[str, Any]:
    """State of a sweep. Args: minutes: between two runs."""
    is_running = state is not None and state.leased_until is not None and state.leased_until > now
    answer = SweepStateAnswer(
        name=name,
        every_minutes=minutes,
        running=is_running,
        holder=state.holder if state is not None and is_running else None,
        last_report=None if state is None else state.last_report,
    )
    return document(answer)
