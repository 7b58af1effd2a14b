"""Rows of records: one column per field, scores in thousandths, lists and objects as JSON."""

from __future__ import annotations

import json
import marshal
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from itertools import repeat
from operator import attrgetter, call
from typing import Any, Final, TypeVar

import numpy as np

from memory_layer.adapters.stored_form.stored_values import compact_json
from memory_layer.domain import fields
from memory_layer.domain.memory import OUT_OF_RECALL, Memory, Relation, Scope
from memory_layer.domain.resolved_time import times_from_json, times_to_json
from memory_layer.ports.commit import Vector

ACCESS_COLUMNS = ("access_count", "last_accessed_at")
"""Columns of the table `accesses`: what recalls count is no change of the record."""

_FIELDS = tuple(field for field in fields.record_fields() if field.name not in ("tenant", "project"))
STORED_FIELDS: tuple[fields.Field, ...] = tuple(
    field for field in _FIELDS if field.name not in ACCESS_COLUMNS
)
STORED_COLUMNS = tuple(field.name for field in STORED_FIELDS)

SEALED_COLUMNS = ("project_key", "log_position", "digest", "due_at", "body_bytes", *STORED_COLUMNS)
"""Cells that a row's seal is taken of, in this order: all but its key."""

_ROW_PARTS = (
    *("m.key", "m.seal", "a.memory_key", "a.access_count"),
    *("CAST(a.last_accessed_at AS BLOB)", "a.digest"),
)
SEALED_AT = len(_ROW_PARTS)
STORED_AT = SEALED_AT + len(SEALED_COLUMNS) - len(STORED_COLUMNS)
"""Places of the sealed cells, and of the record's own among them, in a row that SELECT_MEMORY read."""

RECORD_COLUMNS = ", ".join((*_ROW_PARTS, *(f"m.{name}" for name in SEALED_COLUMNS)))
SELECT_MEMORY = f"SELECT {RECORD_COLUMNS} FROM memories m LEFT JOIN accesses a ON a.memory_key = m.key"
SELECT_SEAL = (
    f"SELECT {', '.join(_ROW_PARTS)}, m.id FROM memories m LEFT JOIN accesses a ON a.memory_key = m.key"
)
"""As SELECT_MEMORY, with the id alone of the cells that are sealed."""

INSERT_MEMORY = (
    f"INSERT INTO memories ({', '.join(SEALED_COLUMNS)}, seal)"
    f" VALUES ({', '.join('?' * len(SEALED_COLUMNS))}, ?)"
)
UPDATE_MEMORY = (
    f"UPDATE memories SET {', '.join(f'{name} = ?' for name in SEALED_COLUMNS)}, seal = ? WHERE key = ?"
)

WRITE_SEARCH_ROW = (
    "INSERT OR REPLACE INTO search_rows"
    " (memory_key, content_vector, context_vector, content_terms, context_terms, digest)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)

OUT_OF_RECALL_SQL: Final = "{{}}tier IN ({})".format(", ".join(f"'{tier}'" for tier in OUT_OF_RECALL))
"""Condition of a record that no question finds; `format` it with the alias of its table."""


_TO_SQL: dict[fields.Kind, Callable[[Any], Any]] = {
    "score": lambda value: round(value * 1000),
    "boolean": int,
    "instant": fields.rfc3339,
    "labels": lambda value: compact_json(value) if value else "[]",
    "relations": lambda value: compact_json([asdict(relation) for relation in value]) if value else "[]",
    "document": compact_json,
    "doubt": lambda value: compact_json(fields.doubt_to_json(value)),
    "times": lambda value: compact_json(times_to_json(value)) if value else "[]",
}
_parsed: Final = json.JSONDecoder().decode
"""As json.loads, which looks for the encoding of each text first."""

_FROM_SQL: dict[fields.Kind, Callable[[Any], Any]] = {
    "boolean": bool,
    "instant": fields.instant,
    "document": lambda value: {} if value == "{}" else _parsed(value),
    "doubt": lambda value: fields.doubt_from_json(_parsed(value)),
}
_LISTS_FROM_SQL: dict[fields.Kind, Callable[[Any], Any]] = {
    "labels": lambda value: tuple(_parsed(value)),
    "relations": lambda value: tuple(Relation(**item) for item in _parsed(value)),
    "times": lambda value: times_from_json(_parsed(value)),
}
"""Of lists that are not empty; most are."""

_values_of = attrgetter(*STORED_COLUMNS)
_WRITERS = tuple(
    (position, _TO_SQL[field.kind]) for position, field in enumerate(STORED_FIELDS) if field.kind in _TO_SQL
)
_READ_ORDER = (*STORED_FIELDS, *(field for field in _FIELDS if field.name in ACCESS_COLUMNS))
_SLOTS = tuple(
    getattr(Memory, name).__set__ for name in (*(field.name for field in _READ_ORDER), *Scope._fields)
)
_EVERY_SLOT = tuple(getattr(Memory, name).__set__ for name in Memory.__slots__)
_every_value_of = attrgetter(*Memory.__slots__)
_SET_COUNT, _SET_LAST = (getattr(Memory, name).__set__ for name in ACCESS_COLUMNS)
_SCORES = tuple(position for position, field in enumerate(_READ_ORDER) if field.kind == "score")
_OF_LISTS, _CONVERSIONS = (
    tuple((position, known[field.kind]) for position, field in enumerate(_READ_ORDER) if field.kind in known)
    for known in (_LISTS_FROM_SQL, _FROM_SQL)
)


Accesses = tuple[int, str | None]
"""Number of recalls that showed a record, and the time of the last one as it is stored."""


def row_of(memory: Memory) -> list[Any]:
    """Values in the order of STORED_COLUMNS."""
    values = list(_values_of(memory))
    for position, write in _WRITERS:
        if values[position] is not None:
            values[position] = write(values[position])
    return values


def seal_of(cells: tuple[Any, ...]) -> bytes:
    """Seal of a row: 16 bytes of a SHA-256 over its cells as SQLite gives them, 2.5 µs where `record_digest` takes 42.

    The second format of marshal has been the same since Python 2.5, and a test holds it; a seal that no longer fits
    is made anew from the record's own digest.

    Args:
        cells: a tuple of SEALED_COLUMNS.
    """
    return sha256(marshal.dumps(cells, 2)).digest()[:16]


def sealed(cells: Sequence[Any]) -> tuple[Any, ...]:
    """Cells of SEALED_COLUMNS with their seal: parameters of INSERT_MEMORY, and, with the key, of UPDATE_MEMORY."""
    return (*cells, seal_of(tuple(cells)))


def memory_of(scope: Scope, row: Sequence[Any]) -> Memory:
    """Record of cells of STORED_COLUMNS and ACCESS_COLUMNS.

    Every recall makes tens of records, and 54 keyword arguments take longer than all the rest: the slots are set.
    """
    values = list(row)
    for position in _SCORES:
        if values[position] is not None:
            values[position] /= 1000
    for position, convert in _OF_LISTS:
        if values[position] == "[]":  # as most are
            values[position] = ()
        elif values[position] is not None:
            values[position] = convert(values[position])
    for position, convert in _CONVERSIONS:
        if values[position] is not None:
            values[position] = convert(values[position])
    values += scope
    return _made_of(_SLOTS, values)


def _made_of(slots: Sequence[Callable[[Memory, Any], None]], values: Sequence[Any]) -> Memory:
    """Record with these values in its slots, set without a step of the interpreter each."""
    memory = object.__new__(Memory)
    deque(map(call, slots, repeat(memory), values), 0)
    return memory


def with_accesses(memory: Memory, accesses: Accesses) -> Memory:
    """The same record with other accesses; `replace` takes six times as long."""
    count, last = accesses
    changed = _made_of(_EVERY_SLOT, _every_value_of(memory))
    _SET_COUNT(changed, count)
    _SET_LAST(changed, None if last is None else fields.instant(last))
    return changed


def vector_blob(vector: Vector | None) -> bytes | None:
    """Vector as float16, little endian."""
    return None if vector is None else vector.astype("<f2").tobytes()


def vector_of(blob: bytes | None) -> Vector | None:
    return None if blob is None else np.frombuffer(blob, dtype="<f2").astype(np.float32)


Id = TypeVar("Id", str, bytes)

READ_CHUNK = 500
"""Ids per statement, well under SQLite's limit of bound parameters."""


def chunks(ids: list[Id], size: int = READ_CHUNK) -> Iterator[list[Id]]:
    """Ids in lists of at most this size."""
    return (ids[start : start + size] for start in range(0, len(ids), size))


def placeholders(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def scalar(connection: sqlite3.Connection, sql: str, parameters: Sequence[Any] = ()) -> Any:
    """The first column of the first row, or None."""
    row = connection.execute(sql, parameters).fetchone()
    return None if row is None else row[0]
