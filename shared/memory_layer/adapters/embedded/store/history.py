"""Versions and verdicts of records, in their tables."""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys
from memory_layer.adapters.embedded.sqlite.record_rows import chunks
from memory_layer.adapters.embedded.sqlite.row_digests import DamagedCells, selection, sound_cells
from memory_layer.adapters.embedded.sqlite.version_packing import packed_record, record_sql
from memory_layer.adapters.embedded.store.change_cells import ChangeCells
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.stored_values import parse_stored
from memory_layer.domain.fields import canonical_json, instant, memory_from_json, memory_to_json, rfc3339
from memory_layer.domain.integrity.digests import version_digest
from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.domain.memory import Memory, Scope, Status
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.commit import Change, Verdict
from memory_layer.ports.process import Turns
from memory_layer.ports.records import RecordVersion

_OF_MEMORY: Final = f"{selection('verdicts')} WHERE project_key = ? AND memory_id = ?"
_EVERY: Final = f"{_OF_MEMORY} ORDER BY at, id"
_STANDING: Final = f"{_OF_MEMORY} AND replaced_by IS NULL ORDER BY at, id"


def _verdict(row: Sequence[Any]) -> Verdict:
    _, id, memory_id, result, principal, at, session_id, run_id, recall_id, note, *moved = sound_cells(row)
    score, confidence, replaced_by, speaker = moved
    return Verdict(
        id=id,
        memory_id=memory_id,
        result=result,
        principal=principal,
        at=instant(at),
        session_id=session_id,
        run_id=run_id,
        recall_id=recall_id,
        note=note,
        score_moved=score / 1000,
        confidence_moved=confidence / 1000,
        replaced_by=replaced_by,
        speaker=speaker,
    )


VERSION_COLUMNS = (
    *("id", "version", "before_version", "log_position"),
    *("verb", "changed_by", "changed_at", "reason", "record"),
)
"""Columns that a version's digest is taken of, in this order; the record as a text."""

_ID, _NUMBER, _BEFORE = (1 + VERSION_COLUMNS.index(name) for name in ("id", "version", "before_version"))
_NEWEST: Final = "SELECT version FROM memories WHERE project_key = ? AND id = ?"

_CELLS_OF_V = (*(f"v.{name}" for name in VERSION_COLUMNS[:-1]), record_sql("v."))
_COLUMNS = f"v.digest, {', '.join(_CELLS_OF_V)}"
_OF_RECORD = (  # by row: cells are then read from the row itself, and not from the index that led to it
    f"SELECT {_COLUMNS} FROM versions v"
    " WHERE v.rowid IN (SELECT rowid FROM versions WHERE project_key = ? AND id = ?) ORDER BY v.version"
)
_OF_WANTED = f"SELECT {_COLUMNS} FROM json_each(?2) w JOIN versions v ON v.rowid = "
_FIRST = (
    f"{_OF_WANTED}(SELECT o.rowid FROM versions o WHERE o.project_key = ?1 AND o.id = w.value"
    " ORDER BY o.version LIMIT 1)"
)
_AS_OF = (
    f"{_OF_WANTED}(SELECT o.rowid FROM versions o WHERE o.project_key = ?1 AND o.id = w.value"
    " AND o.changed_at <= ?3 ORDER BY o.version DESC LIMIT 1)"
)
_SINCE = (
    f"{_OF_WANTED}(SELECT o.rowid FROM versions o WHERE o.project_key = ?1 AND o.id = w.value"
    " AND o.version > coalesce((SELECT e.version FROM versions e WHERE e.project_key = ?1 AND e.id = w.value"
    f" AND json_extract({record_sql('e.')}, '$.status') <> ?3 ORDER BY e.version DESC LIMIT 1), 0)"
    " ORDER BY o.version LIMIT 1)"
)
"""Each subquery goes along the primary key and stops at the first row that fits."""


class StoredVersions:
    """Versions of records as their rows have them, stubs without their bodies.

    Args:
        turns: left while the indexes of versions are built anew.
    """

    def __init__(self, database: Database, keys: ProjectKeys, turns: Turns) -> None:
        self._database = database
        self._keys = keys
        self._turns = turns

    def all(self, scope: Scope, id: str) -> list[RecordVersion]:
        """Every version, oldest first.

        Raises:
            StoreUnavailable: one is damaged, or is not found any more.
        """
        found = self._whole(scope, id)
        if found is None:
            self._reindex()
            found = self._whole(scope, id)
        if found is None:
            raise StoreUnavailable(
                f"the history of {id} is damaged: versions are missing in it; see what else is: "
                f"mem verify -p {scope.project}"
            )
        return found

    def _whole(self, scope: Scope, id: str) -> list[RecordVersion] | None:
        """Every version; None: some are missing, as each names the one that it was made of, or others' are found."""
        key = self._keys.of(scope)
        with self._database.reading() as connection:
            rows = connection.execute(_OF_RECORD, (key, id)).fetchall()
            newest = connection.execute(_NEWEST, (key, id)).fetchone()
        if any(row[_ID] != id for row in rows):
            return None
        found = [_version(row) for row in rows]
        numbers = [0, *(row[_NUMBER] for row in rows)]
        is_chain = all(row[_BEFORE] in (None, before) for row, before in zip(rows, numbers, strict=False))
        return found if is_chain and (newest is None or newest[0] == numbers[-1]) else None

    def _reindex(self) -> None:
        """Builds the indexes of versions anew: a damaged one leads to some of them alone."""
        with self._turns.left(), self._database.writing() as connection:
            connection.execute("REINDEX versions")

    def sound(self, scope: Scope, id: str) -> list[RecordVersion]:
        """Sound versions, for bodies that are lost."""
        return list(_sound_versions(self._rows(scope, id)))

    def _rows(self, scope: Scope, id: str) -> list[Sequence[Any]]:
        return self._database.reader().execute(_OF_RECORD, (self._keys.of(scope), id)).fetchall()

    def asked(self, sql: str, scope: Scope, ids: Collection[str], *asked: str) -> Iterable[RecordVersion]:
        """Sound ones of the versions that a statement finds, one of each id."""
        wanted, key = list(dict.fromkeys(ids)), self._keys.of(scope)
        for chunk in chunks(wanted):
            rows = self._database.reader().execute(sql, (key, json.dumps(chunk), *asked)).fetchall()
            yield from _sound_versions(rows)


class HistoryRows:
    """Earlier versions and verdicts of all projects: the port ports.records.HistoryStore."""

    def __init__(
        self, database: Database, keys: ProjectKeys, versions: StoredVersions, bodies: Bodies
    ) -> None:
        self._database = database
        self._keys = keys
        self._stored = versions
        self._bodies = bodies

    def of(self, scope: Scope, id: str) -> list[RecordVersion]:
        return self._bodies.whole_history(self._stored.all(scope, id))

    def of_each(self, scope: Scope, ids: Collection[str]) -> dict[str, list[RecordVersion]]:
        found = {id: self.of(scope, id) for id in dict.fromkeys(ids)}
        return {id: versions for id, versions in found.items() if versions}

    def writers(self, scope: Scope, ids: Collection[str]) -> dict[str, str]:
        return {version.memory.id: version.by for version in self._stored.asked(_FIRST, scope, ids)}

    def at(self, scope: Scope, ids: Collection[str], moment: datetime) -> dict[str, Memory]:
        found = self._versions(_AS_OF, scope, ids, rfc3339(moment))
        return {id: version.memory for id, version in found.items()}

    def in_status_since(self, scope: Scope, ids: Collection[str], status: Status) -> dict[str, RecordVersion]:
        return self._versions(_SINCE, scope, ids, status)

    def _versions(self, sql: str, scope: Scope, ids: Collection[str], asked: str) -> dict[str, RecordVersion]:
        found = {version.memory.id: version for version in self._stored.asked(sql, scope, ids, asked)}
        return self._bodies.whole_versions(found)

    def verdicts(self, scope: Scope, memory_id: str, *, in_force: bool = True) -> list[Verdict]:
        asked, key = _STANDING if in_force else _EVERY, self._keys.of(scope)
        rows = self._database.reader().execute(asked, (key, memory_id)).fetchall()
        return [parse_stored(_verdict, row, f"a verdict on {memory_id}") for row in rows]

    def verdicts_of_each(self, scope: Scope, ids: Collection[str]) -> dict[str, list[Verdict]]:
        return {id: self.verdicts(scope, id, in_force=False) for id in ids}


def _version(row: Sequence[Any]) -> RecordVersion:
    """Version in a row. Raises: StoreUnavailable: it is damaged."""
    return parse_stored(_version_in, row, f"version {row[2]} of {row[1]}")


def _sound_versions(rows: Iterable[Sequence[Any]]) -> Iterator[RecordVersion]:
    """Versions of the rows that match their digests; a verification names the others."""
    for row in rows:
        with suppress(*UNREADABLE):
            yield _version_in(row)


def _version_in(row: Sequence[Any]) -> RecordVersion:
    digest, *values = row
    if digest is not None and digest != version_row_digest(values):
        raise DamagedCells("it does not match its digest")
    *_, verb, by, at, reason, record = values
    return RecordVersion(memory_from_json(json.loads(record)), verb, by, instant(at), reason)


_CELLS = (*VERSION_COLUMNS[:-1], record_sql())
_INSERT = (
    f"INSERT INTO versions (project_key, {', '.join(VERSION_COLUMNS)}, packed, digest)"
    f" VALUES (?, {', '.join('?' * (len(VERSION_COLUMNS) - 1))}, '', ?, ?)"
)
_WITH_CONTEXT = (
    f"SELECT rowid, digest, {', '.join(_CELLS)} FROM versions"
    f" WHERE project_key = ? AND id = ? AND json_extract({record_sql()}, '$.context') IS NOT NULL"
)

_BETWEEN = (
    f"SELECT rowid, digest, {', '.join(_CELLS)} FROM versions"
    " WHERE project_key = ? AND id = ? AND version BETWEEN ? AND ?"
)
_REASON = VERSION_COLUMNS.index("reason")
_WITH_REASON = (
    f"SELECT rowid, digest, {', '.join(_CELLS)} FROM versions WHERE project_key = ? AND changed_by = ?"
    " AND verb IN (SELECT value FROM json_each(?)) AND reason IS NOT NULL"
)


def write_version(
    connection: sqlite3.Connection, key: int, position: int, change: Change, cells: ChangeCells
) -> None:
    """Inserts a version."""
    memory = change.memory
    where = (memory.id, memory.version, change.before, position)
    values = (*where, change.verb, change.by, rfc3339(change.at), change.reason)
    digest = version_row_digest((*values, cells.record))
    connection.execute(_INSERT, (key, *values, cells.packed, digest))


def strip_context(connection: sqlite3.Connection, key: int, ids: Iterable[str]) -> None:
    """Removes the context from every version of these records; a damaged version keeps its digest."""
    for id in ids:
        for rowid, digest, *values in connection.execute(_WITH_CONTEXT, (key, id)).fetchall():
            is_sound = digest is None or digest == version_row_digest(values)
            values[-1] = canonical_json({**json.loads(values[-1]), "context": None})
            connection.execute(
                "UPDATE versions SET record = '', packed = ?, digest = ? WHERE rowid = ?",
                (packed_record(values[-1]), version_row_digest(values) if is_sound else digest, rowid),
            )


def redact_versions(
    connection: sqlite3.Connection,
    key: int,
    id: str,
    numbers: tuple[int, int],
    redacted: Callable[[Memory], Memory],
) -> None:
    """Rewrites versions of a record without their words; a damaged version keeps its digest."""
    for rowid, digest, *values in connection.execute(_BETWEEN, (key, id, *numbers)).fetchall():
        is_sound = digest is None or digest == version_row_digest(values)
        without_words = redacted(memory_from_json(json.loads(values[-1])))
        values[-1], values[_REASON] = canonical_json(memory_to_json(without_words)), None
        connection.execute(
            "UPDATE versions SET record = '', packed = ?, reason = NULL, digest = ? WHERE rowid = ?",
            (packed_record(values[-1]), version_row_digest(values) if is_sound else digest, rowid),
        )


def forget_reasons(connection: sqlite3.Connection, key: int, by: str, verbs: Collection[str]) -> None:
    """Deletes the reasons that a principal gave for such changes; a damaged version keeps its digest."""
    for rowid, digest, *values in connection.execute(
        _WITH_REASON, (key, by, json.dumps(list(verbs)))
    ).fetchall():
        is_sound = digest is None or digest == version_row_digest(values)
        values[_REASON] = None
        new_digest = version_row_digest(values) if is_sound else digest
        connection.execute(
            "UPDATE versions SET reason = NULL, digest = ? WHERE rowid = ?", (new_digest, rowid)
        )


def version_row_digest(values: Sequence[Any]) -> bytes:
    """Digest of a version. Args: values: of VERSION_COLUMNS."""
    *others, record = values
    return bytes.fromhex(version_digest(record.encode(), *others))
