"""Lambda `background`: work that no caller waits for, by events of the bus."""

from collections.abc import Mapping
from typing import Any

from functions.wiring import cloud
from memory_layer.edge.events.dispatch import carry_out
from memory_layer.edge.events.function_frame import EventFunction
from memory_layer.edge.events.observability import Observability


def _work(event: Mapping[str, Any], watch: Observability) -> None:
    watch.tell("event", kind=event["detail-type"], event_id=event["id"])
    carry_out(cloud().ports, event["detail-type"], event["detail"])


handler = EventFunction("background", _work)
