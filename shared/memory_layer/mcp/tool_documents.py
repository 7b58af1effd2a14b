"""Tools as clients list them: in as few tokens as a model can go by, since each of its turns pays for them."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from memory_layer.mcp.tool_session import Tool
from memory_layer.mcp.tools import TOOLS

_UNSAID = frozenset({"title", "pattern", "format", "maxLength", "minLength", "maxItems", "minItems"})
"""Words of a schema that no model needs beforehand: who breaks such a bound is told it in a sentence."""

LARGEST_SAID = 100
"""Largest bound of a number that is said beforehand; nobody meets the others."""


def tool_document(name: str) -> dict[str, Any]:
    """Tool as the protocol describes it."""
    return _documents()[name]


@cache
def _documents() -> dict[str, dict[str, Any]]:
    return {tool.name: _document(tool) for tool in TOOLS}


def _document(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": brief_schema(tool.asks.model_json_schema()),
        "outputSchema": tool.answers.model_json_schema(mode="serialization"),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.is_read_only,
            "destructiveHint": tool.is_destructive,
            "idempotentHint": tool.is_idempotent or tool.is_read_only,
            "openWorldHint": False,
        },
    }


def brief_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Schema without titles, bounds of texts and lists, and what goes without saying: that what may be left out may be
    null or is false by itself, and that counts begin at one."""
    choices = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    only = choices[0] if len(choices) == 1 else {}
    said = {key: value for key, value in {**schema, **only}.items() if not _is_unsaid(key, value)}
    named = {
        key: {name: brief_schema(inner) for name, inner in said[key].items()}
        for key in ("properties", "$defs")
        if key in said
    }
    if isinstance(said.get("items"), Mapping):
        named["items"] = brief_schema(said["items"])
    if only:
        said.pop("anyOf")
    return {**said, **named}


def _is_unsaid(key: str, value: Any) -> bool:
    if key == "default":
        return value in (None, [], False)
    return key in _UNSAID or (key == "minimum" and value <= 1) or (key == "maximum" and value > LARGEST_SAID)
