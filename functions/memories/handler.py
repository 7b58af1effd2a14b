"""Lambda `memories`: memories, settings, operations and the service itself."""

from functions.wiring import cloud
from memory_layer.edge.api_gateway import HttpApi

handler = HttpApi("memories", cloud)
