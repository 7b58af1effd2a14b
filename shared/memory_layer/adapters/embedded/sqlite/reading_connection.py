"""Connections that only read: their errors are told as the store's, and they end with their thread."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from memory_layer.errors import StoreUnavailable

_PRIMARY_CODE = 0xFF
"""Mask of the primary code in an extended result code. Source: sqlite.org/rescode.html."""


class DamagedDatabase(StoreUnavailable):
    """Error of a file that is no longer what SQLite wrote, or that the disk does not give back."""


class UnreadableDatabase(StoreUnavailable, sqlite3.DatabaseError):
    """Error of a read; an error of SQLite's as well, for callers that can go on without what was read."""


def primary_code(error: Exception) -> int:
    """SQLite's result code of an error, without its details; 0: it is none of SQLite's."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & _PRIMARY_CODE


def is_damage(error: Exception) -> bool:
    is_told = primary_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR)
    return is_told or isinstance(error, UnicodeDecodeError)


def _unreadable(error: sqlite3.DatabaseError | UnicodeDecodeError) -> sqlite3.DatabaseError:
    """The error to raise for a failed read; misuse of the connection is our mistake, and not the disk's."""
    if isinstance(error, sqlite3.ProgrammingError):
        return error
    return UnreadableDatabase(f"nothing can be read: {error}; run: mem doctor")


class _ReadingCursor(sqlite3.Cursor):
    """Cursor that tells what is wrong with an unreadable database, also to those who iterate over its rows."""

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        return self._told(super().execute, sql, parameters)

    def fetchone(self) -> Any:
        return self._told(super().fetchone)

    def fetchall(self) -> Any:
        return self._told(super().fetchall)

    def fetchmany(self, size: int | None = 1) -> Any:
        return self._told(super().fetchmany, size)

    def __next__(self) -> Any:
        return self._told(super().__next__)

    @staticmethod
    def _told(read: Callable[..., Any], *given: Any) -> Any:
        try:
            return read(*given)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # a text may be none any more
            raise _unreadable(error) from error


class ReadingConnection(sqlite3.Connection):
    """Connection open as long as its thread, or rows that are still read: servers' threads come and go."""

    def __del__(self) -> None:
        self.close()

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        return self.cursor(_ReadingCursor).execute(sql, parameters)  # which forgets those that ended, too


Way = Literal["shared", "log", "still"]
FileState = tuple[tuple[int, int] | None, ...]


def log_of(path: Path) -> Path:
    """The database's write-ahead log."""
    return path.with_name(f"{path.name}-wal")


def index_of(path: Path) -> Path:
    """The shared memory in which those who have the database open find their way in its log."""
    return path.with_name(f"{path.name}-shm")


def can_write(path: Path) -> bool:
    """Tells if a database can be written by this process: the file, its log, and new files beside both.

    Another process may remove the log and its index at any moment: what is not there keeps nobody from writing.
    """
    files = (path, log_of(path), index_of(path))
    can_make = os.access(path.parent, os.W_OK | os.X_OK)
    return can_make and all(os.access(file, os.W_OK) or not file.exists() for file in files)


def file_state(path: Path) -> FileState:
    """State by which a reader that holds no lock learns that somebody has written."""
    return tuple(map(_size_and_time, (path, log_of(path), index_of(path))))


def _size_and_time(path: Path) -> tuple[int, int] | None:
    try:
        told = path.stat()
    except FileNotFoundError:
        return None
    return told.st_size, told.st_mtime_ns


def connect_read_only(path: Path, *, leaves_index: bool = False, **options: Any) -> sqlite3.Connection:
    """Opens a database to read, and makes no file beside it unless somebody has it open.

    Args:
        leaves_index: leaves an index as it is that nobody uses: what a log has lost is told by it alone.

    Without the index of its log nobody has it open. Then a database without a log stands still, and one with a log
    is read with an index of its own. Source: sqlite.org/wal.html#read_only_databases.
    """
    way = _way(path, leaves_index)
    uri = f"file:{quote(str(path.absolute()))}?{_PARAMETERS[way]}"
    connection: sqlite3.Connection = sqlite3.connect(uri, uri=True, **options)
    if way == "log":  # an index in the process's memory takes the place of the shared one
        connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchone()
    return connection


_PARAMETERS: dict[Way, str] = {
    "shared": "mode=ro",
    "log": "mode=ro&vfs=unix-none",
    "still": "mode=ro&immutable=1",
}


def _way(path: Path, leaves_index: bool) -> Way:
    _, log, index = file_state(path)
    if index is not None and not leaves_index:
        return "shared"
    return "log" if log is not None and log[0] else "still"
