"""Lambda `recall`: recall and prompts."""

from __future__ import annotations

from functions.wiring import cloud
from memory_layer.edge.http_api import HttpApi

handler = HttpApi("recall", cloud)
