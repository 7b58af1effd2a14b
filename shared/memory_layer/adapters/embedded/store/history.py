"""The lines of a record's history, each with its digest."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from memory_layer.domain.fields import canonical_json, rfc3339
from memory_layer.domain.integrity.digests import version_digest
from memory_layer.ports.commit import Change

SEALED = (
    *("id", "version", "before_version", "log_position"),
    *("verb", "changed_by", "changed_at", "reason", "record"),
)
"""What a version's digest is taken of, in this order."""

_INSERT = (
    f"INSERT INTO versions (project_key, {', '.join(SEALED)}, digest)"
    f" VALUES (?, {', '.join('?' * len(SEALED))}, ?)"
)
_WITH_CONTEXT = (
    f"SELECT rowid, {', '.join(SEALED)} FROM versions"
    " WHERE project_key = ? AND id = ? AND json_extract(record, '$.context') IS NOT NULL"
)

_REASON = SEALED.index("reason")
_WITH_REASON = (
    f"SELECT rowid, digest, {', '.join(SEALED)} FROM versions WHERE project_key = ? AND changed_by = ?"
    " AND verb IN (SELECT value FROM json_each(?)) AND reason IS NOT NULL"
)


def write_version(
    connection: sqlite3.Connection, key: int, position: int, change: Change, record: str
) -> None:
    """Args: record: what the change made of it, canonical JSON."""
    memory = change.memory
    where = (memory.id, memory.version, change.before, position)
    values = (*where, change.verb, change.by, rfc3339(change.at), change.reason, record)
    connection.execute(_INSERT, (key, *values, row_digest(values)))


def silence_versions(connection: sqlite3.Connection, key: int, ids: Iterable[str]) -> None:
    """Take the context out of every version of these records."""
    for id in ids:
        for rowid, *values in connection.execute(_WITH_CONTEXT, (key, id)).fetchall():
            values[-1] = canonical_json({**json.loads(values[-1]), "context": None})
            connection.execute(
                "UPDATE versions SET record = ?, digest = ? WHERE rowid = ?",
                (values[-1], row_digest(values), rowid),
            )


def forget_reasons(connection: sqlite3.Connection, key: int, by: str, verbs: Collection[str]) -> None:
    """What somebody gave as the reason of such changes; a line that is damaged keeps a digest that tells it."""
    for rowid, digest, *values in connection.execute(
        _WITH_REASON, (key, by, json.dumps(list(verbs)))
    ).fetchall():
        is_sound = digest is None or digest == row_digest(values)
        values[_REASON] = None
        sealed = row_digest(values) if is_sound else digest
        connection.execute("UPDATE versions SET reason = NULL, digest = ? WHERE rowid = ?", (sealed, rowid))


def row_digest(values: Sequence[Any]) -> bytes:
    """Args: values: of the columns SEALED."""
    *told, record = values
    return bytes.fromhex(version_digest(record.encode(), *told))
