"""Lambda `approve`: reviews."""

from functions.wiring import cloud
from memory_layer.edge.api_gateway import HttpApi

handler = HttpApi("approve", cloud)
