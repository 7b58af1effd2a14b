"""Migrations of a database: numbered scripts, run once, in one transaction, after a copy was put aside."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from importlib.resources import files

from memory_layer.errors import StoreUnavailable


def migrations() -> list[tuple[int, str]]:
    """The numbered scripts, in order: (number, SQL)."""
    folder = files(__package__).joinpath("migrations")
    scripts = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name.split("_")[0]), folder.joinpath(name).read_text("utf-8")) for name in scripts]


def newest_schema() -> int:
    return migrations()[-1][0]


def schema_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_schema(connection: sqlite3.Connection) -> None:
    """Refuses a database that is not ours, or not ours yet.

    Raises:
        StoreUnavailable: the file was written by a newer version of this program, or by another one.
    """
    found, newest = schema_version(connection), newest_schema()
    if found == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        found = schema_version(connection)  # another process may have made it between the two looks
        if found == 0:
            raise StoreUnavailable("the database belongs to another program: point DATA at another folder")
    if found > newest:
        raise StoreUnavailable(
            f"the data folder has schema {found}, this program knows {newest}: "
            "update memory-layer, go back with: mem admin rollback, or point DATA at another folder"
        )


def migrate(connection: sqlite3.Connection, keep_copy: Callable[[int], None] = lambda _: None) -> None:
    """Runs the scripts that this file has not seen, all of them or none.

    Args:
        keep_copy: puts a copy aside, under the lock that keeps others from writing; is told the schema of what is
            there, and is not called for a new file.

    Raises:
        StoreUnavailable: as `check_schema`.
    """
    check_schema(connection)
    if schema_version(connection) == newest_schema():
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        _run_missing(connection, keep_copy)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _run_missing(connection: sqlite3.Connection, keep_copy: Callable[[int], None]) -> None:
    """Runs the missing scripts, which another process may have run before the lock was ours."""
    check_schema(connection)
    found = schema_version(connection)
    missing = [(number, script) for number, script in migrations() if number > found]
    if found and missing:
        keep_copy(found)
    for number, script in missing:
        for statement in _statements(script):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number}")


def _statements(script: str) -> Iterator[str]:
    """Cuts a script where SQLite says that a statement ends: executescript() would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
