"""Verification of the database file itself: pages, references, numbering and names of projects."""

import json
import sqlite3
from collections.abc import Iterator

from memory_layer.adapters.embedded.sqlite.row_digests import DIGESTED_CELLS, as_bytes, cells_digest
from memory_layer.adapters.embedded.sqlite.version_packing import record_sql
from memory_layer.adapters.stored_form.sweep_state_text import state_digest
from memory_layer.domain.integrity.verification import UNREADABLE

MESSAGES_MAX = 100
"""Messages after which SQLite stops looking."""

_PROJECTS = (
    f"SELECT p.digest, {as_bytes(DIGESTED_CELLS['projects'])},"
    f" (SELECT CAST({record_sql()} AS BLOB) FROM versions WHERE project_key = p.key LIMIT 1)"
    " FROM projects p ORDER BY key"
)

_STATES = "SELECT CAST(name AS BLOB), version, CAST(state AS BLOB), digest FROM sweep_states"

_NUMBERING = (
    "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memories'), 0),"
    " max((SELECT coalesce(max(key), 0) FROM memories), (SELECT coalesce(max(memory_key), 0) FROM tombstones))"
)


def file_flaws(connection: sqlite3.Connection) -> list[str]:
    """One sentence for each flaw of pages, indexes, references and names of projects."""
    try:
        return [
            *_pages(connection),
            *_references(connection),
            *_numbering(connection),
            *_projects(connection),
            *_states(connection),
        ]
    except sqlite3.DatabaseError as error:
        return [f"the database file cannot be read through: {error}"]


def _pages(connection: sqlite3.Connection) -> list[str]:
    messages = connection.execute(f"PRAGMA integrity_check({MESSAGES_MAX})").fetchall()
    return [f"the database file is damaged: {message}" for (message,) in messages if message != "ok"]


def _references(connection: sqlite3.Connection) -> list[str]:
    dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
    return [
        f"{'a row' if row is None else f'row {row}'} of {table} belongs to nothing: its row of {parent} is missing"
        for table, row, parent, _ in dangling[:MESSAGES_MAX]
    ]


def numbering(connection: sqlite3.Connection) -> tuple[int, int]:
    """Counter of keys, and the newest key of a record or of its tombstone: the same, as no key is used twice."""
    counted, newest = connection.execute(_NUMBERING).fetchone()
    return counted, newest


def _numbering(connection: sqlite3.Connection) -> Iterator[str]:
    """Flaws of the counter of keys."""
    counted, newest = numbering(connection)
    if counted != newest:
        yield f"the counter of records stands at {counted}, and the newest one at {newest}"


def _projects(connection: sqlite3.Connection) -> Iterator[str]:
    """Flaws of projects, without their names, which may be another tenant's; records carry these names as well."""
    for digest, *cells, record in connection.execute(_PROJECTS).fetchall():
        key, *names = cells
        names_in_record = names_in(record)
        if digest is not None and digest != cells_digest(cells):
            yield f"row {key.decode()} of projects does not match its digest: its key or a name is damaged"
        elif names_in_record is not None and names_in_record != tuple(names):
            yield f"row {key.decode()} of projects has another name than its records say"


def _states(connection: sqlite3.Connection) -> Iterator[str]:
    """Flaws of the states of sweeps; a damaged one counts as none, and goes with the sweep's next run."""
    for name, version, state, digest in connection.execute(_STATES).fetchall():
        known, text = (cell.decode(errors="replace") for cell in (name, state))
        if digest.hex() != state_digest(known, version, text):
            yield f"the state of the sweep {known} does not match its digest: its next run begins anew"


def names_in(record: bytes | None) -> tuple[bytes, bytes] | None:
    """Tenant and project that a record names; None if it is unreadable: then the record itself is reported."""
    try:
        document = json.loads(record or b"{}")
        return document["tenant"].encode(), document["project"].encode()
    except UNREADABLE:
        return None
