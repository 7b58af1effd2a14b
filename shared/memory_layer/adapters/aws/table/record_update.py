"""UpdateItem of a changed record: sets or removes every field but the recalls' counts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memory_layer.adapters.aws.table import keys, record_items, record_seals
from memory_layer.domain.integrity.digests import record_digest
from memory_layer.domain.memory import Memory, is_stub
from memory_layer.ports.commit import Change

_IDENTITY = ("id", "tenant", "project")
_INDEXED = (*record_items.INDEX_ATTRIBUTES, *record_items.DUE_ATTRIBUTES)
_WRITTEN = (
    *(f.name for f in record_items.STORED_FIELDS if f.name not in _IDENTITY),
    *_INDEXED,
    record_items.DIGEST,
    "log_sk",
    record_seals.SEAL,
)
_TOLD_BY = ("version", "log_sk", record_seals.SEAL)
"""Attributes that every write changes."""
_OF_THE_TEXT = (*record_items.VECTOR_ATTRIBUTES, record_items.VECTORS_DIGEST)
_NAMES = {
    name: f"#{number}"
    for number, name in enumerate(
        (*_WRITTEN, *_OF_THE_TEXT, record_items.BODY_BYTES, *record_items.ACCESS_FIELDS, "kind", *_IDENTITY)
    )
}


def record_update(change: Change, log_sk: str, *, text_changed: bool) -> dict[str, Any]:
    """Body of an Update action.

    Every sealed attribute is written, from a record that was read sound: nothing that lies there is sealed anew.

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
        **_values(memory, change.at, log_sk),
        **record_items.vector_attributes(memory.id, change.vectors),
        **record_items.body_attributes(change.body_bytes),
    }
    assigned = {name: value for name, value in values.items() if name in written}
    return {
        "Key": keys.record_key(memory.scope, memory.id),
        "UpdateExpression": _assignment(written, assigned),
        "ConditionExpression": _condition(values if keeps_vectors else None),
        "ExpressionAttributeNames": {_NAMES[name]: name for name in (*written, "kind")},
        "ExpressionAttributeValues": {
            **{_value(name): value for name, value in assigned.items()},
            ":kind": {"S": record_items.MEMORY},
            ":before": {"N": str(change.before)},
        },
    }


def healing_update(
    memory: Memory, written_at: datetime, log_sk: str, damaged: record_items.Item
) -> dict[str, Any]:
    """Update of a damaged item to what was written, on condition that nobody has written it since.

    Vectors, counts of recalls and the size of a body stay.

    Args:
        written_at: time of the record's last change.
        damaged: as it was read.
    """
    written, values = (*_WRITTEN, "kind", *_IDENTITY), _values(memory, written_at, log_sk)
    assigned = {name: values[name] for name in written if name in values}
    read = {name: damaged[name] for name in _TOLD_BY if name in damaged}
    return {
        "Key": keys.record_key(memory.scope, memory.id),
        "UpdateExpression": _assignment(written, assigned),
        "ConditionExpression": " AND ".join(
            f"{_NAMES[name]} = :read{_NAMES[name][1:]}"
            if name in read
            else f"attribute_not_exists({_NAMES[name]})"
            for name in _TOLD_BY
        ),
        "ExpressionAttributeNames": {_NAMES[name]: name for name in written},
        "ExpressionAttributeValues": {
            **{_value(name): value for name, value in assigned.items()},
            **{f":read{_NAMES[name][1:]}": value for name, value in read.items()},
        },
    }


def _values(memory: Memory, at: datetime, log_sk: str) -> dict[str, record_items.Value]:
    """Attributes of a changed record but for its vectors and body. Args: at: time of the change."""
    return record_seals.sealed(
        {
            **keys.record_key(memory.scope, memory.id),
            "kind": {"S": record_items.MEMORY},
            **record_items.attributes_of(memory),
            **record_items.index_attributes(memory),
            **record_items.due_attributes(memory, at),
            record_items.DIGEST: {"S": record_digest(memory)},
            "log_sk": {"S": log_sk},
        }
    )


def _assignment(written: Sequence[str], assigned: Mapping[str, record_items.Value]) -> str:
    """Expression that sets what is assigned, and removes the rest of what is written."""
    removed = [_NAMES[name] for name in written if name not in assigned]
    set_each = ", ".join(f"{_NAMES[name]} = {_value(name)}" for name in assigned)
    return f"SET {set_each}" + (f" REMOVE {', '.join(removed)}" if removed else "")


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
