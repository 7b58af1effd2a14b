"""Lambda `compactor`: brings the records table's stream into segments, where there is no search domain."""

from collections.abc import Mapping
from typing import Any

from functions.wiring import cloud
from memory_layer.edge.events.function_frame import EventFunction
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.record_stream import project


def _work(event: Mapping[str, Any], watch: Observability) -> dict[str, Any]:
    return project(event["Records"], cloud().project, watch, published=cloud().published)


handler = EventFunction("compactor", _work)
