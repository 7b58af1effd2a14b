"""Redaction of a record's fields, before it is stored and again before it is shown."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory_layer.domain.memory import Relation
from memory_layer.domain.policy import PrivacyMode
from memory_layer.domain.safety.redaction import RedactionFinding, redact_json


def redacted_fields(
    fields: Mapping[str, Any], mode: PrivacyMode
) -> tuple[dict[str, Any], tuple[RedactionFinding, ...]]:
    """Redacts the secrets in a record's fields; returns the fields and the findings with their places."""
    cleaned = dict(fields)
    findings: list[RedactionFinding] = []
    for name, value in fields.items():
        if name in REDACTED_FIELDS and value:
            plain = _as_json(value)
            clean, found = redact_json(plain, mode, pointer=f"/{name}")
            findings += found
            if clean != plain:
                cleaned[name] = _in_type_of(value, clean)
    return cleaned, tuple(findings)


REDACTED_FIELDS = frozenset(
    {
        *("content", "summary", "context", "detail", "tags", "entities", "relations", "note", "reason"),
        *("urn", "target"),
    }
)
"""Fields whose words are redacted; a text that is told apart by its value is refused instead (`NAME_FIELDS`)."""


def _as_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [[item.type, item.target] if isinstance(item, Relation) else item for item in value]
    return value


def _in_type_of(original: Any, clean: Any) -> Any:
    if not isinstance(original, tuple):
        return clean
    return tuple(
        replace(before, type=after[0], target=after[1]) if isinstance(before, Relation) else after
        for before, after in zip(original, clean, strict=True)
    )
