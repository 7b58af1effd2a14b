"""RecordStore over SQLite: reads here, transactions in `transaction.py`, receipts in `receipts.py`."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from memory_layer.adapters.embedded import statistics
from memory_layer.adapters.embedded.database import Database
from memory_layer.adapters.embedded.policy_document import policy_of
from memory_layer.adapters.embedded.receipts import ReceiptLog
from memory_layer.adapters.embedded.rows import (
    SELECT_MEMORY,
    memory_of,
    placeholders,
    scalar,
    vector_of,
)
from memory_layer.adapters.embedded.selection import conditions
from memory_layer.adapters.embedded.transaction import UNKNOWN_PROJECT, apply, project_key
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import instant, memory_from_json, rfc3339
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.policy import Policy
from memory_layer.errors import MemoryLayerError
from memory_layer.ports import Answer, Commit, Operation, Page, Receipt, Stats, Vectors, Verdict, Version

READ_CHUNK = 500
"""Ids per statement, well under SQLite's limit of bound parameters."""


class SqliteRecordStore:
    """The record store of the laptop; one file, any number of threads and processes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._receipts = ReceiptLog(database)
        self._keys: dict[Scope, int] = {}

    def commit(self, commit: Commit) -> None:
        (error,) = self.commit_each([commit])
        if error is not None:
            raise error

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        """Each commit is a savepoint of its own; one disk flush makes them all durable."""
        with self._database.writing() as connection:
            return [_attempt(connection, commit) for commit in commits]

    def get(self, scope: Scope, id: str) -> Memory | None:
        ref = Ref(scope.project, id)
        return self.get_many(scope.tenant, [ref]).get(ref)

    def get_many(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, Memory]:
        by_project: dict[str, list[str]] = defaultdict(list)
        for ref in refs:
            by_project[ref.project].append(ref.id)
        memories = (
            memory
            for project, ids in by_project.items()
            for memory in self._by_ids(Scope(tenant, project), ids)
        )
        return {memory.ref: memory for memory in memories}

    def _by_ids(self, scope: Scope, ids: list[str]) -> Iterable[Memory]:
        for chunk in _chunks(ids):
            where = f"m.project_key = ? AND m.id IN ({placeholders(chunk)})"
            yield from self._select(scope, where, (self._key(scope), *chunk))

    def last_version(self, scope: Scope, id: str) -> int:
        sql = (
            "SELECT max(version) FROM (SELECT version FROM memories WHERE project_key = ?1 AND id = ?2"
            " UNION ALL SELECT version FROM tombstones WHERE project_key = ?1 AND id = ?2)"
        )
        return int(scalar(self._reader, sql, (self._key(scope), id)) or 0)

    def page(
        self,
        scope: Scope,
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        after: tuple[str, str] | None,
        limit: int,
        oldest_first: bool = False,
    ) -> Page:
        asked = conditions(filters, viewer, now)
        parameters: list[Any] = [self._key(scope), *(value for part in asked for value in part.parameters)]
        where = " AND ".join(["m.project_key = ?", *(part.sql for part in asked)])
        beyond, direction = (">", "ASC") if oldest_first else ("<", "DESC")
        if after is not None:
            where += f" AND (m.created_at, m.id) {beyond} (?, ?)"
            parameters += after
        order = f" ORDER BY m.created_at {direction}, m.id {direction} LIMIT ?"
        found = list(self._select(scope, where + order, (*parameters, limit + 1)))
        shown = found[:limit]
        more = len(found) > limit
        return Page(tuple(shown), (rfc3339(shown[-1].created_at), shown[-1].id) if more else None)

    def same_content(self, scope: Scope, content_hash: str) -> list[Memory]:
        where = "m.project_key = ? AND m.content_hash = ? AND m.status = 'active' ORDER BY m.id"
        return list(self._select(scope, where, (self._key(scope), content_hash)))

    def vectors(self, scope: Scope, ids: Collection[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        for chunk in _chunks(list(ids)):
            sql = (
                "SELECT m.id, s.content_vector, s.context_vector FROM memories m"
                " JOIN search_rows s ON s.memory_key = m.key WHERE s.content_vector IS NOT NULL"
                f" AND m.project_key = ? AND m.id IN ({placeholders(chunk)})"
            )
            for id, content, context in self._reader.execute(sql, (self._key(scope), *chunk)):
                found[id] = Vectors(vector_of(content), vector_of(context))  # type: ignore[arg-type]
        return found

    def turns(self, scope: Scope, session_id: str, first: int, last: int) -> list[Memory]:
        where = (
            "m.project_key = ? AND m.session_id = ? AND m.position BETWEEN ? AND ? ORDER BY m.position, m.id"
        )
        return list(self._select(scope, where, (self._key(scope), session_id, first, last)))

    def next_position(self, scope: Scope, session_id: str) -> int:
        sql = "SELECT max(position) + 1 FROM memories WHERE project_key = ? AND session_id = ?"
        return int(scalar(self._reader, sql, (self._key(scope), session_id)) or 0)

    def history(self, scope: Scope, id: str) -> list[Version]:
        sql = (
            "SELECT record, verb, changed_by, changed_at, reason FROM versions"
            " WHERE project_key = ? AND id = ? ORDER BY version"
        )
        return [
            Version(memory_from_json(json.loads(record)), verb, by, instant(at), reason)
            for record, verb, by, at, reason in self._reader.execute(sql, (self._key(scope), id))
        ]

    def verdicts(self, scope: Scope, memory_id: str) -> list[Verdict]:
        sql = (
            "SELECT id, memory_id, result, principal, at, session_id, run_id, recall_id, note,"
            " score_moved, confidence_moved FROM verdicts"
            " WHERE project_key = ? AND memory_id = ? AND replaced_by IS NULL ORDER BY at, id"
        )
        return [_verdict(row) for row in self._reader.execute(sql, (self._key(scope), memory_id))]

    def policy(self, scope: Scope) -> Policy:
        sql = "SELECT policy FROM projects WHERE tenant = ? AND project = ?"
        return policy_of(scalar(self._reader, sql, scope))

    def answer(self, scope: Scope, key: str, now: datetime) -> Answer | None:
        sql = (
            "SELECT key, fingerprint, status, body, expires_at FROM answers"
            " WHERE project_key = ? AND key = ? AND expires_at > ?"
        )
        row = self._reader.execute(sql, (self._key(scope), key, rfc3339(now))).fetchone()
        return None if row is None else Answer(row[0], row[1], row[2], row[3], instant(row[4]))

    def stats(self, scope: Scope, viewer: Viewer) -> Stats:
        return statistics.collect(self._reader, self._key(scope), viewer)

    def written_after(self, scope: Scope, position: int) -> list[Ref]:
        sql = "SELECT id FROM memories WHERE project_key = ? AND log_position > ?"
        return [Ref(scope.project, id) for (id,) in self._reader.execute(sql, (self._key(scope), position))]

    def note_recall(self, receipt: Receipt) -> None:
        self._receipts.add(receipt)

    def receipt(self, scope: Scope, recall_id: str) -> Receipt | None:
        return self._receipts.find(self._key(scope), scope, recall_id)

    def recalled_since(self, scope: Scope, ids: Collection[str], since: datetime) -> set[str]:
        return self._receipts.recalled_since(self._key(scope), ids, since)

    def put_operation(self, operation: Operation) -> None:
        values = (
            *(operation.id, operation.tenant, operation.principal, operation.kind, operation.status),
            *(operation.done, operation.total, rfc3339(operation.created_at)),
            *(None if part is None else json.dumps(part) for part in (operation.result, operation.problem)),
        )
        with self._database.writing() as connection:
            connection.execute(f"INSERT OR REPLACE INTO operations VALUES ({placeholders(values)})", values)

    def operation(self, tenant: str, id: str) -> Operation | None:
        sql = (
            "SELECT id, tenant, principal, kind, status, done, total, created_at, result, problem"
            " FROM operations WHERE tenant = ? AND id = ?"
        )
        row = self._reader.execute(sql, (tenant, id)).fetchone()
        return None if row is None else _operation(row)

    def close(self) -> None:
        """Write what recalls have noted, then let go of the file."""
        self._receipts.close()
        self._database.close()

    @property
    def _reader(self) -> sqlite3.Connection:
        return self._database.reader()

    def _key(self, scope: Scope) -> int:
        """A project keeps its key for good; one that has none yet may get it from another process."""
        key = self._keys.get(scope)
        if key is None:
            key = project_key(self._reader, scope)
            if key != UNKNOWN_PROJECT:
                self._keys[scope] = key
        return key

    def _select(self, scope: Scope, where: str, parameters: Sequence[Any]) -> Iterable[Memory]:
        rows = self._reader.execute(f"{SELECT_MEMORY} WHERE {where}", parameters)
        return (memory_of(scope, row) for row in rows)


def _attempt(connection: sqlite3.Connection, commit: Commit) -> MemoryLayerError | None:
    connection.execute("SAVEPOINT one")
    try:
        apply(connection, commit)
    except MemoryLayerError as error:
        connection.execute("ROLLBACK TO one")
        return error
    finally:
        connection.execute("RELEASE one")
    return None


def _chunks(ids: list[str]) -> Iterable[list[str]]:
    return (ids[start : start + READ_CHUNK] for start in range(0, len(ids), READ_CHUNK))


def _verdict(row: Sequence[Any]) -> Verdict:
    id, memory_id, result, principal, at, session_id, run_id, recall_id, note, score, confidence = row
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
    )


def _operation(row: Sequence[Any]) -> Operation:
    id, tenant, principal, kind, status, done, total, created_at, *documents = row
    result, problem = (None if text is None else json.loads(text) for text in documents)
    return Operation(
        id=id,
        tenant=tenant,
        principal=principal,
        kind=kind,
        status=status,
        done=done,
        total=total,
        created_at=instant(created_at),
        result=result,
        problem=problem,
    )
