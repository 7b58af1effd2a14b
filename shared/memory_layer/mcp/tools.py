"""Tools: one use case each, with no rules of their own, in the order in which clients list them."""

from memory_layer.mcp.context_tools import CONTEXT_TOOLS
from memory_layer.mcp.correction_tools import CORRECTION_TOOLS
from memory_layer.mcp.graph_tools import GRAPH_TOOLS
from memory_layer.mcp.outcome_tools import OUTCOME_TOOLS
from memory_layer.mcp.reading_tools import READING_TOOLS, SEARCH
from memory_layer.mcp.review_tools import REVIEW_TOOLS
from memory_layer.mcp.tool_session import Tool
from memory_layer.mcp.writing_tools import ADD, WRITING_TOOLS

TOOLS: tuple[Tool, ...] = (
    SEARCH,
    ADD,
    *OUTCOME_TOOLS,
    *WRITING_TOOLS,
    *CORRECTION_TOOLS,
    *CONTEXT_TOOLS,
    *READING_TOOLS,
    *GRAPH_TOOLS,
    *REVIEW_TOOLS,
)
