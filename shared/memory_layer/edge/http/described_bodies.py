"""Bodies in openapi.json that routes read by themselves: lines, lists, runs and files; and those that say nothing."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from memory_layer.edge.shapes.entity_event_bodies import ToldEntityEvent
from memory_layer.edge.shapes.requests import BatchLine, Nothing, Turn
from memory_layer.edge.shapes.run_schema import run_schema

REFERENCE: Final = "#/components/schemas/{model}"
NDJSON: Final = "application/x-ndjson"
Schema = dict[str, Any]

LINE_BODIES: Final[Mapping[str, type[BaseModel]]] = {"create_memories": BatchLine, "add_turns": Turn}
"""Routes that read their body line by line themselves, with the model of a line."""

LIST_BODIES: Final[Mapping[str, type[BaseModel]]] = {"take_entity_events": ToldEntityEvent}
"""Routes that take one object or an array of them, with the model of one."""

_RUN_BODY = "learn_from_run"
_FILE_BODY = "import_project"
_MANY: Final = {"minItems": 1, "maxItems": 1000}


def complete_body(operation: Schema) -> None:
    """Describes the body of an operation as clients send it."""
    name = operation["operationId"]
    if name in LINE_BODIES:
        operation["requestBody"] = _line_body(_reference(LINE_BODIES[name].__name__))
    elif name in LIST_BODIES:
        operation["requestBody"] = _list_body(_reference(LIST_BODIES[name].__name__))
    elif name == _RUN_BODY:
        operation["requestBody"] = _run_body()
    elif name == _FILE_BODY:
        operation["requestBody"] = _file_body()
    elif "requestBody" in operation:
        _omit_null(operation)


def lines_schema(line: Schema, words: str) -> Schema:
    """Schema of NDJSON. Args: line: of each of its lines, for tools that know `x-line`."""
    return {"type": "string", "contentMediaType": NDJSON, "description": words, "x-line": line}


def _reference(model: str) -> Schema:
    return {"$ref": REFERENCE.format(model=model)}


def _body(content: Mapping[str, Schema], **more: Any) -> Schema:
    return {**more, "required": True, "content": {type: {"schema": one} for type, one in content.items()}}


def _line_body(line: Schema) -> Schema:
    lines = lines_schema(
        line, "One JSON object a line, each like one of the array; a broken line fails alone."
    )
    return _body({"application/json": {"type": "array", "items": line, **_MANY}, NDJSON: lines})


def _list_body(one: Schema) -> Schema:
    return _body({"application/json": {"anyOf": [one, {"type": "array", "items": one, **_MANY}]}})


def _run_body() -> Schema:
    forms = [
        {"$ref": one["$ref"].replace("#/$defs/", REFERENCE.format(model=""))} for one in run_schema()["oneOf"]
    ]
    words = "The schema alone: /schemas/run-completed.json"
    return _body({"application/json": {"oneOf": forms}}, description=words)


def _file_body() -> Schema:
    record = {"type": "object", "description": "A record as an export has it, or the manifest at the end."}
    return _body(
        {
            NDJSON: lines_schema(record, "An export: one record a line, and its manifest as the last."),
            "application/json": {
                "type": "object",
                "description": "An export of mem0, Zep, AgentCore Memory, a document of MIF, or a file of Ralph.",
            },
            "text/markdown": {"type": "string", "description": "A Markdown file, or an export as pages."},
            "text/csv": {"type": "string", "description": "A table."},
            "application/octet-stream": {
                "type": "string",
                "format": "binary",
                "description": "The file as it is, in UTF-8; its content tells what it is.",
            },
        },
        description="The file. `format` says what it holds, whatever its content type; omitted, its content tells.",
    )


def _omit_null(operation: Schema) -> None:
    """Takes null out of an optional body: clients omit it; one that can say nothing is not described at all."""
    media = operation["requestBody"]["content"]["application/json"]
    options = [one for one in media["schema"].get("anyOf", ()) if one != {"type": "null"}]
    if options == [_reference(Nothing.__name__)]:
        del operation["requestBody"]
    elif len(options) == 1:
        media["schema"] = options[0]
