"""Lambda `sweep`: one run of one sweep, called by the clock, or by hand with {"sweep": "expiry", "dry_run": true}."""

from collections.abc import Mapping
from typing import Any

from functions.wiring import cloud
from memory_layer.edge.events.function_frame import EventFunction
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.scheduled_sweeps import sweep


def _work(event: Mapping[str, Any], watch: Observability) -> Any:
    return sweep(cloud().ports, event, watch)


handler = EventFunction("sweep", _work)
