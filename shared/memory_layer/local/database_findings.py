"""Findings about a database file, each with its remedy. The examination changes nothing."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from shlex import quote
from typing import Literal

from memory_layer.bootstrap.embedded import recovery_hints, unsound_records
from memory_layer.bootstrap.storage import log_damage, lost_writes, open_to_read, was_emptied
from memory_layer.domain.fields import instant
from memory_layer.ports.process import Embedder
from memory_layer.settings import EmbeddedSettings

Level = Literal["ok", "warning", "error"]

SQLITE_MAGIC = b"SQLite format 3\0"
CLOCK_TOLERANCE = timedelta(minutes=5)
PROBLEMS_SHOWN = 3

RESTORE = "stop what uses it, keep a copy of the folder, then restore the file from a backup"
SALVAGE = (
    RESTORE + "; without one, save what can be read: "
    "(sqlite3 {0} .dump | sed 's/^ROLLBACK;.*/COMMIT;/'; sqlite3 {0} "
    "\"SELECT 'PRAGMA user_version=' || user_version FROM pragma_user_version\") | sqlite3 {0}.salvaged; "
    "then put that file in its place, without the -wal and -shm files"
)
"""Remedy without a backup, which saves what can be read. Not .recover: that needs SQLITE_ENABLE_DBPAGE_VTAB, without
which Debian builds its sqlite3."""
KEEP_LOG = "the next start keeps a copy of the log beside it"
HEAL = "heal what has a sound copy: mem sweep verify; see what is left: mem verify; bring that back: mem restore latest"
UPDATE = "update memory-layer, or choose another folder with --data"


@dataclass(frozen=True, slots=True)
class DatabaseFinding:
    """One examined thing: its state, and the remedy."""

    level: Level
    what: str
    what_to_do: str | None = None


@dataclass(frozen=True, slots=True)
class ExpectedDatabase:
    """Schema and model that this program would give a folder of its own making."""

    schema: int
    tables: frozenset[str]
    embedder: Embedder


def log_findings(settings: EmbeddedSettings) -> Iterator[DatabaseFinding]:
    """Findings about writes that a damaged log lost, or loses at the next start."""
    damage = log_damage(settings) if settings.database.exists() else None
    if damage is not None:
        is_lost, what = damage
        yield DatabaseFinding("error" if is_lost else "warning", what, _way_back(settings, KEEP_LOG))
    for what in lost_writes(settings):
        yield DatabaseFinding("warning", what, _way_back(settings, "then delete that file"))


def _way_back(settings: EmbeddedSettings, also: str) -> str:
    return "; ".join([*recovery_hints(settings), "write again what is missing", also])


def database_findings(
    settings: EmbeddedSettings, expected: ExpectedDatabase, now: datetime
) -> Iterator[DatabaseFinding]:
    path = settings.database
    if not path.exists():
        yield from _no_database(path)
    elif was_emptied(settings):
        yield DatabaseFinding("error", f"{path} is empty, though something was stored", _from_copies(path))
    elif path.stat().st_size == 0:
        yield DatabaseFinding(
            "warning", f"{path} is empty", "nothing, if it is new; else restore it from a backup"
        )
    elif not _begins_like_sqlite(path):
        yield DatabaseFinding("error", f"{path} is no SQLite database", RESTORE)
    else:
        try:
            with closing(open_to_read(path)) as connection:
                yield from _open_file_findings(connection, path, expected, now)
        except sqlite3.OperationalError as error:
            yield DatabaseFinding(
                "error", f"{path} cannot be opened: {error}", "check its owner and who else uses it"
            )
        except (sqlite3.DatabaseError, ValueError) as error:  # a cell may be no text or no time any more
            yield DatabaseFinding("error", f"{path} is damaged: {error}", _salvage(path))


def _no_database(path: Path) -> Iterator[DatabaseFinding]:
    wal = _wal(path)
    if wal.exists() and wal.stat().st_size:
        yield DatabaseFinding(
            "error",
            f"{path} is gone, but {wal.name} with its newest writes is there",
            f"put {path.name} back beside it before the next start, which would discard them",
        )
    else:
        yield DatabaseFinding("ok", "no memories yet: there is no database")


def _begins_like_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def schema_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def tables_of(connection: sqlite3.Connection) -> frozenset[str]:
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    return frozenset(name for (name,) in connection.execute(sql))


def _open_file_findings(
    connection: sqlite3.Connection, path: Path, expected: ExpectedDatabase, now: datetime
) -> Iterator[DatabaseFinding]:
    """Findings about an open file; its contents are left alone if it is damaged or of another schema."""
    whole = _integrity(connection, path)
    yield whole
    schema = _schema_finding(schema_of(connection), tables_of(connection), expected, path)
    yield schema
    if "error" in (whole.level, schema.level) or schema_of(connection) < expected.schema:
        return
    yield _references(connection)
    yield _seals(connection)
    yield _hashes(connection)
    yield _coverage(connection, expected.embedder.model)
    yield _clock(connection, now)


def _integrity(connection: sqlite3.Connection, path: Path) -> DatabaseFinding:
    problems = [text for (text,) in connection.execute(f"PRAGMA integrity_check({PROBLEMS_SHOWN})")]
    if problems == ["ok"]:
        return DatabaseFinding("ok", f"database {path}, {_size(connection)}, is whole")
    return DatabaseFinding("error", f"{path} is damaged: {'; '.join(problems)}", _salvage(path))


def _size(connection: sqlite3.Connection) -> str:
    """Size with the records in its log, which are not in the file yet."""
    pages, page_bytes = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    size = pages * page_bytes
    return f"{size / 1e3:.0f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"


def _from_copies(path: Path) -> str:
    """Remedy for a file of which nothing can be read."""
    return "; or ".join([*recovery_hints(EmbeddedSettings(path.parent, path.parent)), RESTORE])


def _salvage(path: Path) -> str:
    """Remedy from a snapshot of ours, if there is one, else from somebody's backup, else from what can be read."""
    ways = recovery_hints(EmbeddedSettings(path.parent, path.parent))
    return "; or ".join([*ways, SALVAGE.format(quote(str(path)))])


def _schema_finding(
    found: int, tables: frozenset[str], expected: ExpectedDatabase, path: Path
) -> DatabaseFinding:
    if found > expected.schema:
        return DatabaseFinding(
            "error", f"schema {found} is newer than this program's ({expected.schema})", UPDATE
        )
    if found < expected.schema and tables and not tables & expected.tables:
        return DatabaseFinding(
            "error", f"{path} belongs to another program", "choose another folder with --data"
        )
    if found < expected.schema:
        return DatabaseFinding(
            "ok", f"schema {found} is older: the next start migrates it to {expected.schema}"
        )
    missing = sorted(expected.tables - tables)
    if missing:
        return DatabaseFinding("error", f"tables are missing: {', '.join(missing)}", RESTORE)
    return DatabaseFinding("ok", f"schema {found}")


def _references(connection: sqlite3.Connection) -> DatabaseFinding:
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        tables = ", ".join(sorted({row[0] for row in broken}))
        return DatabaseFinding("error", f"{len(broken):,} rows of {tables} refer to nothing", RESTORE)
    return DatabaseFinding("ok", "every reference leads somewhere")


def _seals(connection: sqlite3.Connection) -> DatabaseFinding:
    """Holds each row against its seal, as every read does: a changed bit of any field shows."""
    changed = unsound_records(connection)
    if not changed:
        return DatabaseFinding("ok", "every record is as it was written")
    named = ", ".join(changed[:PROBLEMS_SHOWN])
    more = f" and {len(changed) - PROBLEMS_SHOWN} more" if len(changed) > PROBLEMS_SHOWN else ""
    return DatabaseFinding("error", f"not as they were written: {named}{more}", HEAL)


def _hashes(connection: sqlite3.Connection) -> DatabaseFinding:
    """Checks the content's hash of each row that is older than seals.

    A row whose words lie in a blob has the beginning alone.
    """
    sql = "SELECT id, CAST(content AS BLOB), content_hash FROM memories WHERE body_bytes IS NULL AND seal IS NULL"
    rows = connection.execute(sql)
    changed = [id for id, content, expected in rows if hashlib.sha256(content).hexdigest() != expected]
    if not changed:
        return DatabaseFinding("ok", f"every content has its hash{_blob_note(connection)}")
    named = ", ".join(changed[:PROBLEMS_SHOWN])
    more = f" and {len(changed) - PROBLEMS_SHOWN} more" if len(changed) > PROBLEMS_SHOWN else ""
    return DatabaseFinding("error", f"content and hash disagree: {named}{more}", RESTORE)


def _blob_note(connection: sqlite3.Connection) -> str:
    (count,) = connection.execute("SELECT count(*) FROM memories WHERE body_bytes IS NOT NULL").fetchone()
    return f"; {count:,} have their words in blobs, which mem verify reads" if count else ""


def _coverage(connection: sqlite3.Connection, model: str) -> DatabaseFinding:
    sql = (
        "SELECT count(*), count(*) FILTER (WHERE embedding_model IS NULL),"
        " count(*) FILTER (WHERE embedding_model <> ?) FROM memories"
    )
    total, without, foreign = connection.execute(sql, (model,)).fetchone()
    if without or foreign:
        what = f"of {total:,} memories {without:,} have no vector and {foreign:,} one of another model"
        return DatabaseFinding(
            "warning",
            what,
            "they are found by their words, and are embedded in the background; at once: mem sweep backfill",
        )
    return DatabaseFinding(
        "ok", f"{total:,} memories, all with vectors of {model}" if total else "no memories yet"
    )


def _clock(connection: sqlite3.Connection, now: datetime) -> DatabaseFinding:
    (newest,) = connection.execute("SELECT max(changed_at) FROM versions").fetchone()
    if newest is not None and instant(newest) > now + CLOCK_TOLERANCE:
        what = f"the newest change is dated {newest}, but it is {now:%Y-%m-%d %H:%M} UTC"
        return DatabaseFinding("warning", what, "set the clock of this machine, or of the one that wrote it")
    return DatabaseFinding("ok", "the clock is not behind the data")
