"""SQLite file: its connections, its durability, its migrations."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memory_layer.adapters.embedded.sqlite.mention_rows import add_mention_functions
from memory_layer.adapters.embedded.sqlite.row_digests import add_digest_function
from memory_layer.errors import StoreUnavailable

BUSY_TIMEOUT_MS = 10_000
"""Time that a writer waits for a writer in another process."""

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA mmap_size = 1073741824",
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
)

_log = logging.getLogger(__name__)


class DamagedDatabase(StoreUnavailable):
    """Error of a file that is no longer what SQLite wrote, or that the disk does not give back."""


def _is_damage(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", None) or 0
    is_told = code & _PRIMARY_CODE in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR)
    return is_told or isinstance(error, UnicodeDecodeError)


_PRIMARY_CODE = 0xFF
"""Mask of the primary code in an extended result code. Source: sqlite.org/rescode.html."""


class UnreadableDatabase(StoreUnavailable, sqlite3.DatabaseError):
    """Error of a read; an error of SQLite's as well, for callers that can go on without what was read."""


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


class _ReadingConnection(sqlite3.Connection):
    """Connection open as long as its thread, or rows that are still read: servers' threads come and go."""

    def __del__(self) -> None:
        self.close()

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        return self.cursor(_ReadingCursor).execute(sql, parameters)  # which forgets those that ended, too


class Database:
    """Database with many readers beside one writer at a time, over threads and processes.

    Args:
        path: the file, made if missing; None: one of its own that goes when it is closed, for tests.

    Raises:
        StoreUnavailable: the file is no database, is damaged, or was written by a newer version.
    """

    def __init__(self, path: Path | None) -> None:
        self._own_folder: TemporaryDirectory[str] | None = None
        if path is None:
            self._own_folder = TemporaryDirectory(prefix="memory-layer-")
            path = Path(self._own_folder.name, "memory.sqlite3")
        self.path = path
        self._write_lock = threading.RLock()
        self._local = threading.local()
        self._readers: weakref.WeakSet[sqlite3.Connection] = weakref.WeakSet()
        self._readers_lock = threading.Lock()
        try:
            _make_for_the_owner_alone(path)
            self._writer = self._open_writer()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            kind = DamagedDatabase if _is_damage(error) else StoreUnavailable
            raise kind(f"{path} cannot be opened: {error}; run: mem doctor --data {path.parent}") from error

    def reader(self) -> sqlite3.Connection:
        """This thread's connection for reading.

        Raises:
            StoreUnavailable: here, and from its `execute`, `fetchone` and `fetchall`: the file is damaged or gone.
        """
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect(_ReadingConnection)
            with self._readers_lock:
                self._readers.add(connection)
        return connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Transaction for several reads of one state, whatever is written meanwhile.

        Raises:
            StoreUnavailable: as `reader`.
        """
        connection = self.reader()
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One durable transaction; any exception inside rolls it back.

        Raises:
            StoreUnavailable: the disk is full, the file is locked or damaged.
        """
        with self._write_lock:
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                try:
                    yield self._writer
                    self._writer.execute("COMMIT")
                except BaseException:
                    self._rollback()
                    raise
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise StoreUnavailable(f"nothing was written: {error}; run: mem doctor") from error

    def empty_log(self) -> bool:
        """Moves all that was written into the file, and truncates the write-ahead log.

        Returns:
            False: a reader of an older state did not end within BUSY_TIMEOUT_MS.
        """
        with self._write_lock:
            is_busy, *_ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy

    def rewrite(self) -> bool:
        """Rewrites the file, through its log: nothing is in it then but what its tables hold.

        Returns:
            False: the disk has no room for a second one, or another process has kept the file locked.
        """
        with self._write_lock:
            try:
                self._writer.execute("PRAGMA temp_store = FILE")  # the copy may be larger than the memory
                self._writer.execute("VACUUM")
            except sqlite3.OperationalError as error:
                _log.warning("%s is not written anew: %s", self.path, error)
                return False
            finally:
                self._writer.execute("PRAGMA temp_store = MEMORY")
        return True

    def close(self) -> None:
        with self._write_lock, self._readers_lock:
            for connection in (*self._readers, self._writer):
                connection.close()
            self._readers.clear()
            if self._own_folder is not None:
                self._own_folder.cleanup()

    def _rollback(self) -> None:
        if self._writer.in_transaction:
            self._writer.execute("ROLLBACK")

    def _open_writer(self) -> sqlite3.Connection:
        connection = self._connect()
        with _closed_on_failure(connection):
            add_digest_function(connection)
            add_mention_functions(connection)
            migrate(connection)
        return connection

    def _connect(self, kind: type[sqlite3.Connection] = sqlite3.Connection) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
            factory=kind,
        )
        with _closed_on_failure(connection):
            for pragma in _PRAGMAS if self._own_folder is None else (*_PRAGMAS, "PRAGMA synchronous = OFF"):
                connection.execute(pragma)
        return connection


@contextmanager
def _closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _make_for_the_owner_alone(path: Path) -> None:
    """Creates the file for its owner alone: SQLite gives its WAL the same mode. An existing file keeps its own."""
    os.close(os.open(path, os.O_CREAT | os.O_RDONLY, 0o600))


def migrations() -> list[tuple[int, str]]:
    """The numbered scripts, in order: (number, SQL)."""
    folder = files(__package__).joinpath("migrations")
    scripts = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name.split("_")[0]), folder.joinpath(name).read_text("utf-8")) for name in scripts]


def schema_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Runs the scripts that this file has not seen, each in a transaction of its own.

    Raises:
        StoreUnavailable: the file was written by a newer version of this program, or by another one.
    """
    scripts = migrations()
    newest = scripts[-1][0]
    if schema_version(connection) == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise StoreUnavailable("the database belongs to another program: point DATA at another folder")
    if schema_version(connection) > newest:
        raise StoreUnavailable(
            f"the data folder has schema {schema_version(connection)}, this program knows {newest}: "
            "update memory-layer, or point DATA at another folder"
        )
    for number, script in scripts:
        if number > schema_version(connection):
            _run_once(connection, number, script)


def _run_once(connection: sqlite3.Connection, number: int, script: str) -> None:
    """Runs a script, unless another process has run it on this file before the lock was ours."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if schema_version(connection) < number:
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """Cuts a script where SQLite says that a statement ends: executescript() would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
