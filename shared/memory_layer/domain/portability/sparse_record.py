"""Record documents without the fields that say no more than the record's defaults."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from functools import cache
from typing import Any

from memory_layer.domain.fields import DERIVED_FIELDS, memory_to_json
from memory_layer.domain.memory import Memory

_LEFT_OUT = ("tenant",)
"""Fields that an import takes from its caller's token."""

_EPOCH = datetime.fromtimestamp(0, UTC)


def sparse_record(memory: Memory) -> dict[str, Any]:
    """Serializes a record as a JSON object of the fields that differ from their defaults, in the record's order.

    `record_rules.record_of` fills the others in again, so that nothing is lost.
    """
    defaults = _defaults()
    return {
        name: value
        for name, value in memory_to_json(memory).items()
        if name not in _LEFT_OUT and name not in DERIVED_FIELDS and not _is_default(defaults, name, value)
    }


def _is_default(defaults: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in defaults and type(defaults[name]) is type(value) and defaults[name] == value


@cache
def _defaults() -> dict[str, Any]:
    """Defaults of the fields that have one, as JSON."""
    required = {
        field.name: "0"
        for field in fields(Memory)
        if field.default is MISSING and field.default_factory is MISSING
    }
    moments = {"created_at": _EPOCH, "updated_at": _EPOCH}
    document = memory_to_json(Memory(**{**required, **moments}))  # type: ignore[arg-type]
    return {name: value for name, value in document.items() if name not in required}
