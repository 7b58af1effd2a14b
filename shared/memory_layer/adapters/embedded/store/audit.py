"""Audit log of all projects in its table: chained within the transaction whose changes it tells of."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys
from memory_layer.domain import audit
from memory_layer.domain.audit import AuditEvent, AuditHead, AuditLink
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.ports.audit import AuditFilter, AuditPage, sound_page

_COLUMNS = "position, at, about, sealed, digest, payload, salt"
_APPEND = f"INSERT INTO audit (project_key, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_READ = (
    "SELECT position, CAST(at AS BLOB), CAST(about AS BLOB), CAST(sealed AS BLOB), CAST(digest AS BLOB),"
    " CAST(payload AS BLOB), salt, (SELECT CAST(b.digest AS BLOB) FROM audit b"
    " WHERE b.project_key = audit.project_key AND b.position = audit.position - 1) FROM audit WHERE project_key = ?"
)
"""Entries, each with the digest of the one before it."""
_HEAD = "SELECT audit_position, CAST(audit_digest AS BLOB) FROM projects WHERE key = ?"
_MOVE = "UPDATE projects SET audit_position = ?, audit_digest = ? WHERE key = ?"
_FORGET = "UPDATE audit SET payload = NULL, salt = NULL WHERE project_key = ?"
_LINKS_AT_ONCE = 1_000


def append_events(connection: sqlite3.Connection, key: int, events: Sequence[AuditEvent], at: str) -> None:
    """Enters events at the end of a project's chain; the caller holds the transaction."""
    if not events:
        return
    for event in events:
        _forget_before(connection, key, event)
    before = _head(connection, key)
    links = audit.chained(before, events, at, [os.urandom(audit.SALT_BYTES) for _ in events])
    head = audit.head_after(before, links)
    rows = (
        (key, one.position, one.at, one.about, one.sealed, one.digest, one.payload, one.salt) for one in links
    )
    connection.executemany(_APPEND, rows)
    connection.execute(_MOVE, (head.position, head.digest, key))


def _forget_before(connection: sqlite3.Connection, key: int, event: AuditEvent) -> None:
    """Removes the readable parts and salts that an erasure takes along; the links stay."""
    if event.what == audit.PROJECT_ERASED:
        connection.execute(_FORGET, (key,))
    elif event.what in audit.ERASES_ITS_OWN:
        connection.execute(f"{_FORGET} AND about = ? AND about <> ''", (key, event.about))


def forget_person(connection: sqlite3.Connection, key: int, name: str) -> None:
    """Removes the readable parts that name a person: who acted, for whom, or the persona of an erasure."""
    named = " OR ".join(
        f"json_extract(payload, '$.{part}') = ?2" for part in ("principal", "user", "persona")
    )
    connection.execute(f"{_FORGET}1 AND ({named})", (key, name))


def _head(connection: sqlite3.Connection, key: int) -> AuditHead:
    row = connection.execute(_HEAD, (key,)).fetchone()
    return AuditHead() if row is None else AuditHead(row[0], _text(row[1]))


def _text(cell: bytes) -> str:
    """A text as it lies, even if damage made it no UTF-8: then its digest tells."""
    return cell.decode(errors="replace")


def _link(row: tuple[Any, ...]) -> AuditLink:
    position, at, about, sealed, digest, payload, salt, previous = row
    at, about, sealed, digest = map(_text, (at, about, sealed, digest))
    link = AuditLink(position, at, about, sealed, digest, None if payload is None else _text(payload), salt)
    is_chained = audit.follows(link, "" if previous is None else _text(previous))
    return link if is_chained else replace(link, is_out_of_chain=True)


class AuditRows:
    """Reads of the audit log: the port ports.audit.AuditStore."""

    def __init__(self, database: Database, keys: ProjectKeys) -> None:
        self._database = database
        self._keys = keys

    def page(self, scope: Scope, asked: AuditFilter, *, before: int | None, limit: int) -> AuditPage:
        where, given = _conditions(asked)
        values: tuple[str | int, ...] = given
        sql = _READ + where
        if before is not None:
            sql, values = f"{sql} AND position < ?", (*values, before)
        rows = self._database.reader().execute(
            f"{sql} ORDER BY position DESC LIMIT ?", (self._keys.of(scope), *values, limit + 1)
        )
        links = tuple(_link(row) for row in rows.fetchall())
        return sound_page(links[:limit], links[limit - 1].position if len(links) > limit else None)

    def links(self, scope: Scope, *, after: int) -> Iterator[AuditLink]:
        key = self._keys.of(scope)
        sql = f"{_READ} AND position > ? ORDER BY position LIMIT ?"
        while rows := self._database.reader().execute(sql, (key, after, _LINKS_AT_ONCE)).fetchall():
            yield from map(_link, rows)
            after = rows[-1][0]

    def head(self, scope: Scope) -> AuditHead:
        return _head(self._database.reader(), self._keys.of(scope))

    def settled_head(self, scope: Scope) -> AuditHead:
        return self.head(scope)  # nobody reads half of a commit here


def _conditions(asked: AuditFilter) -> tuple[str, tuple[str, ...]]:
    """SQL of a filter behind WHERE …, and its values."""
    given = {
        "iif(json_valid(payload), json_extract(payload, '$.principal'), '') = ?": asked.principal,
        "about = ?": asked.about,
        "iif(json_valid(payload), json_extract(payload, '$.what'), '') = ?": asked.what,
        "at >= ?": None if asked.since is None else rfc3339(asked.since),
        "at <= ?": None if asked.until is None else rfc3339(asked.until),
    }
    wanted = {sql: value for sql, value in given.items() if value is not None}
    return "".join(f" AND {sql}" for sql in wanted), tuple(wanted.values())
