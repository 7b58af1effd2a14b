"""UpdateItem of a changed record: sets or removes every field but the recalls' counts."""

from typing import Any

from memory_layer.adapters.aws.table import keys, record_items
from memory_layer.domain.integrity.digests import record_digest
from memory_layer.domain.memory import is_stub
from memory_layer.ports.commit import Change

_IDENTITY = ("id", "tenant", "project")
_INDEXED = (*record_items.INDEX_ATTRIBUTES, *record_items.DUE_ATTRIBUTES)
_WRITTEN = (
    *(f.name for f in record_items.STORED_FIELDS if f.name not in _IDENTITY),
    *_INDEXED,
    record_items.DIGEST,
    "log_sk",
)
_OF_THE_TEXT = (*record_items.VECTOR_ATTRIBUTES, record_items.VECTORS_DIGEST)
_NAMES = {
    name: f"#{number}"
    for number, name in enumerate(
        (*_WRITTEN, *_OF_THE_TEXT, record_items.BODY_BYTES, *record_items.ACCESS_FIELDS, "kind")
    )
}


def record_update(change: Change, log_sk: str, *, text_changed: bool) -> dict[str, Any]:
    """Body of an Update action.

    Args:
        text_changed: known to be so; else a change without vectors also asks that the text be the stored one, whose
            vectors then stay.
    """
    memory, keeps_vectors = change.memory, change.vectors is None and not text_changed
    keeps_body = change.words is None and is_stub(memory)
    written = (
        *_WRITTEN,
        *(() if keeps_vectors else _OF_THE_TEXT),
        *(() if keeps_body else (record_items.BODY_BYTES,)),
        *(record_items.ACCESS_FIELDS if change.brings_accesses else ()),
    )
    values = {
        **record_items.attributes_of(memory),
        **record_items.index_attributes(memory),
        **record_items.due_attributes(memory, change.at),
    }
    values |= {
        **record_items.vector_attributes(memory.id, change.vectors),
        **record_items.body_attributes(change.body_bytes),
    }
    values |= {record_items.DIGEST: {"S": record_digest(memory)}, "log_sk": {"S": log_sk}}
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
            ":kind": {"S": record_items.MEMORY},
            ":before": {"N": str(change.before)},
        },
    }


def _condition(same_text: dict[str, record_items.Value] | None) -> str:
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
