"""Lambda `recall`: recall and prompts."""

from functions.wiring import cloud
from memory_layer.edge.api_gateway import HttpApi

handler = HttpApi("recall", cloud)
