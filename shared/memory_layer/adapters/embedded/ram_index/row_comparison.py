"""Comparison of a project in RAM with its rows: by a count and a sum, and only where these differ row by row."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.sqlite.record_rows import OUT_OF_RECALL_SQL
from memory_layer.domain.integrity.index_comparison import ReconcileReport
from memory_layer.domain.memory import Tier

Keys = NDArray[np.int64]

LOST_ROWS_MAX: Final = 1_000

_KEY_FACTOR, _POSITION_FACTOR, _MODULUS = 1_000_003, 7_919, 2_147_483_647
"""Primes: keys and positions up to 2^42 do not overflow, and an exchange of two positions shows."""

_FOUND: Final = (
    f"memories INDEXED BY memories_by_log WHERE project_key = ? AND NOT {OUT_OF_RECALL_SQL.format('')}"
)
"""Rows that the RAM has to have, asked of one index alone."""

_DIGEST: Final = (
    f"SELECT count(*), coalesce(sum((key * {_KEY_FACTOR} + log_position * {_POSITION_FACTOR}) % {_MODULUS}), 0)"
    f" FROM {_FOUND}"
)
_ENTRIES: Final = (
    f"SELECT count(*), sum((key * {_KEY_FACTOR} + log_position * {_POSITION_FACTOR}"
    f" + instr('{' '.join(get_args(Tier))}', tier)) % {_MODULUS}) FROM memories INDEXED BY {{}} WHERE project_key = ?1"
)
_LOG_DIFFERS: Final = (
    f"{_ENTRIES.format('memories_by_log')} EXCEPT {_ENTRIES.format('sqlite_autoindex_memories_1')}"
)
"""Finds a row if the index by the log has not what the rows have, to which the index by ids leads."""
_ROWS: Final = f"SELECT key, log_position FROM {_FOUND}"
_ERASED: Final = "SELECT memory_key FROM tombstones WHERE project_key = ?"
_LOST: Final = (
    "SELECT m.id, m.log_position FROM memories m INDEXED BY memories_by_log"
    " WHERE m.project_key = ? AND m.log_position > ? AND (NOT EXISTS"
    " (SELECT 1 FROM search_rows s INDEXED BY search_rows_by_key WHERE s.memory_key = m.key)"
    f" OR (NOT {OUT_OF_RECALL_SQL.format('m.')} AND NOT EXISTS (SELECT 1 FROM mentions t WHERE t.memory_key = m.key)))"
    " ORDER BY m.log_position LIMIT ?"
)


def log_fits_rows(connection: sqlite3.Connection, project_key: int) -> bool:
    """False if the index by the log leads past a record of the project, or to a place where it does not stand."""
    return connection.execute(_LOG_DIFFERS, (project_key,)).fetchone() is None


class LostSearchRows(NamedTuple):
    """Page of records without a search row, or without their ties.

    Args:
        next_position: position of the log after which there may be more; None: there are no more.
    """

    ids: tuple[str, ...]
    next_position: int | None


def lost_search_rows(connection: sqlite3.Connection, project_key: int, after: int) -> LostSearchRows:
    """First lost search rows after a position of the project's log."""
    rows = connection.execute(_LOST, (project_key, after, LOST_ROWS_MAX)).fetchall()
    next_position = rows[-1][1] if len(rows) == LOST_ROWS_MAX else None
    return LostSearchRows(tuple(id for id, _ in rows), next_position)


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Transaction in which all reads see one moment."""
    connection.execute("BEGIN")
    try:
        yield connection
    finally:
        connection.execute("COMMIT")


def compare_with_rows(
    connection: sqlite3.Connection, project_key: int, keys: Keys, positions: Keys
) -> ReconcileReport:
    """Compares the records in RAM with the rows.

    Args:
        keys, positions: of every record in RAM, from `ProjectIndex.standings`.
    """
    count, total = connection.execute(_DIGEST, (project_key,)).fetchone()
    if (count, total) == (len(keys), _sum(keys, positions)):
        return ReconcileReport(looked_at=count)
    stored = _columns(connection, _ROWS, project_key, 2)
    _, in_ram, in_rows = np.intersect1d(keys, stored[0], return_indices=True)
    extra = np.setdiff1d(keys, stored[0])
    erased = np.isin(extra, _columns(connection, _ERASED, project_key, 1)[0])
    return ReconcileReport(
        looked_at=count,
        missing=count - len(in_rows),
        stale=int(np.count_nonzero(positions[in_ram] != stored[1][in_rows])),
        orphan=int(np.count_nonzero(~erased)),
        resurrected=int(np.count_nonzero(erased)),
    )


def _sum(keys: Keys, positions: Keys) -> int:
    return int(((keys * _KEY_FACTOR + positions * _POSITION_FACTOR) % _MODULUS).sum())


def _columns(connection: sqlite3.Connection, sql: str, project_key: int, count: int) -> NDArray[Any]:
    """Columns of integers of a project; shape (count, rows)."""
    rows = connection.execute(sql, (project_key,)).fetchall()
    return np.array(rows, np.int64).reshape(-1, count).T
