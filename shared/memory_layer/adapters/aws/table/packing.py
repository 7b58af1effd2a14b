"""Documents inside items, deflated: JSON of a record shrinks to half, and never outgrows the 400 KB of an item."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

from memory_layer.adapters.aws.table.record_items import Value, bytes_of
from memory_layer.domain.fields import canonical_json


def packed(text: str) -> Value:
    return {"B": zlib.compress(text.encode())}


def unpacked(value: Value) -> str:
    return zlib.decompress(bytes_of(value)).decode()


def packed_document(document: Mapping[str, Any] | None) -> Value | None:
    return None if document is None else packed(canonical_json(document))


def unpacked_document(value: Value | None) -> dict[str, Any] | None:
    if value is None:
        return None
    document: dict[str, Any] = json.loads(unpacked(value))
    return document


def without_context(text: str) -> str | None:
    """The JSON text of a record whose `context` is null; None if it has none as it is, or is no record."""
    document = json.loads(text) if text else None
    if not isinstance(document, dict) or document.get("context") is None:
        return None
    return canonical_json({**document, "context": None})
