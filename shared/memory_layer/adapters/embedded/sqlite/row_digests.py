"""Digests of the rows beside the records: each is taken of the row's cells, and written with them."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from memory_layer.adapters.stored_form.entity_event_fields import EVENTS
from memory_layer.adapters.stored_form.learning_fields import FEEDBACK, RUNS, STAGED
from memory_layer.adapters.stored_form.pair_fields import PAIRS
from memory_layer.domain.integrity.digests import row_digest

# fmt: off
DIGESTED_CELLS: Final[Mapping[str, tuple[str, ...]]] = {
    "projects": ("key", "tenant", "project"),
    "tombstones": ("project_key", "id", "version", "memory_key", "log_position"),
    "accesses": ("memory_key", "access_count", "last_accessed_at"),
    "mentions": ("memory_key", "said", "named"),
    "verdicts": (
        "project_key", "id", "memory_id", "result", "principal", "at", "session_id", "run_id", "recall_id", "note",
        "score_moved", "confidence_moved", "replaced_by", "speaker",
    ),
    "sessions": ("project_key", "session_id", "next_position"),
    "answers": ("project_key", "key", "fingerprint", "status", "body", "expires_at", "memory_id"),
    "receipts": ("project_key", "recall_id", "principal", "refs", "at", "run_id", "exploration", "signals", "asker"),
    "runs": ("project_key", *RUNS.fields),
    "staged": ("project_key", *STAGED.fields, "kept_until"),
    "implicit_feedback": ("project_key", *FEEDBACK.fields),
    "operations": (
        "tenant", "id", "principal", "kind", "status", "done", "total", "created_at", "result", "problem", "input",
    ),
    "quotas": ("tenant", "key", "uses"),
    "entity_events": ("project_key", *EVENTS.fields),
    "activity": ("project_key", "last_activity_at"),
    "pairs": ("project_key", *PAIRS.fields),
    "erased_bodies": ("project_key", "id", "erased_at"),
    "webhooks": ("project_key", "id", "state"),
}
# fmt: on
"""Cells that a row's digest is taken of, in this order; the row's owner comes first."""

SQL_FUNCTION: Final = "row_digest"


def add_digest_function(connection: sqlite3.Connection) -> None:
    """Adds `row_digest(…)`, of texts as blobs and of numbers, for statements that change cells in place."""
    connection.create_function(SQL_FUNCTION, -1, lambda *cells: cells_digest(cells), deterministic=True)


def cells_digest(cells: Sequence[Any]) -> bytes:
    """SHA-256 of a row's cells, in the order of DIGESTED_CELLS."""
    return bytes.fromhex(row_digest(cells))


def with_digest(cells: Sequence[Any]) -> tuple[Any, ...]:
    """The cells and their digest: parameters of a statement of `insertion`."""
    return (*cells, cells_digest(cells))


def insertion(table: str, verb: str = "INSERT") -> str:
    """SQL that inserts a row with its digest. Args: verb: e.g. INSERT OR REPLACE."""
    columns = DIGESTED_CELLS[table]
    return f"{verb} INTO {table} ({', '.join(columns)}, digest) VALUES ({'?, ' * len(columns)}?)"


def selection(table: str) -> str:
    """SQL, up to WHERE, of rows for `sound_cells`."""
    return f"SELECT digest, {', '.join(DIGESTED_CELLS[table])} FROM {table}"


class DamagedCells(ValueError):
    """Error of a row that does not match its digest; one of UNREADABLE, as a value that cannot be parsed is."""


def sound_cells(row: Sequence[Any]) -> Sequence[Any]:
    """Cells of a row that `selection` read, in the order of DIGESTED_CELLS.

    Raises:
        DamagedCells
    """
    digest, *cells = row
    if digest is not None and digest != cells_digest(cells):
        raise DamagedCells("it does not match its digest")
    return cells


def sound_rows(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Cells of the rows that match their digests; a verification names the others."""
    for row in rows:
        with suppress(DamagedCells):
            yield sound_cells(row)


def as_bytes(columns: Sequence[str]) -> str:
    """SQL of columns as blobs, for SELECT: SQLite's driver fails on a text that is no UTF-8."""
    return ", ".join(f"CAST({column} AS BLOB)" for column in columns)


def digest_sql(table: str, **changed: str) -> str:
    """SQL of the digest that a row has with some cells changed. Args: changed: SQL of the new cell, by column."""
    cells = [f"CAST({changed.get(column, column)} AS BLOB)" for column in DIGESTED_CELLS[table]]
    return f"{SQL_FUNCTION}({', '.join(cells)})"


def update_in_place(table: str, **changed: str) -> str:
    """SQL, up to WHERE, that updates cells and digest. A damaged row keeps its digest: a new one would vouch for it.

    Args:
        changed: as `digest_sql`.
    """
    assigned = ", ".join(f"{column} = {value}" for column, value in changed.items())
    is_sound = f"digest IS NULL OR digest = {digest_sql(table)}"
    return (
        f"UPDATE {table} SET {assigned},"
        f" digest = CASE WHEN {is_sound} THEN {digest_sql(table, **changed)} ELSE digest END"
    )
