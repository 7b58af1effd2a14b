"""SQLite file: its connections and its durability."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memory_layer.adapters.embedded.sqlite.database_copies import keep_copy, prune_copies
from memory_layer.adapters.embedded.sqlite.kept_logs import keep_damaged_log, log_report
from memory_layer.adapters.embedded.sqlite.mention_rows import add_mention_functions
from memory_layer.adapters.embedded.sqlite.migration import check_schema, newest_schema
from memory_layer.adapters.embedded.sqlite.migration import migrate as migrate
from memory_layer.adapters.embedded.sqlite.migration import migrations as migrations
from memory_layer.adapters.embedded.sqlite.migration import schema_version as schema_version
from memory_layer.adapters.embedded.sqlite.reading_connection import (
    DamagedDatabase,
    FileState,
    ReadingConnection,
    can_write,
    connect_read_only,
    file_state,
    is_damage,
    primary_code,
)
from memory_layer.adapters.embedded.sqlite.row_digests import add_digest_function
from memory_layer.adapters.embedded.sqlite.version_packing import add_version_functions
from memory_layer.adapters.embedded.sqlite.wal_index import held_here
from memory_layer.errors import OutcomeUnknown, ReadOnlyStore, StoreUnavailable

BUSY_TIMEOUT_MS = 10_000
"""Time that a writer waits for a writer in another process."""

_READ_PRAGMAS = (
    "PRAGMA temp_store = MEMORY",
    "PRAGMA mmap_size = 0",  # a mapped file is unmapped and mapped anew behind every write of another connection
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
)
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    *_READ_PRAGMAS,
)

_log = logging.getLogger(__name__)


class Database:
    """Database with many readers beside one writer at a time, over threads and processes.

    Args:
        path: the file, made if missing; None: one of its own that goes when it is closed, for tests. A file that
            this process may not write is read, as it is.

    Raises:
        StoreUnavailable: the file is no database, is damaged, or was written by a newer version.
    """

    def __init__(self, path: Path | None) -> None:
        self._own_folder: TemporaryDirectory[str] | None = None
        if path is None:
            self._own_folder = TemporaryDirectory(prefix="memory-layer-")
            path = Path(self._own_folder.name, "memory.sqlite3")
        self.path = path
        self.is_read_only = path.exists() and not can_write(path)
        self._write_lock = threading.RLock()
        self._writer: sqlite3.Connection | None = None
        self._local = threading.local()
        self._readers: weakref.WeakSet[sqlite3.Connection] = weakref.WeakSet()
        self._readers_lock = threading.Lock()
        self._is_closed = False
        try:
            self._open()
            held_here[path.resolve()] += 1
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            kind = DamagedDatabase if is_damage(error) else StoreUnavailable
            raise kind(f"{path} cannot be opened: {error}; run: mem doctor --data {path.parent}") from error

    def reader(self) -> sqlite3.Connection:
        """This thread's connection for reading.

        Raises:
            StoreUnavailable: here, and from its `execute`, `fetchone` and `fetchall`: the file is damaged or gone.
        """
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None or (self.is_read_only and self._is_outdated(connection)):
            self._local.state = file_state(self.path) if self.is_read_only else None
            connection = self._local.connection = self._connect(ReadingConnection)
            with self._readers_lock:
                self._readers.add(connection)
        return connection

    def _is_outdated(self, connection: sqlite3.Connection) -> bool:
        """Tells if another user has written since: of a file that was still SQLite does not ask that itself."""
        seen: FileState = self._local.state
        return not connection.in_transaction and seen != file_state(self.path)

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
            ReadOnlyStore: this process may not write the file.
            OutcomeUnknown: the disk failed at the commit.
            StoreUnavailable: the disk is full, the file is locked or damaged.
        """
        with self._write_lock:
            try:
                connection = self._writable()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                except BaseException:
                    self._roll_back(connection)
                    raise
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise StoreUnavailable(f"nothing was written: {error}; run: mem doctor") from error
            self._commit(connection)

    def _commit(self, connection: sqlite3.Connection) -> None:
        """Commits. After an error of the disk the log may hold the commit all the same, for the next start to find."""
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._renew_writer(connection)
            if primary_code(error) == sqlite3.SQLITE_IOERR:
                raise OutcomeUnknown(f"the disk failed while the write was made to last ({error})") from error
            raise StoreUnavailable(f"nothing was written: {error}; run: mem doctor") from error
        except BaseException:
            self._roll_back(connection)
            raise

    def empty_log(self) -> bool:
        """Moves all that was written into the file, and truncates the write-ahead log.

        Returns:
            False: a reader of an older state did not end within BUSY_TIMEOUT_MS.
        """
        with self._write_lock:
            is_busy, *_ = self._writable().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy

    def rewrite(self) -> bool:
        """Rewrites the file, through its log: nothing is in it then but what its tables hold.

        Returns:
            False: the disk has no room for a second one, or another process has kept the file locked.
        """
        with self._write_lock:
            writer = self._writable()
            try:
                writer.execute("PRAGMA temp_store = FILE")  # the copy may be larger than the memory
                writer.execute("VACUUM")
            except sqlite3.OperationalError as error:
                _log.warning("%s is not written anew: %s", self.path, error)
                return False
            finally:
                writer.execute("PRAGMA temp_store = MEMORY")
        return True

    def close(self) -> None:
        with self._write_lock, self._readers_lock:
            for connection in (*self._readers, self._writer):
                if connection is not None:
                    connection.close()
            self._readers.clear()
            if not self._is_closed:
                held_here[self.path.resolve()] -= 1
                self._is_closed = True
            if self._own_folder is not None:
                self._own_folder.cleanup()

    def _open(self) -> None:
        """Opens the file, after a look at its log: SQLite drops what it cannot read there."""
        if self.is_read_only:
            self.log_report = log_report(self.path)
            self._check_readable()
            return
        _make_for_the_owner_alone(self.path)
        self.log_report, now = keep_damaged_log(self.path), datetime.now(UTC)
        prune_copies(self.path, now)
        self._writer = self._open_writer(now)
        if self.log_report.is_alarming:  # what is kept aside would be found again, and be told as new
            self.empty_log()

    def _check_readable(self) -> None:
        """Checks a file that stays as it is. Raises: StoreUnavailable: its schema is not ours."""
        with closing(self._connect()) as connection:
            check_schema(connection)
            found = schema_version(connection)
        if found < newest_schema():
            raise ReadOnlyStore(
                f"{self.path} has schema {found}, has to be migrated to {newest_schema()} and cannot be written by "
                f"this user; chmod or chown {self.path.parent} and what is in it, or open a copy of it"
            )

    def _writable(self) -> sqlite3.Connection:
        """The connection for writing. Raises: ReadOnlyStore: this process may not write the file."""
        if self.is_read_only:
            folder = self.path.parent
            raise ReadOnlyStore(
                f"nothing was written: {folder} and the database in it can only be read by this user; "
                f"chmod or chown {folder} and what is in it, then start again"
            )
        if self._writer is None:  # the one before it failed at a commit
            self._writer = self._open_writer(datetime.now(UTC))
        return self._writer

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")

    def _renew_writer(self, connection: sqlite3.Connection) -> None:
        """Leaves a connection whose commit failed: the next write gets one that knows nothing of it."""
        try:
            self._roll_back(connection)
        except sqlite3.Error as error:
            _log.warning("%s was not rolled back: %s", self.path, error)
        connection.close()
        self._writer = None

    def _open_writer(self, now: datetime) -> sqlite3.Connection:
        connection = self._connect()
        with _closed_on_failure(connection):
            add_digest_function(connection)
            add_mention_functions(connection)
            migrate(connection, lambda schema: self._keep_copy(schema, now))
        return connection

    def _keep_copy(self, schema: int, now: datetime) -> None:
        kept = keep_copy(self.path, schema, now)
        _log.warning("schema %s is migrated to %s; a copy is kept in %s", schema, newest_schema(), kept.name)
        prune_copies(self.path, now)

    def _connect(self, kind: type[sqlite3.Connection] = sqlite3.Connection) -> sqlite3.Connection:
        connection = _connect(self.path, kind, reads=self.is_read_only)
        if self._own_folder is not None:
            connection.execute("PRAGMA synchronous = OFF")
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


def _connect(path: Path, kind: type[sqlite3.Connection], *, reads: bool) -> sqlite3.Connection:
    options: dict[str, Any] = {
        "isolation_level": None,
        "check_same_thread": False,
        "cached_statements": 256,
        "factory": kind,
    }
    connection = connect_read_only(path, **options) if reads else sqlite3.connect(path, **options)
    with _closed_on_failure(connection):
        add_version_functions(connection)
        for pragma in _READ_PRAGMAS if reads else _PRAGMAS:
            connection.execute(pragma)
    return connection
