"""Packing of documents inside items: deflated, a record's JSON shrinks to half, and never outgrows an item's 400 KB."""

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


def field_value(value: str | int, *, is_document: bool) -> Value:
    """Attribute of a text or an integer; a document is deflated."""
    if isinstance(value, int):
        return {"N": str(value)}
    return packed(value) if is_document else {"S": value}


def text_or_number(value: Value) -> str | int:
    """Text or integer that `field_value` wrote."""
    if "N" in value:
        return int(value["N"])
    return str(value["S"]) if "S" in value else unpacked(value)


def packed_document(document: Mapping[str, Any] | None) -> Value | None:
    return None if document is None else packed(canonical_json(document))


def unpacked_document(value: Value | None) -> dict[str, Any] | None:
    if value is None:
        return None
    document: dict[str, Any] = json.loads(unpacked(value))
    return document


def without_context(text: str) -> str | None:
    """JSON text of a record with its `context` set to null; None if it has no context, or is no record."""
    document = json.loads(text) if text else None
    if not isinstance(document, dict) or document.get("context") is None:
        return None
    return canonical_json({**document, "context": None})
