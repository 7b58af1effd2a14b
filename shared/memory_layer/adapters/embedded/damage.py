"""What is wrong with the database file itself, beyond what the rows of a project can say."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

MESSAGES_MAX = 100
"""SQLite stops looking after so many."""

_SAMPLES = (
    "SELECT tenant, project, (SELECT record FROM versions WHERE project_key = key LIMIT 1) FROM projects"
    " ORDER BY key"
)


def damage(connection: sqlite3.Connection) -> list[str]:
    """One sentence for each thing that is wrong: pages, indexes, references, names of projects."""
    try:
        return [*_pages(connection), *_references(connection), *_projects(connection)]
    except sqlite3.DatabaseError as error:
        return [f"the database file cannot be read through: {error}"]


def _pages(connection: sqlite3.Connection) -> list[str]:
    told = connection.execute(f"PRAGMA integrity_check({MESSAGES_MAX})").fetchall()
    return [f"the database file is damaged: {message}" for (message,) in told if message != "ok"]


def _references(connection: sqlite3.Connection) -> list[str]:
    told = connection.execute("PRAGMA foreign_key_check").fetchall()
    return [
        f"row {row} of {table} belongs to nothing: its row of {parent} is missing"
        for table, row, parent, _ in told[:MESSAGES_MAX]
    ]


def _projects(connection: sqlite3.Connection) -> Iterator[str]:
    """Its records carry the name of their project, so that damage to its own shows."""
    for tenant, project, record in connection.execute(_SAMPLES).fetchall():
        said = _said(record)
        if said is not None and said != (tenant, project):
            yield f"project {project!r} of tenant {tenant!r} holds records of {'/'.join(said)}"


def _said(record: str | None) -> tuple[str, str] | None:
    """None where it cannot be read: then the record itself is told."""
    try:
        document = json.loads(record or "{}")
        return str(document["tenant"]), str(document["project"])
    except (ValueError, LookupError, TypeError):
        return None
