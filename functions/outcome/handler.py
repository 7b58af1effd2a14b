"""Lambda `outcome`: outcomes."""

from functions.wiring import cloud
from memory_layer.edge.api_gateway import HttpApi

handler = HttpApi("outcome", cloud)
