"""Files of the embedded backend as an operator sees them: the disk, damaged logs, copies from before a migration."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from memory_layer.ports.process import StorageState
from memory_layer.settings import EmbeddedSettings

SMALLEST_BYTES: Final = 512
"""Bytes of the smallest page that SQLite has."""


def storage_state(settings: EmbeddedSettings, *, is_read_only: bool) -> StorageState:
    """State of the data folder's disk, as it is now."""
    return StorageState(
        free_bytes(settings.data_dir), settings.low_disk_bytes, is_read_only, tuple(lost_writes(settings))
    )


def free_bytes(folder: Path) -> int | None:
    """Free bytes on the disk of a folder; None: the disk does not say."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def lost_writes(settings: EmbeddedSettings) -> list[str]:
    """Sentences about the damaged logs that were put aside and are still there."""
    from memory_layer.adapters.embedded.sqlite.kept_logs import kept_logs, kept_sentence

    return [kept_sentence(kept) for kept in kept_logs(settings.database)]


def was_emptied(settings: EmbeddedSettings) -> bool:
    """True for a database that is cut to less than a page, though something was stored: SQLite takes it for new."""
    path = settings.database
    size = path.stat().st_size if path.is_file() else SMALLEST_BYTES
    return 0 < size < SMALLEST_BYTES or (size == 0 and any(settings.blobs.glob("*/*")))


def log_damage(settings: EmbeddedSettings) -> tuple[bool, str] | None:
    """Damage of the log that lies beside the database now: whether writes are lost for certain, and a sentence.

    Raises:
        OSError: the log cannot be read.
    """
    from memory_layer.adapters.embedded.sqlite.kept_logs import damage_sentence, log_report, newest_change

    report = log_report(settings.database)
    if not report.is_alarming:
        return None
    with closing(open_to_read(settings.database)) as connection:
        since = newest_change(connection)
    return report.verdict in ("damaged", "cut"), damage_sentence(settings.database, report, since)


def open_to_read(path: Path) -> sqlite3.Connection:
    """Opens a database file to read, and changes nothing in its folder. Raises: sqlite3.Error: it cannot be opened."""
    from memory_layer.adapters.embedded.sqlite.kept_logs import log_report
    from memory_layer.adapters.embedded.sqlite.reading_connection import connect_read_only

    try:
        is_cut = log_report(path).verdict == "cut"
    except OSError:  # the finding about the log tells it
        is_cut = False
    return connect_read_only(path, leaves_index=is_cut)


def is_writable(path: Path) -> bool:
    """Tells if this process may write a database, and the files that belong to it."""
    from memory_layer.adapters.embedded.sqlite.reading_connection import can_write

    return can_write(path)


def go_back(settings: EmbeddedSettings, now: datetime) -> dict[str, Any]:
    """Puts the copy from before the last migration in the place of the database, and tells both files.

    Raises:
        NotFound: there is no copy of an older schema.
        Conflict: a process has the database open.
        StoreUnavailable: the copy is damaged, or the folder cannot be written.
    """
    from memory_layer.adapters.embedded.sqlite.database_copies import go_back as exchange

    went = exchange(settings.database, now)
    return {"schema": went.copy.schema, "copy": str(went.copy.path), "set_aside": str(went.set_aside)}
