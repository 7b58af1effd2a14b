"""Models of openapi.json as generators of clients want them: few, each named once, and nothing required that has a
default."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

ONE_MODEL: Final[Mapping[str, tuple[str, ...]]] = {
    "Memory": ("MemoryAnswer", "ReadMemory", "ReportedAnswer", "ScoredMemory", "StaleMemory", "ReviewItem"),
    "StagedLearning": ("StagedAnswer", "StagedReview"),
    "Settings": ("Settings", "Policy"),
    "TierRules": ("TierRulesFields", "TierRules"),
    "PinRules": ("PinFields", "PinRules"),
    "CompressRules": ("CompressFields", "CompressRules"),
    "EvictRules": ("EvictFields", "EvictRules"),
    "GivenReason": ("Reason",),
    "SeenMemory": ("SeenItem", "SeenMemory"),
    "SimilarMemory": ("SimilarMemory", "KnownTwin"),
}
"""Models that say the same thing, some with a member more: clients have one, in which those members may be missing.

None is called as one of its own members: a generated class would take the one for the other.
"""

READ_ONLY: Final[Mapping[str, tuple[str, ...]]] = {"Settings": ("version",)}
"""Members of such a model that answers have, and requests may not name."""

FEW_MEMBERS: Final = 7
"""Most members of a model that is told in the one place where it stands."""

_PREFIX: Final = "#/components/schemas/"
Schema = dict[str, Any]


def tidy_models(document: dict[str, Any]) -> None:
    """Merges what is one thing, tells defaults in words, and describes a small part where it alone stands."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    for name, variants in ONE_MODEL.items():
        _merge(document, name, [one for one in variants if one in schemas])
    for operation in _operations(document):
        operation["parameters"] = [_sendable(one) for one in operation.get("parameters", ())]
    for schema in schemas.values():
        _tell_defaults(schema)
    _drop_titles(document)
    _drop_unused(document)
    while found := _stands_once(document):
        _describe_in_place(document, found)


def omit_nulls(schemas: Mapping[str, Schema]) -> None:
    """Takes null out of what an answer may leave out: it is left out instead. A request is closed, and may say null."""
    for schema in schemas.values():
        if schema.get("additionalProperties") is not False:
            for name, member in schema.get("properties", {}).items():
                if name not in schema.get("required", ()):
                    _omit_null(member)


def _omit_null(member: Schema) -> None:
    options = [one for one in member.get("anyOf", ()) if one != {"type": "null"}]
    if len(options) == 1:
        del member["anyOf"]
        member |= options[0]


def _operations(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for operations in document["paths"].values():
        yield from operations.values()


def objects(part: Any) -> Iterator[dict[str, Any]]:
    """All objects within a part of the document, itself included."""
    if isinstance(part, dict):
        yield part
    for inside in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from objects(inside)


def _merge(document: dict[str, Any], name: str, variants: Sequence[str]) -> None:
    """One model of several: a member that one of them lacks, or need not have, is optional."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    told = [schemas.pop(variant) for variant in variants]
    properties = {key: one for schema in reversed(told) for key, one in schema["properties"].items()}
    for key in READ_ONLY.get(name, ()):
        properties[key] = {**properties[key], "readOnly": True}
    required = set.intersection(*(set(schema.get("required", ())) for schema in told))
    merged = {**told[0], "properties": properties, "required": sorted(required)}
    schemas[name] = merged if required else {key: one for key, one in merged.items() if key != "required"}
    old = {_PREFIX + variant for variant in variants}
    for one in objects(document):
        if one.get("$ref") in old:
            one["$ref"] = _PREFIX + name


def _sendable(parameter: dict[str, Any]) -> dict[str, Any]:
    """Parameter that can be sent: a query has no null, and a header is spelt as RFCs spell it."""
    schema = {key: one for key, one in parameter["schema"].items() if key not in ("title", "description")}
    options = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(options) == 1:
        schema = {key: one for key, one in schema.items() if key != "anyOf"} | options[0]
    if schema.get("default", ...) in (None, []):
        del schema["default"]
    name = parameter["name"].title() if parameter["in"] == "header" else parameter["name"]
    return {**parameter, "name": name, "schema": schema}


def _tell_defaults(schema: Schema) -> None:
    """Says in words what a member is where it is omitted; generators take a member with a default for required."""
    for one in objects(schema):
        for member in one.get("properties", {}).values():
            default = member.pop("default", None)
            if default not in (None, [], {}) and "description" in member:
                said = member["description"].rstrip(".")
                member["description"] = f"{said}. Omitted: `{json.dumps(default, ensure_ascii=False)}`."


def _drop_titles(document: Mapping[str, Any]) -> None:
    """Removes the titles that repeat the name of a member or of a component."""
    for one in objects(document["components"]["schemas"]):
        if isinstance(one.get("title"), str):
            del one["title"]


def _drop_unused(document: Mapping[str, Any]) -> None:
    """Removes the components that nothing leads to, and those that only they led to."""
    schemas = document["components"]["schemas"]
    while unused := set(schemas) - set(_named(document)):
        for name in unused:
            del schemas[name]


def _named(document: Mapping[str, Any]) -> Counter[str]:
    """Number of the places in which each component is named."""
    found = (one["$ref"] for one in objects(document) if isinstance(one.get("$ref"), str))
    return Counter(reference.removeprefix(_PREFIX) for reference in found)


def _stands_once(document: Mapping[str, Any]) -> set[str]:
    """Components of few members, and choices, that one place alone names."""
    schemas, places = document["components"]["schemas"], _named(document)
    return {
        name
        for name, schema in schemas.items()
        if places[name] == 1 and len(schema.get("properties", ())) <= FEW_MEMBERS
    }


def _describe_in_place(document: Mapping[str, Any], names: set[str]) -> None:
    """Puts the schemas of these components where they are named; their own names become titles."""
    schemas = document["components"]["schemas"]
    for one in objects(document):
        name = str(one.get("$ref", "")).removeprefix(_PREFIX)
        if name in names:
            del one["$ref"]
            titled = {"title": name} if "properties" in schemas[name] else {}
            one |= {**schemas[name], **titled, **one}
    for name in names:
        del schemas[name]
