"""Verification of the rows beside a project's records, against the digests that were written with them."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.project_rows import lenient_text, printable_id
from memory_layer.adapters.embedded.sqlite.record_rows import OUT_OF_RECALL_SQL
from memory_layer.adapters.embedded.sqlite.row_digests import DIGESTED_CELLS, as_bytes, cells_digest
from memory_layer.adapters.stored_form.stored_values import authors_flaw, tuning_flaw
from memory_layer.domain.integrity.verification import NO_MATCH, BrokenPart, Part, SideRecord
from memory_layer.domain.memory import Scope

Owner = str | int


@dataclass(frozen=True, slots=True)
class _Kind:
    """Kind of the rows of one table.

    Args:
        part: the name of a row in reports.
        id: the column that names it.
        of_memory: the column that names the memory which it belongs to.
        version: the column of its version.
        owners: SQL of the owners that rows may have.
    """

    table: str
    part: Part
    id: str
    of_memory: str | None = None
    version: str | None = None
    owners: str = "SELECT key FROM projects"


_TENANTS: Final = "SELECT tenant FROM projects"
_KINDS: Final = (
    _Kind("tombstones", "tombstone", "id", version="version"),
    _Kind("verdicts", "verdict", "id", of_memory="memory_id"),
    _Kind("sessions", "positions", "session_id"),
    _Kind("answers", "answer", "key", of_memory="memory_id"),
    _Kind("receipts", "receipt", "recall_id"),
    _Kind("runs", "run", "run_id"),
    _Kind("staged", "staged", "id"),
    _Kind("implicit_feedback", "feedback", "memory"),
    _Kind("entity_events", "event", "id", version="version"),
    _Kind("activity", "activity", "project_key"),
    _Kind("pairs", "pair", "id", version="version"),
    _Kind("erased_bodies", "body", "id"),
    _Kind("webhooks", "webhook", "id"),
    _Kind("operations", "operation", "id", owners=_TENANTS),
    _Kind("quotas", "quota", "key", owners=_TENANTS),
)
_OF_RECORDS: Final[Mapping[str, Part]] = {"accesses": "accesses", "mentions": "mentions"}
"""Tables with at most one row for each record, and the name of a row in reports."""

_OF_RECORD: Final = (
    "SELECT CAST(m.id AS BLOB), a.digest, {cells}"
    " FROM {table} a JOIN memories m ON m.key = a.memory_key WHERE m.project_key = ?"
)
_PROJECT: Final = (
    "SELECT p.digest, CAST(p.assembly AS BLOB), CAST(p.authors AS BLOB), p.position, max("
    "(SELECT coalesce(max(log_position), 0) FROM memories WHERE project_key = p.key),"
    " (SELECT coalesce(max(log_position), 0) FROM tombstones WHERE project_key = p.key))"
    " FROM projects p WHERE p.key = ?"
)
_UNTIED: Final = (
    f"SELECT CAST(id AS BLOB) FROM memories m WHERE project_key = ? AND NOT {OUT_OF_RECALL_SQL.format('m.')}"
    " AND NOT EXISTS (SELECT 1 FROM mentions t WHERE t.memory_key = m.key)"
)
"""Records without mentions that a graph would find: reconcile leaves the others alone until they are in recall."""
_COUNTED: Final = (
    "SELECT CAST(persona AS BLOB), CAST(status AS BLOB), records FROM record_counts WHERE project_key = ?"
)
_COUNTS: Final = (
    "SELECT CAST(ifnull(persona, '') AS BLOB), CAST(status AS BLOB), count(*)"
    " FROM memories WHERE project_key = ? GROUP BY 1, 2"
)
COUNTS_DIFFER: Final = "the numbers by which projects are listed are not those of its records"
MENTIONS_LOST: Final = "are lost: no graph finds it; the sweep reconcile makes them anew"
_ROWS_AT_A_TIME: Final = 500


def verify_side_rows(connection: sqlite3.Connection, scope: Scope, project_key: int) -> Iterator[SideRecord]:
    """Reports of the rows beside a project's records, as ports.maintenance.IntegrityStore.beside."""
    yield from _project(connection, scope, project_key)
    if not _are_counted(connection, project_key):
        yield SideRecord(BrokenPart(scope.project, None, "counts", COUNTS_DIFFER))
    for table, part in _OF_RECORDS.items():
        yield from _of_records(connection, project_key, table, part)
    for (id,) in _all(connection, _UNTIED, (project_key,)):
        yield SideRecord(BrokenPart(printable_id(id), None, "mentions", MENTIONS_LOST))
    for kind in _KINDS:
        owner: Owner = scope.tenant if kind.owners == _TENANTS else project_key
        try:
            yield from _rows(connection, kind, owner)
        except sqlite3.DatabaseError as error:
            yield SideRecord(
                BrokenPart("", None, "file", f"not all rows of {kind.table} can be read: {error}")
            )


def _project(connection: sqlite3.Connection, scope: Scope, project_key: int) -> Iterator[SideRecord]:
    """Reports of the project's row but for its names: `file_flaws` checks these, as no scope finds damaged ones."""
    for digest, assembly, authors, position, newest in connection.execute(
        _PROJECT, (project_key,)
    ).fetchall():
        if digest is None:
            yield SideRecord()
        for flaw in filter(None, (tuning_flaw(lenient_text(assembly)), authors_flaw(lenient_text(authors)))):
            yield SideRecord(BrokenPart(scope.project, None, "settings", flaw))
        if position != newest:
            flaw = f"its log stands at {position}, and the newest change in it at {newest}"
            yield SideRecord(BrokenPart(scope.project, None, "project", flaw))


def _are_counted(connection: sqlite3.Connection, project_key: int) -> bool:
    """Holds the counts that follow every change of a record against the records."""
    counted, counts = (connection.execute(sql, (project_key,)).fetchall() for sql in (_COUNTED, _COUNTS))
    return Counter(counted) == Counter(counts)


def _of_records(
    connection: sqlite3.Connection, project_key: int, table: str, part: Part
) -> Iterator[SideRecord]:
    sql = _OF_RECORD.format(cells=as_bytes(DIGESTED_CELLS[table]), table=table)
    for id, stored, *cells in _all(connection, sql, (project_key,)):
        if stored is None:
            yield SideRecord()
        elif stored != cells_digest(cells):
            yield SideRecord(BrokenPart(printable_id(id), None, part, NO_MATCH))


def _rows(connection: sqlite3.Connection, kind: _Kind, owner: Owner) -> Iterator[SideRecord]:
    """Reports of the rows of one table, with those of no owner that may have been this project's."""
    columns = DIGESTED_CELLS[kind.table]
    sql = (
        f"SELECT {columns[0]} = ?1, digest, {as_bytes(columns)} FROM {kind.table}"
        f" WHERE {columns[0]} = ?1 OR {columns[0]} NOT IN ({kind.owners})"
    )
    for is_ours, stored, *cells in _all(connection, sql, (owner,)):
        if is_ours and stored is None:
            yield SideRecord()
        elif is_ours and stored != cells_digest(cells):
            yield SideRecord(_broken(kind, cells, NO_MATCH))
        elif not is_ours and stored == cells_digest([owner, *cells[1:]]):
            yield SideRecord(
                _broken(kind, cells, f"does not say any more whose it is: {columns[0]} is damaged")
            )


def _all(connection: sqlite3.Connection, sql: str, parameters: Sequence[Any]) -> Iterator[Any]:
    cursor = connection.execute(sql, parameters)
    while rows := cursor.fetchmany(_ROWS_AT_A_TIME):
        yield from rows


def _broken(kind: _Kind, cells: Sequence[bytes | None], what: str) -> BrokenPart:
    values = dict(zip(DIGESTED_CELLS[kind.table], cells, strict=True))
    memory = (
        f"of memory {printable_id(values[kind.of_memory])}: "
        if kind.of_memory and values[kind.of_memory]
        else ""
    )
    version = int(values[kind.version] or 0) if kind.version else None
    return BrokenPart(printable_id(values[kind.id]), version, kind.part, f"{memory}{what}")
