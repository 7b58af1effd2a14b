"""Items of the collections beside the records: their attributes, and the conditions that they are written under."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_layer.adapters.aws.table.packing import field_value, text_or_number
from memory_layer.adapters.aws.table.record_items import Item, Value
from memory_layer.adapters.aws.table.record_seals import sound_item
from memory_layer.adapters.stored_form.collection_spec import CollectionSpec, T
from memory_layer.domain.fields import rfc3339


def attributes(spec: CollectionSpec[T], record: T) -> dict[str, Value]:
    """Attributes of a record's fields; a document is deflated."""
    return {
        name: field_value(cell, is_document=name in spec.documents)
        for name, cell in spec.cells(record).items()
        if cell is not None
    }


def sound_cells(spec: CollectionSpec[T], item: Item) -> Mapping[str, Any]:
    """Stored values that `attributes` was made of. Raises: DamagedItem: the item does not match its digest."""
    sound_item(item)
    return {name: text_or_number(item[name]) if name in item else None for name in spec.fields}


def put_condition(version: int, now: datetime | None = None) -> dict[str, Any]:
    """Condition that nothing lies there (version 1), or the version before. Args: now: as `version_condition`."""
    if version > 1:
        return version_condition(version - 1, now)
    if now is None:
        return {"ConditionExpression": "attribute_not_exists(pk)"}
    return {
        "ConditionExpression": "attribute_not_exists(pk) OR expires_at <= :now",
        "ExpressionAttributeValues": {":now": {"S": rfc3339(now)}},
    }


def version_condition(version: int, now: datetime | None = None) -> dict[str, Any]:
    """Condition that a version lies there.

    Args:
        now: what has expired by then counts as gone; None: nothing expires.
    """
    is_version, values = "#version = :version", {":version": {"N": str(version)}}
    if now is not None:
        is_version += " AND (attribute_not_exists(expires_at) OR expires_at > :now)"
        values[":now"] = {"S": rfc3339(now)}
    return {
        "ConditionExpression": is_version,
        "ExpressionAttributeNames": {"#version": "version"},
        "ExpressionAttributeValues": values,
    }
