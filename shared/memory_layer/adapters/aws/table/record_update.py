"""A change of a record that is there, as one UpdateItem: every field set or removed, but for what recalls count."""

from typing import Any

from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import (
    ACCESS_FIELDS,
    BODY_BYTES,
    DIGEST,
    DUE_ATTRIBUTES,
    INDEX_ATTRIBUTES,
    MEMORY,
    STORED_FIELDS,
    VECTOR_ATTRIBUTES,
    VECTORS_DIGEST,
    Value,
    attributes_of,
    body_attributes,
    due_attributes,
    index_attributes,
    vector_attributes,
)
from memory_layer.domain.integrity.digests import record_digest
from memory_layer.domain.memory import is_stub
from memory_layer.ports.commit import Change

_IDENTITY = ("id", "tenant", "project")
_INDEXED = (*INDEX_ATTRIBUTES, *DUE_ATTRIBUTES)
_WRITTEN = (*(f.name for f in STORED_FIELDS if f.name not in _IDENTITY), *_INDEXED, DIGEST, "log_sk")
_OF_THE_TEXT = (*VECTOR_ATTRIBUTES, VECTORS_DIGEST)
_NAMES = {
    name: f"#{number}"
    for number, name in enumerate((*_WRITTEN, *_OF_THE_TEXT, BODY_BYTES, *ACCESS_FIELDS, "kind"))
}


def record_update(change: Change, log_sk: str, *, text_changed: bool) -> dict[str, Any]:
    """The body of an Update action.

    Args:
        text_changed: known to be so; else a change without vectors also asks that the text be the stored one, whose
            vectors then stay.
    """
    memory, keeps_vectors = change.memory, change.vectors is None and not text_changed
    keeps_body = change.words is None and is_stub(memory)
    written = (
        *_WRITTEN,
        *(() if keeps_vectors else _OF_THE_TEXT),
        *(() if keeps_body else (BODY_BYTES,)),
        *(ACCESS_FIELDS if change.brings_accesses else ()),
    )
    values = {**attributes_of(memory), **index_attributes(memory), **due_attributes(memory, change.at)}
    values |= {**vector_attributes(memory.id, change.vectors), **body_attributes(change.body_bytes)}
    values |= {DIGEST: {"S": record_digest(memory)}, "log_sk": {"S": log_sk}}
    kept = [name for name in written if name in values]
    removed = [_NAMES[name] for name in written if name not in values]
    assigned = ", ".join(f"{_NAMES[name]} = {_value(name)}" for name in kept)
    return {
        "Key": keys.record_key(memory.scope, memory.id),
        "UpdateExpression": f"SET {assigned}" + (f" REMOVE {', '.join(removed)}" if removed else ""),
        "ConditionExpression": _condition(values if keeps_vectors else None),
        "ExpressionAttributeNames": {_NAMES[name]: name for name in (*written, "kind")},
        "ExpressionAttributeValues": {
            **{_value(name): values[name] for name in kept},
            ":kind": {"S": MEMORY},
            ":before": {"N": str(change.before)},
        },
    }


def _condition(same_text: dict[str, Value] | None) -> str:
    unchanged = f"{_NAMES['kind']} = :kind AND {_NAMES['version']} = :before"
    if same_text is None:
        return unchanged
    context = _NAMES["context"]
    same_context = (
        f"{context} = {_value('context')}" if "context" in same_text else f"attribute_not_exists({context})"
    )
    return f"{unchanged} AND {_NAMES['content_hash']} = {_value('content_hash')} AND {same_context}"


def _value(name: str) -> str:
    return f":{_NAMES[name][1:]}"
