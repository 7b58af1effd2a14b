"""Lambda `canary`: remembers something, recalls it and forgets it, by the clock or by hand."""

import os
from collections.abc import Mapping
from typing import Any

from functions.wiring import cloud
from memory_layer.edge.events.canary import fly
from memory_layer.edge.events.function_frame import EventFunction
from memory_layer.edge.events.observability import Observability
from memory_layer.manifest import env


def _work(_: Mapping[str, Any], watch: Observability) -> Any:
    return fly(cloud().ports, watch, os.environ.get(env.API_URL))


handler = EventFunction("canary", _work)
