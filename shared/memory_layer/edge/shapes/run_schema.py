"""JSON Schema of a run's report, derived from the run itself, in each of its envelopes and spellings."""

import json
from importlib.resources import files
from typing import Any

from pydantic import TypeAdapter

from memory_layer.domain.learning.run import Analysis, Iteration, Run
from memory_layer.domain.text_rules import PROJECT
from memory_layer.edge.shapes.answer_fields import summary
from memory_layer.edge.shapes.derived_models import describe
from memory_layer.manifest import run_events
from memory_layer.manifest.run_events import RUN_COMPLETED, RUN_ID, SCHEMA_FILE, SPELLINGS

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_KIND = {
    "type": "string",
    "pattern": rf"(^|\.){RUN_COMPLETED.replace('.', '[.]')}$",
    "description": f"Ends in `{RUN_COMPLETED}`.",
}
_SOURCE = {"type": "string", "minLength": 1, "description": "Who sent it."}


def run_schema() -> dict[str, Any]:
    """One schema for a plain run, an EventBridge event and a CloudEvent in structured mode."""
    run = TypeAdapter(Run).json_schema(mode="validation")
    definitions = {name: _with_spellings(part) for name, part in _described(run).items()}
    run["properties"]["project"] = {
        "type": "string",
        "pattern": f"^(?:{PROJECT})$",
        "description": "Whose knowledge it adds to, where no path says so.",
    }
    run["properties"]["run_id"]["pattern"] = f"^(?:{RUN_ID})$"
    definitions["Run"] = _with_spellings(run)
    definitions["EventBridgeEvent"] = _envelope("detail-type", "detail", "The run, with its project.")
    version = {"const": "1.0", "description": "Of CloudEvents."}
    definitions["CloudEvent"] = _envelope("type", "data", "The run.", specversion=version)
    names = ("Run", "EventBridgeEvent", "CloudEvent")
    return {
        "$schema": _DIALECT,
        "title": "A run that has ended",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in names],
        "$defs": definitions,
    }


def schema_text() -> str:
    """Text of the schema as the repository keeps it."""
    return json.dumps(run_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def served_schema() -> str:
    """Schema that is served: the file that `schema_text` made."""
    return files(run_events.__package__ or "").joinpath(SCHEMA_FILE).read_text("utf-8")


def _described(run: dict[str, Any]) -> dict[str, Any]:
    """Parts of the run's schema, taken out of it; each, and the run, with the words about its fields."""
    parts: dict[str, Any] = run.pop("$defs")
    for of, schema in ((Run, run), (Iteration, parts["Iteration"]), (Analysis, parts["Analysis"])):
        schema["description"] = summary(of)
        describe(schema, of)
    return parts


def _envelope(kind: str, inside: str, words: str, **more: Any) -> dict[str, Any]:
    run = {"$ref": "#/$defs/Run", "description": words}
    return {
        "type": "object",
        "properties": {kind: _KIND, "source": _SOURCE, inside: run, **more},
        "required": [*more, kind, "source", inside],
    }


def _with_spellings(part: dict[str, Any]) -> dict[str, Any]:
    """Schema with every other spelling of its fields; each field in one of them."""
    others: dict[str, list[str]] = {}
    for spelling, name in SPELLINGS.items():
        if name in part.get("properties", {}):
            others.setdefault(name, []).append(spelling)
    properties = dict(part["properties"])
    required = [name for name in part.get("required", ()) if name not in others]
    rules: list[dict[str, Any]] = []
    for name, spellings in others.items():
        properties |= {key: {**properties[name], "description": f"As `{name}`."} for key in spellings}
        if name in part.get("required", ()):
            rules.append({"oneOf": [{"required": [spelling]} for spelling in (name, *spellings)]})
        else:
            rules.append({"not": {"required": [name, *spellings]}})
    spelt = {**part, "properties": properties, "required": required}
    return {**spelt, "allOf": rules} if rules else spelt
