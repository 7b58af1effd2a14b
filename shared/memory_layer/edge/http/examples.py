"""Examples in openapi.json: those of requests are written down, those of answers are made of their schemas."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from memory_layer.edge.http.request_examples import MEMORY, OTHER, RECALL, REQUESTS, SAID, URN

_JSON: Final = ("application/json", "application/problem+json", "application/schema+json")
_DIGEST: Final = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_FORMATS: Final[Mapping[str, str]] = {"date-time": "2026-03-01T12:00:00.000000Z", "date": "2026-03-01"}
_PREFIXES: Final = ("par_", "stg_", "whk_")
_FORMS: Final = ("(^", *(f"^{prefix}" for prefix in _PREFIXES))
_PROBLEM: Final = {"status": 422, "type": "urn:memory-layer:problem:invalid"}
Schema = Mapping[str, Any]

_VALUES: Final[Mapping[str, tuple[Any, ...]]] = {
    "active": (True,),
    "as": ("memory",),
    "author": ("agent:codex", _DIGEST[:12]),
    "by": ("ada@example.com",),
    "confidence": (0.9,),
    "content": (SAID,),
    "content_hash": (_DIGEST,),
    "content_sha256": (_DIGEST,),
    "created_by": ("ada@example.com",),
    "degraded": (False,),
    "detail": ("content is missing: say one thought",),
    "digest": (_DIGEST,),
    "disk": ("ready",),
    "boost": (1.0,),
    "durable": (True,),
    "embedder": ("ready",),
    "entities": ([URN],),
    "entity": (URN,),
    "evidence": (0.94,),
    "head": (_DIGEST,),
    "id": (MEMORY,),
    "ids": ([MEMORY, OTHER],),
    "indexed": (True,),
    "instance": ("/v1/projects/web/memories",),
    "kind": ("memory",),
    "limit": (50,),
    "manifest": (_DIGEST,),
    "markdown": (f"- {SAID}",),
    "memory_store_id": ("memstore_web",),
    "memory_version_id": (f"memver_1_{MEMORY}",),
    "memory_ids": ([MEMORY],),
    "memory_set_hash": (_DIGEST,),
    "n": (1,),
    "objective": ("Raise the retention of the billing queue",),
    "path": ("/runbooks/queue.md",),
    "pointer": ("/content",),
    "principal": ("agent-7",),
    "project": ("web",),
    "query": ("How long does billing keep messages?",),
    "ranking": ("blended",),
    "reason": ("The runbook says so.",),
    "recall_id": (RECALL,),
    "refs": ([1, 3],),
    "rendered": (f"- {SAID}",),
    "relevance": (0.91,),
    "relevance_score": (1.0,),
    "request_id": ("01980000-0000-7000-8000-000000000004",),
    "run_id": ("run-2026-03-01-7",),
    "score": (0.82,),
    "session_id": ("chat-12",),
    "status": (200, "running"),
    "strategy": ("auto",),
    "tags": (["queue", "billing"],),
    "target": (URN,),
    "tenant": ("local",),
    "title": ("Invalid request",),
    "tokenizer": ("wordpiece",),
    "type": ("mentions",),
    "urn": (URN,),
    "verb": ("created",),
    "version": (1, "0.1.0"),
    "words": ("four days",),
    "writes": ("accepted",),
}
"""By member, what it may say; the first that its schema takes is shown."""


def add_examples(document: dict[str, Any]) -> None:
    """Gives each operation an example of what is asked, and of each answer."""
    schemas: Schema = document["components"]["schemas"]
    for operations in document["paths"].values():
        for operation in operations.values():
            _show_request(operation)
            for parameter in operation["parameters"]:
                if parameter["in"] == "path":
                    parameter["example"] = _example(parameter["schema"], parameter["name"], schemas)
            for status, answer in operation["responses"].items():
                _show_answer(status, answer, schemas)


def _show_request(operation: dict[str, Any]) -> None:
    for content_type, media in operation.get("requestBody", {}).get("content", {}).items():
        shown = REQUESTS[operation["operationId"]]
        media["example"] = shown if content_type in _JSON else _text(content_type, shown)


def _show_answer(status: str, answer: dict[str, Any], schemas: Schema) -> None:
    for content_type, media in answer.get("content", {}).items():
        if content_type in _JSON or media["schema"].get("type") == "object":
            media["example"] = _example(media["schema"], "", schemas)
        else:
            media["example"] = _text(content_type, [{"id": MEMORY, "content": SAID}])
    if status == "default" and (told := answer["content"].get("application/problem+json")):
        told["example"] |= {**_PROBLEM}


def _text(content_type: str, shown: Any) -> str:
    """Example of a body that is no JSON: as lines, else as the format has it."""
    if content_type == "application/x-ndjson":
        lines = shown if isinstance(shown, list) else [{"id": MEMORY, "content": SAID}]
        return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    return {"text/csv": f"id,content\n{MEMORY},{SAID}\n", "text/html": "<!doctype html>"}.get(
        content_type, f"# Billing\n\n- {SAID}\n"
    )


def _example(schema: Schema, name: str, schemas: Schema) -> Any:
    """Value that a schema takes. Args: name: of the member that has it."""
    if "$ref" in schema:
        return _example(schemas[schema["$ref"].rpartition("/")[2]], name, schemas)
    for options in ("anyOf", "oneOf"):
        if options in schema:
            return _chosen(schema[options], name, schemas)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    for value in _VALUES.get(name, ()):
        if _takes(schema, value):
            return value
    return _made(schema, name, schemas)


def _chosen(options: Sequence[Schema], name: str, schemas: Schema) -> Any:
    """Value of the first option; null where there is nothing to show."""
    known = any(_takes(options[0], value) for value in _VALUES.get(name, ()))
    return None if {"type": "null"} in options and not known else _example(options[0], name, schemas)


def _takes(schema: Schema, value: Any) -> bool:
    """Tells whether a value is of the schema's type and form."""
    if isinstance(value, list):
        return schema.get("type") == "array" and _takes(schema.get("items", {}), value[0])
    kind = {str: "string", int: "integer", float: "number", bool: "boolean"}[type(value)]
    pattern = str(schema.get("pattern", ""))
    has_form = "format" in schema or pattern.startswith(_FORMS)
    return schema.get("type") == kind and not has_form and re.search(pattern, str(value)) is not None


def _made(schema: Schema, name: str, schemas: Schema) -> Any:
    kind = schema.get("type", "object")
    if kind == "object":
        return _object(schema, schemas)
    if kind == "array":
        one, items = name.removesuffix("s"), schema.get("prefixItems", [schema.get("items", {})])
        is_bare = items[0].get("type") == "string" and one not in _VALUES and "minItems" not in schema
        return [] if is_bare else [_example(each, one, schemas) for each in items]
    if kind == "string":
        return _made_text(schema)
    return {"integer": int, "number": float, "boolean": bool}[kind](schema.get("minimum", 0))


def _made_text(schema: Schema) -> str:
    pattern = str(schema.get("pattern", ""))
    for prefix in _PREFIXES:
        if pattern.startswith(f"^{prefix}"):
            return f"{prefix}{_DIGEST[:32]}"
    return _FORMATS.get(schema.get("format", ""), "run.completed" if pattern.startswith("(^") else "text")


def _object(schema: Schema, schemas: Schema) -> dict[str, Any]:
    required = schema.get("required", ())
    members = schema.get("properties", {}).items()
    return {name: _example(one, name, schemas) for name, one in members if name in required}
