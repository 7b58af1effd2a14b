"""Verification of a project's records, read as bytes, so that damaged ones are reported with the rest.

Texts are cast to blobs on their way out, so that SQLite's driver does not fail on one that is no UTF-8.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, get_args

from memory_layer.adapters.embedded.sqlite import record_rows
from memory_layer.adapters.embedded.sqlite.project_rows import lenient_text, printable_id
from memory_layer.adapters.embedded.sqlite.version_packing import record_sql
from memory_layer.adapters.embedded.store.history import VERSION_COLUMNS, version_row_digest
from memory_layer.domain.fields import instant, memory_from_json, rfc3339
from memory_layer.domain.integrity import verification
from memory_layer.domain.integrity.digests import record_digest, search_digest
from memory_layer.domain.memory import Scope, Tier, is_stub
from memory_layer.domain.time.decay import due_at, due_from

_IS_NUMBER = tuple(f.kind in ("integer", "score", "boolean") for f in record_rows.STORED_FIELDS)
_NUMBERS = frozenset(
    f.name for f, is_number in zip(record_rows.STORED_FIELDS, _IS_NUMBER, strict=True) if is_number
)
_PARTS = ("content_vector", "context_vector", "content_terms", "context_terms")
_NOT_HOT = tuple(f'"tier":"{tier}"' for tier in get_args(Tier) if tier != "hot")
"""Marks of other tiers in the text of a version: inside of a string every quote has a backslash before it."""

_IDS = (
    "SELECT CAST(id AS BLOB) FROM (SELECT id FROM memories WHERE project_key = ?1 AND id > CAST(?2 AS TEXT)"
    " UNION SELECT id FROM versions WHERE project_key = ?1 AND id > CAST(?2 AS TEXT)"
    " UNION SELECT id FROM tombstones WHERE project_key = ?1 AND id > CAST(?2 AS TEXT)"
    " ORDER BY id LIMIT ?3)"
)
_AMONG = "project_key = ? AND id IN ({})"
_IDS_AT_A_TIME = 200


def _raw(names: Iterable[str], numbers: frozenset[str], table: str = "") -> str:
    return ", ".join(
        f"{table}{name}" if name in numbers else f"CAST({table}{name} AS BLOB)" for name in names
    )


_RECORDS = (  # by key: cells are then read from the row itself, and not from the index that led to it
    f"SELECT m.log_position, m.digest, {_raw(record_rows.STORED_COLUMNS, _NUMBERS, 'm.')},"
    " CAST(m.due_at AS BLOB), m.body_bytes,"
    f" s.memory_key, s.digest, {', '.join(f's.{name}' for name in _PARTS)}, m.project_key, m.seal"
    " FROM memories m LEFT JOIN search_rows s ON s.memory_key = m.key"
    f" WHERE m.key IN (SELECT key FROM memories WHERE {_AMONG})"
)
_ID = 2 + record_rows.STORED_COLUMNS.index("id")
_DUE = 2 + len(record_rows.STORED_COLUMNS)
_BODY_BYTES = _DUE + 1
_SEARCH_KEY = _DUE + 2
_CHANGED_AT = 1 + VERSION_COLUMNS.index("changed_at")
_VERSION_NUMBERS = frozenset({"version", "before_version", "log_position"})
_VERSIONS = (
    f"SELECT digest, {_raw(VERSION_COLUMNS[:-1], _VERSION_NUMBERS)}, CAST({record_sql()} AS BLOB)"
    f" FROM versions WHERE {_AMONG}"
    " ORDER BY id, version"
)
_ERASED = f"SELECT CAST(id AS BLOB), max(version) FROM tombstones WHERE {_AMONG} GROUP BY id"


class SqliteRecordVerification:
    """Reader of all that is stored under a project's ids.

    Args:
        connection: for reading, in a transaction that the caller begins and ends.
    """

    def __init__(
        self, connection: sqlite3.Connection, scope: Scope, project_key: int, with_history: bool
    ) -> None:
        self._connection = connection
        self._scope = scope
        self._key = project_key
        self._with_history = with_history

    def page(self, after: str | None, limit: int) -> verification.StoredPage:
        """Page of stored records, by id, as ports.maintenance.IntegrityStore.kept."""
        ids = [id for (id,) in self._all(_IDS, (self._key, _bytes(after or ""), limit))]
        return verification.StoredPage(tuple(self._under(ids)), _text(ids[-1]) if len(ids) == limit else None)

    def named(self, ids: Collection[str]) -> list[verification.StoredRecord]:
        """Stored records of these ids, as ports.maintenance.IntegrityStore.kept_under."""
        wanted = sorted({_bytes(id) for id in ids})
        chunks = record_rows.chunks(wanted, _IDS_AT_A_TIME)
        return [kept for chunk in chunks for kept in self._under(chunk)]

    def _under(self, ids: Sequence[bytes]) -> list[verification.StoredRecord]:
        """Stored records of these ids; if one of them stops the reading, the others are read without it."""
        if not ids:
            return []
        try:
            return self._read(ids)
        except sqlite3.DatabaseError as error:
            if len(ids) == 1:
                flaw = verification.BrokenPart(
                    printable_id(ids[0]), None, "record", f"cannot be read: {error}"
                )
                return [verification.StoredRecord(id=printable_id(ids[0]), is_there=True, flaws=(flaw,))]
            half = len(ids) // 2
            return [*self._under(ids[:half]), *self._under(ids[half:])]

    def _read(self, ids: Sequence[bytes]) -> list[verification.StoredRecord]:
        rows = {row[_ID]: row for row in self._all(_among(_RECORDS, ids), (self._key, *ids))}
        histories = self._histories(ids) if self._with_history else {}
        erased = dict(self._all(_among(_ERASED, ids), (self._key, *ids)))
        return [
            _kept(self._scope, id, rows.get(id), histories.get(id, _History()), erased.get(id)) for id in ids
        ]

    def _histories(self, ids: Sequence[bytes]) -> dict[bytes, _History]:
        found: dict[bytes, _History] = defaultdict(_History)
        for row in self._connection.execute(_among(_VERSIONS, ids), (self._key, *ids)):
            found[row[1]].add(row)
        return found

    def _all(self, sql: str, parameters: Sequence[Any]) -> list[Any]:
        return self._connection.execute(sql, parameters).fetchall()


def _among(sql: str, ids: Sequence[bytes]) -> str:
    return sql.format(", ".join(["CAST(? AS TEXT)"] * len(ids)))


@dataclass(slots=True)
class _History:
    """Versions of one record, oldest first; the document of the newest is parsed at the end."""

    versions: list[verification.StoredVersion] = field(default_factory=list)
    flaws: list[verification.BrokenPart] = field(default_factory=list)
    stubs: list[verification.StoredStub] = field(default_factory=list)
    newest: str | None = None
    changed_at: datetime | None = None

    def add(self, row: Sequence[Any]) -> None:
        stored, id, number, before, place, *_ = row
        self.newest, self.changed_at = None, None
        try:
            cells = [*row[1:5], *map(_utf8, row[5:])]
            cells[0] = id.decode()
            if stored is None:
                memory_from_json(_document(cells[-1]))
            self._note_stub(number, cells[-1])
            seal = verification.StoredDigest(_hex(stored), version_row_digest(cells).hex())
            self.newest = cells[-1]
            self.changed_at = instant(row[_CHANGED_AT].decode())
        except verification.UNREADABLE as error:
            seal = None
            self.flaws.append(_flaw(id, number, "version", error))
        self.versions.append(verification.StoredVersion(number, before, _place(place), seal))

    def _note_stub(self, number: int, record: str) -> None:
        if any(tier in record for tier in _NOT_HOT):
            memory = memory_from_json(_document(record))
            if is_stub(memory):
                self.stubs.append(verification.StoredStub(number, memory.content_hash))

    def read_newest(self, id: bytes) -> None:
        if self.newest is None:
            return
        try:
            self.versions[-1] = replace(self.versions[-1], document=_document(self.newest))
        except verification.UNREADABLE as error:
            self.flaws.append(_flaw(id, self.versions[-1].number, "version", error))


def _kept(
    scope: Scope, id: bytes, row: Sequence[Any] | None, history: _History, erased_at: int | None
) -> verification.StoredRecord:
    history.read_newest(id)
    whole = verification.StoredRecord(
        id=printable_id(id),
        versions=tuple(history.versions),
        erased_at=erased_at,
        stubs=tuple(history.stubs),
        flaws=tuple(history.flaws),
    )
    if row is None:
        return whole
    kept = _with_seal(_with_record(whole, scope, id, row), row)
    kept = _with_due(kept, row[_DUE], history.changed_at)
    return _with_vectors(_with_body_bytes(kept, row[_BODY_BYTES]), id, row)


def _with_seal(kept: verification.StoredRecord, row: Sequence[Any]) -> verification.StoredRecord:
    """Holds the cells against the seal, by which readers go."""
    *_, key, seal = row
    if kept.memory is None or seal is None:
        return kept
    texts = [v if is_number else _utf8(v) for v, is_number in zip(row[2:_DUE], _IS_NUMBER, strict=True)]
    cells = (key, row[0], row[1], lenient_text(row[_DUE]), row[_BODY_BYTES], *texts)
    return replace(kept, is_seal_broken=seal != record_rows.seal_of(cells))


def _with_body_bytes(kept: verification.StoredRecord, body_bytes: int | None) -> verification.StoredRecord:
    if kept.memory is None or body_bytes is None:
        return kept
    stub = verification.StoredStub(kept.memory.version, kept.memory.content_hash, body_bytes)
    return replace(kept, body_bytes=body_bytes, stubs=(stub, *kept.stubs))


def _with_due(
    kept: verification.StoredRecord, due: bytes | None, changed_at: datetime | None
) -> verification.StoredRecord:
    """Checks the time at which a sweep is due: it follows from the record, and from when that was written."""
    if kept.memory is None or changed_at is None:
        return kept
    follows = (due_from(kept.memory, changed_at), due_at(kept.memory))
    if due in [None if at is None else rfc3339(at).encode() for at in follows]:
        return kept
    odd = verification.BrokenPart(
        kept.id, kept.memory.version, "record", "due_at does not follow from what it says"
    )
    return replace(kept, flaws=(*kept.flaws, odd))


def _with_record(
    kept: verification.StoredRecord, scope: Scope, id: bytes, row: Sequence[Any]
) -> verification.StoredRecord:
    place, digest, *raw = row[:_DUE]
    kept = replace(kept, is_there=True, place=_place(place))
    try:
        values = [v if is_number else _utf8(v) for v, is_number in zip(raw, _IS_NUMBER, strict=True)]
        memory = record_rows.memory_of(scope, [*values, 0, None])
        seal = verification.StoredDigest(_hex(digest), record_digest(memory))
        odd = [
            name
            for name, one, two in zip(
                record_rows.STORED_COLUMNS, values, record_rows.row_of(memory), strict=True
            )
            if one != two
        ]
    except verification.UNREADABLE as error:
        return replace(kept, flaws=(*kept.flaws, _flaw(id, None, "record", error)))
    flaws = [
        verification.BrokenPart(kept.id, memory.version, "record", f"{name} is not as it was written")
        for name in odd
    ]
    return replace(kept, memory=memory, seal=seal, flaws=(*kept.flaws, *flaws))


def _with_vectors(
    kept: verification.StoredRecord, id: bytes, row: Sequence[Any]
) -> verification.StoredRecord:
    memory_key, digest, *parts = row[_SEARCH_KEY:-2]
    if memory_key is None:
        lost = verification.BrokenPart(
            kept.id, None, "vectors", "are missing, with the words that it is found by"
        )
        return replace(kept, flaws=(*kept.flaws, lost))
    try:
        seal = verification.StoredDigest(_hex(digest), search_digest(_text(id), *parts))
        content, context = (record_rows.vector_of(part) for part in parts[:2])
    except verification.UNREADABLE as error:
        return replace(kept, flaws=(*kept.flaws, _flaw(id, None, "vectors", error)))
    return replace(kept, content_vector=content, context_vector=context, vectors_seal=seal)


def _document(text: str) -> dict[str, Any]:
    document = json.loads(text)
    if not isinstance(document, dict):
        raise TypeError("it is no JSON object")
    return document


def _flaw(
    id: bytes, version: int | None, part: verification.Part, error: Exception
) -> verification.BrokenPart:
    return verification.BrokenPart(printable_id(id), version, part, f"cannot be read: {error}")


def _utf8(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode()


def _hex(digest: bytes | None) -> str | None:
    return None if digest is None else digest.hex()


def _place(position: int | None) -> str | None:
    return None if position is None else str(position)


def _bytes(id: str) -> bytes:
    return id.encode(errors="surrogateescape")


def _text(id: bytes) -> str:
    """Text that encodes to the same bytes, whatever they are."""
    return id.decode(errors="surrogateescape")
