"""Rows of projects: their keys, positions of their logs, and settings."""

import sqlite3
from collections.abc import Sequence

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.record_rows import scalar
from memory_layer.adapters.embedded.sqlite.row_digests import cells_digest
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import DamagedPolicy, Policy, policy_of
from memory_layer.errors import DamagedSettings

UNKNOWN_PROJECT = -1
"""Key of a project without its first write: it matches no row."""


def project_key(connection: sqlite3.Connection, scope: Scope) -> int:
    """Key of the project, or UNKNOWN_PROJECT."""
    key = scalar(connection, "SELECT key FROM projects WHERE tenant = ? AND project = ?", scope)
    return UNKNOWN_PROJECT if key is None else int(key)


class ProjectKeys:
    """Keys of all projects; each keeps its own for good."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[Scope, int] = {}

    def of(self, scope: Scope) -> int:
        """Key of a project, or UNKNOWN_PROJECT; while it has none, another process may give it one."""
        key = self._known.get(scope)
        if key is None:
            key = project_key(self._database.reader(), scope)
            if key != UNKNOWN_PROJECT:
                self._known[scope] = key
        return key


def log_head(connection: sqlite3.Connection, scope: Scope) -> tuple[int, int]:
    """Key of the project and position of its log; UNKNOWN_PROJECT and 0 before its first write."""
    sql = "SELECT key, position FROM projects WHERE tenant = ? AND project = ?"
    return connection.execute(sql, scope).fetchone() or (UNKNOWN_PROJECT, 0)


def log_heads(connection: sqlite3.Connection, scopes: Sequence[Scope]) -> dict[Scope, tuple[int, int]]:
    """`log_head` of each project of one tenant that has one. Args: scopes: at least one."""
    tenant = scopes[0].tenant
    marks = ", ".join("?" * len(scopes))
    sql = f"SELECT project, key, position FROM projects WHERE tenant = ? AND project IN ({marks})"
    found = connection.execute(sql, (tenant, *(scope.project for scope in scopes))).fetchall()
    return {Scope(tenant, project): (key, position) for project, key, position in found}


def ensure_project(connection: sqlite3.Connection, scope: Scope) -> int:
    """Key of the project, whose row is made if it is missing."""
    sql = "SELECT key, digest FROM projects WHERE tenant = ? AND project = ?"
    found = connection.execute(sql, scope).fetchone()
    if found is None:
        connection.execute("INSERT INTO projects (tenant, project) VALUES (?, ?)", scope)
        found = connection.execute(sql, scope).fetchone()
    key, digest = found
    if digest is None:
        connection.execute("UPDATE projects SET digest = ? WHERE key = ?", (cells_digest((key, *scope)), key))
    return int(key)


def note_write(connection: sqlite3.Connection, key: int, *, positions: int = 0) -> range:
    """Counts a write to a project, so that contexts assembled before it are out of date.

    Args:
        positions: number of positions of the project's log that this write takes.

    Returns:
        These positions.
    """
    sql = "UPDATE projects SET writes = writes + 1, position = position + ? WHERE key = ? RETURNING position"
    last = int(scalar(connection, sql, (positions, key)) or 0)  # no project, no mark
    return range(last - positions + 1, last + 1)


def settings_of(scope: Scope, cell: bytes | None) -> Policy:
    """Parses the settings in a project's cell, read as bytes, so that damage to them is reported as theirs.

    Raises:
        DamagedSettings: the cell is no settings.
    """
    try:
        return policy_of(None if cell is None else cell.decode())
    except (DamagedPolicy, UnicodeDecodeError) as error:
        raise DamagedSettings(scope.project, 0) from error


def lenient_text(cell: bytes | None) -> str | None:
    """Text of a cell with U+FFFD for bytes that are no UTF-8: its parser reports the damage."""
    return None if cell is None else cell.decode(errors="replace")


def printable_id(id: bytes | None) -> str:
    """Id as one printable line, for people and JSON; undamaged ids as they are."""
    text = (id or b"").decode(errors="backslashreplace")
    return text if text.isprintable() else text.encode("unicode_escape").decode()
