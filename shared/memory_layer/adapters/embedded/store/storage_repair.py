"""Repair of what the database file keeps beside its rows and takes from them: indexes, counts, the counter of keys."""

import logging
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from memory_layer.adapters.embedded.sqlite import record_rows
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.store.file_verification import MESSAGES_MAX, numbering
from memory_layer.adapters.embedded.store.record_repair import RecordRepair
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable

_INDEXES: Final = (
    "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' AND rootpage > 0 ORDER BY name"
)
_NAMED: Final = re.compile(r"\bindex (\w+)")
_RECORDS: Final = "memories"
_ROWS: Final = (
    f"SELECT key, project_key, seal, {', '.join(record_rows.SEALED_COLUMNS)} FROM memories NOT INDEXED"
)
_KEYS: Final = "SELECT key, project_key FROM memories NOT INDEXED"
_COUNTED: Final = (
    "SELECT project_key, ifnull(persona, ''), status, count(*) FROM memories NOT INDEXED GROUP BY 1, 2, 3"
)

_log = logging.getLogger(__name__)


class StorageRepair:
    """Writer of what follows from the rows. Args: repair: heals records first, for which an index may be a proof."""

    def __init__(self, database: Database, repair: RecordRepair) -> None:
        self._database = database
        self._repair = repair

    def mend(self) -> list[str]:
        """Builds anew what does not fit the rows any more. Where all fits, the file is read through once, and no more.

        Returns:
            Names of the indexes, and of what else was damaged and is sound now.
        """
        try:
            broken = self._broken_indexes()
            with self._database.reading() as connection:
                is_counted, is_numbered = _is_counted(connection), _is_numbered(connection)
            if not broken and is_counted and is_numbered:
                return []
            are_sound = self._records_are_sound()
        except sqlite3.DatabaseError as error:
            _log.warning("the file cannot be read through, and its indexes stay as they are: %s", error)
            return []
        wanted = [name for name, table in broken if are_sound or table != _RECORDS]
        mended = [name for name in wanted if self._is_done(name, _reindexing(name))]
        if are_sound and not is_counted and self._is_done("counts of records", _count_anew):
            mended.append("counts of records")
        if not is_numbered and self._is_done("counter of keys", _number_anew):
            mended.append("counter of keys")
        return mended

    def _records_are_sound(self) -> bool:
        """Heals records; False: some stay damaged, and an index may have the one sound copy of their cells."""
        with self._database.reading() as connection:
            unsound = list(_unsound(connection))
        left = [one for one in unsound if not self._is_healed(*one)]
        return not left

    def _is_healed(self, memory_key: int, project_key: int) -> bool:
        sql = "SELECT tenant, project FROM projects WHERE key = ?"
        row = self._database.reader().execute(sql, (project_key,)).fetchone()
        return row is not None and self._repair.heal(Scope(*row), memory_key)

    def _broken_indexes(self) -> list[tuple[str, str]]:
        """Indexes with their tables that SQLite names; all of them if it names a page alone."""
        with self._database.reading() as connection:
            messages = [text for (text,) in connection.execute(f"PRAGMA integrity_check({MESSAGES_MAX})")]
            indexes = connection.execute(_INDEXES).fetchall()
        if messages == ["ok"]:
            return []
        named = [set(_NAMED.findall(message)) for message in messages]
        known = set().union(*named)
        return indexes if not all(named) else [index for index in indexes if index[0] in known]

    def _is_done(self, name: str, work: Callable[[sqlite3.Connection], bool]) -> bool:
        """Does a piece of work in a transaction of its own; False: there was nothing to do, or it cannot be done."""
        try:
            with self._database.writing() as connection:
                is_done = work(connection)
        except StoreUnavailable as error:
            _log.error("%s cannot be built anew: %s", name, error.detail)
            return False
        if is_done:
            _log.warning("built anew from the rows: %s", name)
        return is_done


def _unsound(connection: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Keys of records that do not hold their seals, with those of their projects."""
    try:
        yield from (
            (key, project_key)
            for key, project_key, seal, *cells in connection.execute(_ROWS)
            if seal is not None and seal != record_rows.seal_of(tuple(cells))
        )
    except sqlite3.DatabaseError:  # a text that is none: then row by row
        one = f"{_ROWS} WHERE key = ?"
        for key, project_key in connection.execute(_KEYS).fetchall():
            if not _is_readable_and_sound(connection, one, key):
                yield key, project_key


def _is_readable_and_sound(connection: sqlite3.Connection, sql: str, key: int) -> bool:
    try:
        _, _, seal, *cells = connection.execute(sql, (key,)).fetchone()
    except sqlite3.DatabaseError:
        return False
    return seal is None or seal == record_rows.seal_of(tuple(cells))


def _reindexing(name: str) -> Callable[[sqlite3.Connection], bool]:
    def reindex(connection: sqlite3.Connection) -> bool:
        connection.execute(f'REINDEX "{name}"')
        return True

    return reindex


def _is_counted(connection: sqlite3.Connection) -> bool:
    counted = connection.execute(_COUNTED).fetchall()
    return Counter(counted) == Counter(connection.execute("SELECT * FROM record_counts"))


def _count_anew(connection: sqlite3.Connection) -> bool:
    if _is_counted(connection):
        return False
    counted = connection.execute(_COUNTED).fetchall()
    connection.execute("DELETE FROM record_counts")
    connection.executemany("INSERT INTO record_counts VALUES (?, ?, ?, ?)", counted)
    return True


def _is_numbered(connection: sqlite3.Connection) -> bool:
    counted, newest = numbering(connection)
    return counted == newest or newest == 0


def _number_anew(connection: sqlite3.Connection) -> bool:
    """Puts the counter of keys where the newest record is, or its tombstone: a key is never used twice."""
    if _is_numbered(connection):
        return False
    _, newest = numbering(connection)
    connection.execute("DELETE FROM sqlite_sequence")  # no other table counts its keys
    connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', ?)", (newest,))
    return True
