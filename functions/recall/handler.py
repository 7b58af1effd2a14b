"""Lambda `recall`: recall and prompts."""

from __future__ import annotations

from functions.wiring import cloud
from memory_layer.edge.api_gateway import HttpApi

handler = HttpApi("recall", cloud)
