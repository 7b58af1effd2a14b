"""Runs that arrive as events: the principals their sources speak for, and learning from each once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memory_layer.domain.portability.trace_context import TRACEPARENT
from memory_layer.edge.http.principals import principal_of
from memory_layer.errors import Forbidden, Invalid, Unauthenticated
from memory_layer.manifest import env
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.signed_ports import traced_ports

if TYPE_CHECKING:
    from memory_layer.usecases.learn.learn_from_run import RunReceipt

Sources = Mapping[str, Mapping[str, Any]]
"""Claims by the source of an event, as a token has them: on whose behalf the source speaks."""


def read_sources(text: str) -> Sources:
    """Parses the environment's setting: JSON, `{"source": {"tenant": …, "sub": …}}`.

    Raises:
        Invalid: it is no such JSON, or claims are not whole.
    """
    try:
        sources = json.loads(text or "{}")
        for claims in sources.values():
            principal_of(claims)
    except (ValueError, AttributeError, TypeError, Unauthenticated) as error:
        raise Invalid(
            f'{env.EVENT_SOURCES} takes {{"source": {{"tenant": …, "sub": …}}}}: {error}'
        ) from error
    return dict(sources)


def take_run_event(ports: Ports, sources: Sources, event: Mapping[str, Any]) -> RunReceipt:
    """Learns from the run that an event reports; delivered again, nothing happens twice.

    Raises:
        Invalid: it is no event of a run, or names no project.
        Forbidden: its source is not configured.
    """
    from memory_layer.edge.shapes.run_reports import run_report_of
    from memory_layer.usecases.learn.learn_from_run import learn_from_run

    report = run_report_of(event)
    if report.source is None:
        raise Invalid.at("/source", "an event comes in an envelope that says who sent it")
    if report.project is None:
        raise Invalid.at("/detail/project", f"run {report.run.run_id} names no project to learn in")
    if report.source not in sources:
        raise Forbidden(f"events of {report.source} are not taken; name the source in {env.EVENT_SOURCES}")
    principal = principal_of(sources[report.source])
    return learn_from_run(
        traced_ports(ports, _traceparent(event)), principal, report.project, report.run, "auto"
    )


def _traceparent(event: Mapping[str, Any]) -> str | None:
    """Trace context of a CloudEvent, which may lie in an envelope of EventBridge."""
    inner = event["detail"] if "detail-type" in event else event
    found = inner.get(TRACEPARENT) if isinstance(inner, Mapping) else None
    return found if isinstance(found, str) else None
