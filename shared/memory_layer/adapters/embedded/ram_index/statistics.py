"""Statistics of a project in SQLite: counts of all projects from rows that writes keep, of one from its columns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from memory_layer.adapters.embedded.ram_index.listed_columns import ListedColumns
from memory_layer.adapters.embedded.sqlite.record_rows import READ_CHUNK, placeholders
from memory_layer.adapters.project_index import column_statistics
from memory_layer.domain.access import Viewer
from memory_layer.ports.index import ProjectCount, ProjectStats


def project_stats(
    columns: ListedColumns, connection: sqlite3.Connection, viewer: Viewer, now: datetime
) -> ProjectStats:
    """Statistics of the records that a viewer sees.

    Source: SPEC 8.9; Outcome-Ranked Engine, outcome bands.
    """
    return column_statistics.project_stats(columns, lambda keys: _ids(connection, keys), viewer, now)


_PROJECTS: Final = (
    "SELECT p.project, sum(c.records), sum(iif(c.status = 'active', c.records, 0)) FROM projects p"
    " JOIN record_counts c ON c.project_key = p.key WHERE p.tenant = ? AND p.project > ?{seen}"
    " GROUP BY p.project ORDER BY p.project LIMIT ?"
)


def project_counts(
    connection: sqlite3.Connection, tenant: str, viewer: Viewer, after: str, limit: int
) -> list[ProjectCount]:
    """Projects of which a viewer sees a record, by name, from counts that every write keeps."""
    personas = () if viewer.sees_all_personas else ("", *sorted(viewer.personas))
    seen = f" AND c.persona IN ({placeholders(personas)})" if personas else ""
    found = connection.execute(_PROJECTS.format(seen=seen), (tenant, after, *personas, limit))
    return [ProjectCount(*row) for row in found]


def _ids(connection: sqlite3.Connection, keys: Sequence[int]) -> Iterator[tuple[int, str]]:
    for start in range(0, len(keys), READ_CHUNK):
        chunk = keys[start : start + READ_CHUNK]
        sql = f"SELECT key, id FROM memories WHERE key IN ({placeholders(chunk)})"
        yield from connection.execute(sql, chunk)
