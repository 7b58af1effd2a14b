"""Lambda `sweep`: queues projects, or what is due in them, at the clock's call, and sweeps what it is handed.

By hand: {"sweep": "expiry", "dry_run": true} runs one sweep through all projects.
"""

from collections.abc import Mapping
from typing import Any

from functions.wiring import cloud
from memory_layer.edge.events.function_frame import EventFunction
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.queued_sweeps import queue_sweep, take_sweep_messages
from memory_layer.edge.events.scheduled_sweeps import sweep


def _work(event: Mapping[str, Any], watch: Observability) -> Any:
    backend = cloud()
    if "Records" in event:
        return take_sweep_messages(event["Records"], backend.ports, backend.send_sweeps, watch)
    if backend.has_sweep_queue and "schedule" in event:
        return queue_sweep(backend.ports, event["sweep"], backend.send_sweeps, watch)
    return sweep(backend.ports, event, watch)


handler = EventFunction("sweep", _work)
