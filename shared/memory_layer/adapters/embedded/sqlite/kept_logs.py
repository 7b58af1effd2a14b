"""Damaged write-ahead logs, told and put aside: SQLite would drop the writes in them without a word."""

import logging
import os
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from memory_layer.adapters.embedded.sqlite.reading_connection import index_of, log_of
from memory_layer.adapters.embedded.sqlite.wal_frames import SOUND, LogReport, examine_log
from memory_layer.adapters.embedded.sqlite.wal_index import examine_against_index, held_here

_KEPT: Final = ".damaged-"
_SINCE = "SELECT max(changed_at) FROM versions"

_log = logging.getLogger(__name__)


def log_report(path: Path) -> LogReport:
    """Judges the log of a database. Raises: OSError: it cannot be read."""
    if not held_here[path.resolve()]:
        return examine_against_index(log_of(path), index_of(path))
    try:
        return examine_log(log_of(path))
    except FileNotFoundError:
        return SOUND


def keep_damaged_log(path: Path) -> LogReport:
    """Judges the log of a database that is about to be opened, and puts a damaged one aside under its own name.

    Raises:
        OSError: the log cannot be read, or not be kept.
    """
    report, log = log_report(path), log_of(path)
    kept = log.with_name(f"{log.name}{_KEPT}{report.identity}")
    if report.is_alarming and not kept.exists():
        if log.exists():
            copy_file(log, kept)
        else:
            kept.touch(0o600)
        _log.error("%s; as it was it is kept in %s", damage_sentence(path, report), kept.name)
    return report


def kept_logs(path: Path) -> list[Path]:
    """Damaged logs that were put aside and that nobody has removed yet."""
    return sorted(path.parent.glob(f"{log_of(path).name}{_KEPT}*"))


def damage_sentence(path: Path, report: LogReport, since: str | None = None) -> str:
    """Says what a damaged log holds that is not read. Args: since: time of the newest change that is read."""
    name = log_of(path).name
    if report.verdict == "doubtful":
        told = "does not check, and nobody may have been told that it was stored"
        return f"{name} is not whole: its last write{_size(report)} {told}"
    if report.verdict == "cut":
        missing = (
            f"{report.lost_frames:,} frames of acknowledged writes are missing ({report.lost_bytes:,} bytes)"
        )
        return f"{name} is shorter than it was: {missing}"
    after = f", of the time after {since}" if since else ""
    return (
        f"{name} is damaged: {report.lost_commits:,} writes that were acknowledged are not read any more"
        f"{_size(report)}{after}"
    )


def _size(report: LogReport) -> str:
    if not report.lost_frames:
        return ""
    return (
        f" ({report.lost_frames:,} frames behind {report.frames:,} good ones, "
        f"{report.lost_pages:,} pages, {report.lost_bytes:,} bytes)"
    )


def kept_sentence(kept: Path) -> str:
    """Says that writes were lost, and until when they had been made."""
    until = datetime.fromtimestamp(kept.stat().st_mtime, UTC)
    return (
        f"writes until {until:%Y-%m-%dT%H:%M:%SZ} were lost with a damaged log, which is kept in {kept.name}"
    )


def newest_change(connection: sqlite3.Connection) -> str | None:
    """Time of the newest change that can be read; None: there is none, or it cannot be read."""
    try:
        (newest,) = connection.execute(_SINCE).fetchone()
    except sqlite3.DatabaseError as error:
        _log.debug("the newest change cannot be read: %s", error)
        return None
    return None if newest is None else str(newest)


def copy_file(source: Path, target: Path) -> None:
    """Copies a file for its owner alone, with its time; it is there whole and on the disk, or not at all.

    Raises:
        OSError: the disk is full, or the folder cannot be written.
    """
    draft = target.with_name(f"{target.name}.part")
    try:
        with source.open("rb") as read, open(draft, "wb", opener=_for_the_owner_alone) as written:
            shutil.copyfileobj(read, written, 1 << 20)
            written.flush()
            os.fsync(written.fileno())
        shutil.copystat(source, draft)
        draft.chmod(0o600)
        draft.replace(target)
        flush_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)


def _for_the_owner_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def flush_folder(folder: Path) -> None:
    """Flushes a folder's list of names, so that a new name reaches the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
