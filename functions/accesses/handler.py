"""Lambda `accesses`: counts the receipts of recalls at the records that they showed."""

from collections.abc import Mapping
from typing import Any

from functions.wiring import cloud
from memory_layer.edge.events.function_frame import EventFunction
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.record_stream import count


def _work(event: Mapping[str, Any], _: Observability) -> dict[str, Any]:
    return count(event["Records"], cloud().count_accesses)


handler = EventFunction("accesses", _work)
