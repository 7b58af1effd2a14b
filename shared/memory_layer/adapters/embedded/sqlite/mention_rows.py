"""Rows of the things that records are tied to, as hashes: the RAM index finds records by these beside their words."""

import json
import sqlite3
import struct
from collections.abc import Iterable
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.row_digests import insertion, update_in_place, with_digest
from memory_layer.domain.memory import Memory, Relation
from memory_layer.domain.retrieval.mentions import Key, named_keys, named_targets, said_keys
from memory_layer.domain.text.analyzer import term_hash

_WRITE: Final = insertion("mentions", "INSERT OR REPLACE")
_NAME_ANEW: Final = f"{update_in_place('mentions', named='?2')} WHERE memory_key = ?1"


def write_mentions(connection: sqlite3.Connection, memory_key: int, said: bytes, named: bytes) -> None:
    """Writes the mentions of a record."""
    connection.execute(_WRITE, with_digest((memory_key, said, named)))


def update_named_mentions(connection: sqlite3.Connection, memory_key: int, memory: Memory) -> None:
    """Updates the named mentions of a record whose words have not changed."""
    connection.execute(_NAME_ANEW, (memory_key, named_hashes(memory)))


def said_hashes(content: str) -> bytes:
    """Mentions of a record in its words. Args: content: all of them, in the row or in a body."""
    return encode_keys(said_keys(content))


def named_hashes(memory: Memory) -> bytes:
    """Mentions of a record in its fields."""
    return encode_keys(named_keys(memory))


def encode_keys(keys: Iterable[Key]) -> bytes:
    """Blob of the hashes of keys, ascending, uint32, little endian."""
    hashes = sorted({term_hash(key) for key in keys})
    return struct.pack(f"<{len(hashes)}I", *hashes)


def add_mention_functions(connection: sqlite3.Connection) -> None:
    """Adds the SQL functions by which the migration fills older databases; of an unreadable row they make nothing."""
    connection.create_function("said_mentions", 1, _said, deterministic=True)
    connection.create_function("named_mentions", 7, _named, deterministic=True)


def _said(content: Any) -> bytes:
    return said_hashes(content) if isinstance(content, str) else b""


def _named(entities: Any, relations: Any, *others: Any) -> bytes:
    *ids, runs, run = others
    targets = (
        *_array(entities),
        *(relation.target for relation in _relations(relations)),
        *ids,
        *_array(runs),
        run,
    )
    return encode_keys(named_targets(target for target in targets if isinstance(target, str)))


def _array(text: Any) -> list[Any]:
    try:
        found = json.loads(text)
    except (TypeError, ValueError):
        return []
    return found if isinstance(found, list) else []


def _relations(text: Any) -> list[Relation]:
    try:
        return [Relation(**item) for item in _array(text)]
    except TypeError:
        return []
