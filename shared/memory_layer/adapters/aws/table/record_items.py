"""Items of records: one attribute per field, null and empty ones absent, scores in thousandths.

Our own (de)serialisation: boto3's makes Decimals and takes ten times as long. It reads what the client answers and
what a stream delivers alike (there bytes arrive in base64).
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from memory_layer.adapters.aws.table import keys, lifecycle_keys
from memory_layer.domain.fields import (
    Field,
    Kind,
    doubt_from_json,
    doubt_to_json,
    instant,
    record_fields,
    rfc3339,
)
from memory_layer.domain.integrity.digests import record_digest, row_digest, search_digest
from memory_layer.domain.memory import Memory, Relation
from memory_layer.domain.resolved_time import times_from_json, times_to_json
from memory_layer.domain.time.decay import due_from

if TYPE_CHECKING:
    from memory_layer.ports.commit import Vector, Vectors

Value = dict[str, Any]
"""One attribute as the low-level client wants it, e.g. {"S": "text"}."""

Item = Mapping[str, Any]

MEMORY: Final = "memory"
TOMBSTONE: Final = "tombstone"

BODY_BYTES: Final = "body_bytes"
"""Length of a record's words that lie in a body, in UTF-8; absent where they are in the item."""

ACCESS_FIELDS = ("access_count", "last_accessed_at")
"""Counts of recalls: added by themselves, no part of a change of the record."""

VECTOR_ATTRIBUTES = ("content_vector", "context_vector")
DIGEST: Final = "digest"
VECTORS_DIGEST: Final = "vectors_digest"
"""SHA-256 of the record and of its vectors (domain.integrity); an item without them is older than they are."""

INDEX_ATTRIBUTES = ("age_pk", "age_sk", "content_pk", "content_sk", "session_pk", "session_sk")
DUE_ATTRIBUTES = ("due_pk", "due_sk")
"""The keys in the index of what is due: of the record, and of when it was written."""

STORED_FIELDS: tuple[Field, ...] = tuple(
    field for field in record_fields() if field.name not in ACCESS_FIELDS
)


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


_TO_VALUE: dict[Kind, Callable[[Any], Value]] = {
    "text": lambda value: {"S": value},
    "integer": lambda value: {"N": str(value)},
    "score": lambda value: {"N": str(round(value * 1000))},
    "boolean": lambda value: {"BOOL": value},
    "instant": lambda value: {"S": rfc3339(value)},
    "labels": lambda value: {"L": [{"S": label} for label in value]},
    "relations": lambda value: {"L": [{"M": _relation(relation)} for relation in value]},
    "document": lambda value: {"S": _compact(value)},
    "doubt": lambda value: {"S": _compact(doubt_to_json(value))},
    "times": lambda value: {"S": _compact(times_to_json(value))},
}
_FROM_VALUE: dict[Kind, Callable[[Value], Any]] = {
    "text": itemgetter("S"),
    "integer": lambda value: int(value["N"]),
    "score": lambda value: int(value["N"]) / 1000,
    "boolean": itemgetter("BOOL"),
    "instant": lambda value: instant(value["S"]),
    "labels": lambda value: tuple(label["S"] for label in value["L"]),
    "relations": lambda value: tuple(
        Relation(item["M"]["type"]["S"], item["M"]["target"]["S"]) for item in value["L"]
    ),
    "document": lambda value: json.loads(value["S"]),
    "doubt": lambda value: doubt_from_json(json.loads(value["S"])),
    "times": lambda value: times_from_json(json.loads(value["S"])),
}
_MAY_BE_EMPTY: frozenset[Kind] = frozenset({"labels", "relations", "document", "times"})


def _relation(relation: Relation) -> Value:
    return {"type": {"S": relation.type}, "target": {"S": relation.target}}


_DEFAULTS = {
    f.name: f.default_factory() if f.default_factory is not MISSING else f.default for f in fields(Memory)
}
_WRITERS = tuple((f.name, _TO_VALUE[f.kind], f.kind in _MAY_BE_EMPTY) for f in record_fields())
_READERS = tuple(
    (
        getattr(Memory, f.name).__set__,
        f.name,
        _FROM_VALUE[f.kind],
        None if f.is_nullable else _DEFAULTS[f.name],
    )
    for f in record_fields()
)
_DOCUMENTS = tuple((getattr(Memory, f.name).__set__, f.name) for f in record_fields() if f.kind == "document")


def attributes_of(memory: Memory) -> dict[str, Value]:
    """Attributes of a record, one per field; none for what is null or empty."""
    return {
        name: write(value)
        for name, write, may_be_empty in _WRITERS
        if (value := getattr(memory, name)) is not None and not (may_be_empty and not value)
    }


def item_of(memory: Memory, vectors: Vectors | None = None, log_sk: str | None = None) -> dict[str, Value]:
    """Item of a record, with all its attributes.

    Args:
        vectors: to be kept beside it as float16, little endian.
        log_sk: the sort key of its newest log entry.
    """
    item = {
        **keys.record_key(memory.scope, memory.id),
        "kind": {"S": MEMORY},
        **attributes_of(memory),
        **index_attributes(memory),
        **vector_attributes(memory.id, vectors),
        DIGEST: {"S": record_digest(memory)},
    }
    if log_sk is not None:
        item["log_sk"] = {"S": log_sk}
    return item


def body_attributes(body_bytes: int | None) -> dict[str, Value]:
    """Length of a record's body as an attribute; none for words that are in the item."""
    return {} if body_bytes is None else {BODY_BYTES: {"N": str(body_bytes)}}


def index_attributes(memory: Memory) -> dict[str, Value]:
    """Keys under which the indexes hold the record; absent where an index does not hold it."""
    found = {
        "age_pk": keys.age_partition(memory.scope, _listed_under(memory)),
        "age_sk": keys.age_sort(memory.created_at, memory.id, memory.expires_at),
    }
    if memory.is_active:
        found["content_pk"] = keys.content_partition(memory.scope, memory.content_hash)
        found["content_sk"] = memory.id
    if memory.session_id is not None:
        found["session_pk"] = keys.session_partition(memory.scope, memory.session_id)
        found["session_sk"] = keys.session_sort(memory.position, memory.id, memory.created_at)
    return {name: {"S": key} for name, key in found.items()}


def _listed_under(memory: Memory) -> str:
    """Partition of the index by age: the status, with doubted active records apart for reviewers."""
    return keys.DOUBTED if memory.is_active and memory.doubted else memory.status


def due_attributes(memory: Memory, written_at: datetime) -> dict[str, Value]:
    """Keys in the index of due records; absent for a record that never changes by itself."""
    at = due_from(memory, written_at)
    return {} if at is None else {**lifecycle_keys.due_index(at, memory.scope, memory.id)}


def vector_attributes(id: str, vectors: Vectors | None) -> dict[str, Value]:
    """Attributes of vectors. Args: id: of their record."""
    if vectors is None:
        return {}
    both = (vectors.content, vectors.context)
    blobs = [None if vector is None else vector.astype("<f2").tobytes() for vector in both]
    named = zip(VECTOR_ATTRIBUTES, blobs, strict=True)
    found: dict[str, Value] = {name: {"B": blob} for name, blob in named if blob is not None}
    return {**found, VECTORS_DIGEST: {"S": search_digest(id, *blobs)}}


COUNTED_IN_PLACE: Final = frozenset({DIGEST, "replaced_by", "next_free", "next_free_again"})
"""Attributes set or added without a look at the rest of their item: no part of its digest."""


def attributes_digest(item: Item) -> str:
    """SHA-256, hex, of all of an item's attributes and its key; for items beside the records."""
    named = sorted(item.keys() - COUNTED_IN_PLACE)
    return row_digest(cell for name in named for cell in (name, *_cells(item[name])))


def _cells(value: Value) -> tuple[str, str | bytes]:
    ((kind, content),) = value.items()
    return kind, bytes_of(value) if kind == "B" else content


def with_digest(item: dict[str, Value]) -> dict[str, Value]:
    """Item with its digest."""
    return {**item, DIGEST: {"S": attributes_digest(item)}}


def is_memory(item: Item) -> bool:
    """Says that an item is a record, not a tombstone."""
    return bool(item["kind"]["S"] == MEMORY)


def memory_of(item: Item) -> Memory:
    """Record of an item of kind `memory`.

    Every recall makes tens of them, and 54 keyword arguments take longer than all the rest: the slots are set.

    Raises:
        LookupError: a field is missing that has no default.
    """
    memory = object.__new__(Memory)
    for set_slot, name, read, absent in _READERS:
        value = item.get(name)
        if value is not None:
            set_slot(memory, read(value))
        elif absent is not MISSING:
            set_slot(memory, absent)
        else:
            raise LookupError(f"the item {item.get('pk')} lacks {name}")
    for set_slot, name in _DOCUMENTS:
        if name not in item:
            set_slot(memory, {})
    return memory


def vectors_of(item: Item) -> Vectors | None:
    """Vectors kept beside a record, as float32; None if it has none."""
    from memory_layer.ports.commit import Vectors

    content, context = (item.get(name) for name in VECTOR_ATTRIBUTES)
    if content is None:
        return None
    return Vectors(_vector(content), None if context is None else _vector(context))


def _vector(value: Value) -> Vector:
    import numpy as np  # a read of a record without its vectors must not load it

    return np.frombuffer(bytes_of(value), dtype="<f2").astype(np.float32)


def bytes_of(value: Value) -> bytes:
    """Bytes of a binary attribute: base64 in an answer of our client and in a stream's event."""
    stored = value["B"]
    return b64decode(stored) if isinstance(stored, str) else bytes(stored)


def version_of(item: Item) -> int:
    return int(item["version"]["N"])


def text_of(item: Item, name: str) -> str | None:
    """Text attribute, None where it is absent."""
    value = item.get(name)
    return None if value is None else str(value["S"])


def number_of(item: Item, name: str) -> int | None:
    """Integer attribute, None where it is absent."""
    value = item.get(name)
    return None if value is None else int(value["N"])


def size_bytes(values: Mapping[str, Value]) -> int:
    """Approximate size as DynamoDB counts: names and values in UTF-8, three bytes per list or map, one per element."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in values.items())


def _value_bytes(value: Value) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "B":
        return len(content)
    if kind == "N":
        return len(content) // 2 + 2
    if kind == "L":
        return 3 + sum(1 + _value_bytes(element) for element in content)
    return 4 + len(content) + size_bytes(content) if kind == "M" else 1


def without_absent(values: Mapping[str, Value | None]) -> dict[str, Value]:
    """Attributes without those that are None."""
    return {name: value for name, value in values.items() if value is not None}


def text_attributes(values: Mapping[str, str | None]) -> dict[str, Value]:
    """Text attributes; none for what is None."""
    return {name: {"S": text} for name, text in values.items() if text is not None}
