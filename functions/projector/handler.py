"""Lambda `projector`: projects the records table's stream onto the search index."""

from collections.abc import Mapping
from typing import Any

from functions.wiring import cloud
from memory_layer.edge.events.function_frame import EventFunction
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.record_stream import project


def _work(event: Mapping[str, Any], watch: Observability) -> dict[str, Any]:
    return project(event["Records"], cloud().project, watch, published=cloud().published)


handler = EventFunction("projector", _work)
