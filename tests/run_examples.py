"""Runs for tests: the loops of Loop Learning."""

from __future__ import annotations

from typing import Any

from memory_layer.domain.learning.run import Run
from memory_layer.edge.shapes.run_reports import run_report_of

SYNTAX = "SyntaxError: unexpected token"


def loop(run_id: str, objective: str = "Fix failing authentication tests", **changed: Any) -> dict[str, Any]:
    """A loop of four iterations, as its orchestrator tells of it: three successes, one failure with two errors."""
    done = {
        "status": "completed",
        "duration": 45_000,
        "analysis": {"progressMade": True},
        "learnings": ["Write tests first before implementation"],
        "filesModified": ["auth/login.ts", "auth/login.test.ts"],
    }
    failed = {"status": "failed", "duration": 9_000, "analysis": {"errors": [SYNTAX, SYNTAX]}}
    iterations = [{"number": number, **done} for number in (1, 2, 3)] + [{"number": 4, **failed}]
    return {
        "loopId": run_id,
        "objective": objective,
        "status": "completed",
        "currentIteration": 4,
        "iterations": iterations,
        **changed,
    }


def run_of(run_id: str, objective: str = "Fix failing authentication tests", **changed: Any) -> Run:
    return run_report_of(loop(run_id, objective, **changed)).run


def event_of(run: dict[str, Any], project: str, source: str = "orchestrator") -> dict[str, Any]:
    """The run as EventBridge delivers it."""
    return {
        "version": "0",
        "id": "0d1e2f",
        "detail-type": "run.completed",
        "source": source,
        "time": "2026-03-01T12:00:00Z",
        "detail": {**run, "project": project},
    }
