"""Copies of a database as it was before a migration, and the way back to them."""

import logging
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from memory_layer.adapters.embedded.sqlite.kept_logs import copy_file, flush_folder
from memory_layer.adapters.embedded.sqlite.migration import schema_version
from memory_layer.adapters.embedded.sqlite.reading_connection import (
    DamagedDatabase,
    connect_read_only,
    index_of,
    is_damage,
    log_of,
    primary_code,
)
from memory_layer.domain.integrity.snapshot import KEPT_DAYS
from memory_layer.errors import Conflict, NotFound, StoreUnavailable

COPIES_KEPT: Final = 2
COPY_LIFETIME: Final = timedelta(days=KEPT_DAYS)
"""As long as snapshots: what was erased since is in a copy, too."""

_log = logging.getLogger(__name__)

_NAME = re.compile(r"\.schema-(\d+)\.(\d{8}T\d{6}Z)\Z")
_STAMP: Final = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class DatabaseCopy:
    """Copy of a database, by the schema and the time that its name tells."""

    path: Path
    schema: int
    at: datetime


@dataclass(frozen=True, slots=True)
class WentBack:
    """Copy that is the database again, and the file that was."""

    copy: DatabaseCopy
    set_aside: Path


def copies_of(path: Path) -> list[DatabaseCopy]:
    """The copies of a database, newest first."""
    named = ((file, _NAME.search(file.name)) for file in path.parent.glob(f"{path.name}.schema-*"))
    found = [
        DatabaseCopy(file, int(name[1]), datetime.strptime(name[2], _STAMP).replace(tzinfo=UTC))
        for file, name in named
        if name is not None
    ]
    return sorted(found, key=lambda copy: (copy.at, copy.schema), reverse=True)


def keep_copy(path: Path, schema: int, now: datetime) -> Path:
    """Copies a database with the writes in its log; the caller keeps others from writing.

    Raises:
        StoreUnavailable: the disk has no room for the copy.
        OSError, sqlite3.Error: it cannot be written.
    """
    _check_room(path, schema)
    target = path.with_name(f"{path.name}.schema-{schema}.{now:{_STAMP}}")
    draft = target.with_name(f"{target.name}.part")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        with closing(connect_read_only(path)) as source, closing(sqlite3.connect(draft)) as copy:
            source.backup(copy)
        draft.replace(target)
        flush_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)
    return target


def _check_room(path: Path, schema: int) -> None:
    needed = sum(file.stat().st_size for file in (path, log_of(path)) if file.exists())
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise StoreUnavailable(
            f"schema {schema} is not migrated: the copy that is kept takes {needed / 1e6:,.1f} MB, and the disk of "
            f"{path.parent} has {free / 1e6:,.1f} MB; make room, then start again"
        )


def prune_copies(path: Path, now: datetime) -> None:
    """Deletes the copies that are too old, and all but the last two."""
    for number, copy in enumerate(copies_of(path)):
        if number >= COPIES_KEPT or copy.at < now - COPY_LIFETIME:
            _delete(copy.path)


def _delete(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("%s is to be deleted and cannot be: %s", path, error.strerror)


def go_back(path: Path, now: datetime) -> WentBack:
    """Puts the newest copy of an older schema in the place of a database, which is set aside.

    Raises:
        NotFound: there is no such copy.
        Conflict: a process has the database open.
        StoreUnavailable: the copy is damaged, or the folder cannot be written.
    """
    try:
        with _held_alone(path) as schema:
            copy = _newest_before(path, schema)
            _check_whole(copy)
            aside = path.with_name(f"{path.name}.set-aside-{now:{_STAMP}}")
            _exchange(path, copy.path, aside)
    except (OSError, sqlite3.Error) as error:
        raise StoreUnavailable(f"{path} stays as it is: {error}") from error
    return WentBack(copy, aside)


def _newest_before(path: Path, schema: int | None) -> DatabaseCopy:
    older = (copy for copy in copies_of(path) if schema is None or copy.schema < schema)
    found = next(older, None)
    if found is None:
        raise NotFound(
            f"{path.parent} has no copy of a database from before a migration; mem snapshots lists what a project "
            "can be restored from"
        )
    return found


def _check_whole(copy: DatabaseCopy) -> None:
    with closing(connect_read_only(copy.path)) as connection:
        told = [text for (text,) in connection.execute("PRAGMA quick_check(1)")]
        if told != ["ok"] or schema_version(connection) != copy.schema:
            raise DamagedDatabase(f"{copy.path} is damaged: {told[0]}; the database stays as it is")


def _exchange(path: Path, copy: Path, aside: Path) -> None:
    """Sets a database aside with its log, and puts a copy in its place, which stays where it is as well."""
    draft = path.with_name(f"{path.name}.back")
    copy_file(copy, draft)
    for file, name in ((log_of(path), log_of(aside)), (index_of(path), index_of(aside)), (path, aside)):
        if file.exists():
            file.rename(name)
    draft.replace(path)
    flush_folder(path.parent)


@contextmanager
def _held_alone(path: Path) -> Iterator[int | None]:
    """Keeps everybody else from a database, after moving its log into it; its schema, None: it cannot be read.

    Raises:
        Conflict: a process has it open.
    """
    if not path.exists():
        yield None
        return
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        yield _take(connection, path)


def _take(connection: sqlite3.Connection, path: Path) -> int | None:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchone()
    try:
        schema = schema_version(connection)
        connection.execute("PRAGMA journal_mode = MEMORY").fetchone()
    except sqlite3.DatabaseError as error:
        if primary_code(error) == sqlite3.SQLITE_BUSY:
            raise Conflict(
                f"{path} is open in another process; stop it (mem serve, mem mcp) first"
            ) from error
        if not is_damage(error):
            raise
        return None
    return schema
