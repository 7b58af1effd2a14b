"""Repair of projects' rows at a start: by a damaged name or index none of a project's records would be found.

Nobody would be told: a project without a row is one that nobody has written to.
"""

import logging
import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.row_digests import DIGESTED_CELLS, as_bytes, cells_digest
from memory_layer.adapters.embedded.sqlite.version_packing import record_sql
from memory_layer.adapters.embedded.store.file_verification import names_in
from memory_layer.errors import StoreUnavailable

_ROWS: Final = f"SELECT digest, {as_bytes(DIGESTED_CELLS['projects'])} FROM projects NOT INDEXED"
_LISTED: Final = (
    "SELECT CAST(key AS BLOB), CAST(tenant AS BLOB), CAST(project AS BLOB)"
    " FROM projects INDEXED BY sqlite_autoindex_projects_1 ORDER BY tenant, project"
)
_KEYS: Final = "SELECT DISTINCT project_key FROM versions WHERE project_key NOT IN (SELECT key FROM projects)"
_RECORDS: Final = f"SELECT CAST({record_sql()} AS BLOB) FROM versions WHERE project_key = ? LIMIT ?"
_RECORDS_ASKED: Final = 20
_NAME: Final = (
    "UPDATE projects SET key = ?, tenant = CAST(? AS TEXT), project = CAST(? AS TEXT), digest = ?"
    " WHERE key = ?"
)

_log = logging.getLogger(__name__)


def mend_projects(database: Database) -> None:
    """Gives damaged rows of projects their names back, and builds their index anew.

    A name comes from the project's records, which carry it, or it is what the row's digest is of: else the row stays
    as it is, and verifications name it.
    """
    try:
        damaged, is_listed = _flaws(database.reader())
        if (damaged or not is_listed) and not database.is_read_only:
            _mend(database, damaged)
    except (sqlite3.DatabaseError, StoreUnavailable) as error:
        _log.error("the rows of projects cannot be read, or not be mended: %s", error)


def _flaws(reader: sqlite3.Connection) -> tuple[list[Sequence[Any]], bool]:
    """Rows that do not match their digests, and whether the index has what the rows have."""
    rows = reader.execute(_ROWS).fetchall()
    listed = reader.execute(_LISTED).fetchall()
    damaged = [row for row in rows if row[0] is not None and row[0] != cells_digest(row[1:])]
    return damaged, sorted(listed) == sorted(row[1:] for row in rows)


def _mend(database: Database, damaged: Sequence[Sequence[Any]]) -> None:
    with database.writing() as connection:
        connection.execute("REINDEX projects")
        for digest, key, *_ in damaged:
            found = _as_written(connection, digest, int(key))
            if found is not None:
                number, tenant, project = found
                sealed = cells_digest((number, tenant, project))
                connection.execute(_NAME, (number, tenant, project, sealed, int(key)))
                _log.warning("healed: project %s is found by its name again", project.decode())


def _as_written(connection: sqlite3.Connection, digest: bytes, key: int) -> tuple[int, bytes, bytes] | None:
    """Key and names of a row, as its digest proves them, or as all records that are asked agree on."""
    keys = [key, *(other for (other,) in connection.execute(_KEYS).fetchall())]
    for number in keys:
        records = connection.execute(_RECORDS, (number, _RECORDS_ASKED)).fetchall()
        names = {known for (record,) in records if (known := names_in(record)) is not None}
        for tenant, project in names:
            is_proven = digest == cells_digest((number, tenant, project))
            if is_proven or (number == key and len(names) == 1):
                return number, tenant, project
    return None
