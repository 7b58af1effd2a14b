"""Sweeps by a queue: the clock's call queues projects, or due records by project, and each message sweeps some.

A project that its run does not finish is queued again: the next message goes on inside it. What is in the queue twice
is swept once, since a message says when it was due.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from time import monotonic
from typing import Any, Final
from uuid import uuid4

from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.scheduled_sweeps import RUN_S, measure_report, tell_report
from memory_layer.errors import SweepRunning
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps.project_sweeps import SweepPart, queue_projects, run_part

SendWork = Callable[[Sequence[Mapping[str, Any]]], None]
"""Puts messages into the queue of sweeps, durable on return. Raises: Unavailable: it did not take them all."""

LEAST_S: Final = 5.0
"""Seconds that a project has at least: one that is begun later is left to the next message."""


def queue_sweep(ports: Ports, name: SweepName, send: SendWork, watch: Observability) -> dict[str, Any]:
    """Queues all projects for a sweep, or what is due in them.

    Raises:
        NotFound: there is no such sweep.
        StoreUnavailable: it was stopped by a part that is down: Lambda calls again.
    """
    due = rfc3339(ports.clock.now())

    def messages(groups: Sequence[Sequence[SweepPart]]) -> None:
        send([_message(name, parts, due) for parts in groups])

    try:
        report = queue_projects(ports, name, messages, holder=_holder(), seconds=RUN_S)
    except SweepRunning:
        watch.tell("running already", sweep=name)
        return {"sweep": name, "running": True}
    measure_report(ports, report, watch)
    return tell_report(report, watch)


def take_sweep_messages(
    messages: Sequence[Mapping[str, Any]],
    ports: Ports,
    send: SendWork,
    watch: Observability,
    *,
    seconds: float = RUN_S,
    timer: Callable[[], float] = monotonic,
) -> dict[str, Any]:
    """Sweeps the parts of each message; a failed message is delivered again, and at last kept.

    Args:
        messages: as in a Lambda event of an SQS queue.
        seconds: for all of them; what is left then is queued again.
        timer: seconds of a clock that only goes forward.

    Returns:
        Lambda's partial batch response.
    """
    ends, failed = timer() + seconds, []
    for message in messages:
        try:
            _take(json.loads(message["body"]), ports, send, watch, lambda: ends - timer())
        except Exception as error:  # whatever it is: the other messages are no worse for it
            watch.failed(error)
            failed.append(message["messageId"])
    return {"batchItemFailures": [{"itemIdentifier": id} for id in failed]}


def _take(
    asked: Mapping[str, Any],
    ports: Ports,
    send: SendWork,
    watch: Observability,
    left: Callable[[], float],
) -> None:
    """Sweeps the parts of one message, and queues again those that there is no time for."""
    name, due = asked["sweep"], asked["due"]
    parts = [_part(one) for one in asked["projects"]]
    for number, part in enumerate(parts):
        if left() < LEAST_S:
            return send([_message(name, parts[number:], due)])
        if not _is_swept(ports, name, part, instant(due), watch, left()):
            send([_message(name, [part], due)])
    return None


def _is_swept(
    ports: Ports, name: SweepName, part: SweepPart, due: datetime, watch: Observability, seconds: float
) -> bool:
    """Sweeps one part; False: there is more to do.

    Raises:
        StoreUnavailable: it was stopped by a part that is down.
    """
    try:
        report = run_part(ports, name, part, due=due, holder=_holder(), seconds=seconds)
    except SweepRunning:
        watch.tell("running already", sweep=name)
        return True
    if report is None:
        return True
    if report.failed_count or report.name == "reconcile":
        measure_report(ports, report, watch)
    tell_report(report, watch)
    return report.is_complete


def _message(name: SweepName, parts: Sequence[SweepPart], due: str) -> dict[str, Any]:
    return {"sweep": name, "projects": [_named(part) for part in parts], "due": due}


def _named(part: SweepPart) -> list[Any]:
    """Tenant, project and, where some of its records are meant, their ids."""
    return [*part.scope, *([] if part.ids is None else [list(part.ids)])]


def _part(named: Sequence[Any]) -> SweepPart:
    tenant, project, *ids = named
    return SweepPart(Scope(tenant, project), tuple(ids[0]) if ids else None)


def _holder() -> str:
    return f"function sweep, run {uuid4().hex[:8]}"
