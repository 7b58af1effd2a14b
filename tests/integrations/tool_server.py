"""An MCP server of somebody else's, for the tests of the proxy: tools that name URNs, fail, and take their time."""

from __future__ import annotations

import sys
import time

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("catalogue")


@server.tool()
def describe(table: str) -> str:
    """Describes a table."""
    return f"urn:table:{table} has 12 columns"


@server.tool()
def count(table: str) -> dict[str, int]:
    """Counts the rows of a table, as data."""
    return {f"urn:table:{table}": 7}


@server.tool()
def fail() -> str:
    """Fails."""
    raise ToolError("urn:table:orders is locked")


@server.tool()
def wait(seconds: float) -> str:
    """Takes its time."""
    time.sleep(seconds)
    return "done"


if __name__ == "__main__":
    print("the catalogue is here", file=sys.stderr)
    server.run()
