"""Lambda `runs`: learns from completed runs, through a queue that the bus fills."""

from collections.abc import Mapping
from typing import Any

from functions.wiring import cloud
from memory_layer.edge.events.function_frame import EventFunction
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.run_queue import take_messages


def _work(event: Mapping[str, Any], watch: Observability) -> dict[str, Any]:
    return take_messages(event["Records"], cloud().ports, cloud().event_sources, watch)


handler = EventFunction("runs", _work)
