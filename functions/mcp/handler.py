"""Lambda `mcp`: the Model Context Protocol, and the metadata by which its clients learn how to sign in."""

from functions.wiring import cloud
from memory_layer.edge.api_gateway import HttpApi
from memory_layer.mcp.router import mcp_router
from memory_layer.settings import read_sign_in

handler = HttpApi("mcp", cloud, routers=(mcp_router(read_sign_in),))
