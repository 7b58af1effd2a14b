"""Lambda `context`: contexts within a budget, and the feedback that tunes them."""

from functions.wiring import cloud
from memory_layer.edge.api_gateway import HttpApi

handler = HttpApi("context", cloud)
