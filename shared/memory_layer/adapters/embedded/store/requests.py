"""Answers under idempotency keys, and operations, in their tables."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from memory_layer.adapters.embedded.sqlite import row_digests
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys
from memory_layer.adapters.embedded.sqlite.record_rows import chunks, placeholders
from memory_layer.adapters.stored_form.stored_values import parse_stored
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.records import Operation

_KEY = 2
"""Place of its key in the row of an answer, after its digest and its project."""

EMPTY_ANSWER = row_digests.update_in_place("answers", body="''")
"""SQL, up to WHERE, that removes the words of an answer and keeps its key."""

_PUT_OPERATION = row_digests.insertion("operations", "INSERT OR REPLACE")
_SELECT_OPERATION = row_digests.selection("operations")
_SELECT_ANSWER = row_digests.selection("answers")

_SELECT_RECENT_PROJECTS = """
    SELECT tenant, project
    FROM (SELECT project_key, at FROM receipts ORDER BY at DESC LIMIT 1000)
    JOIN projects ON key = project_key
    GROUP BY project_key ORDER BY MAX(at) DESC LIMIT ?
"""


class RequestRows:
    """Answers of all projects, and operations of all tenants: the port ports.records.RequestStore."""

    def __init__(self, database: Database, keys: ProjectKeys) -> None:
        self._database = database
        self._keys = keys

    def answers(self, scope: Scope, keys: Collection[str], now: datetime) -> dict[str, IdempotencyRecord]:
        found: dict[str, IdempotencyRecord] = {}
        for chunk in chunks(list(keys)):
            sql = f"{_SELECT_ANSWER} WHERE project_key = ? AND expires_at > ? AND key IN ({placeholders(chunk)})"
            for row in (
                self._database.reader().execute(sql, (self._keys.of(scope), rfc3339(now), *chunk)).fetchall()
            ):
                answer = parse_stored(_answer, row, f"what was answered under {row[_KEY]!r}")
                found[answer.key] = answer
        return found

    def put_operation(self, operation: Operation) -> None:
        values = (
            *(operation.tenant, operation.id, operation.principal, operation.kind, operation.status),
            *(operation.done, operation.total, rfc3339(operation.created_at)),
            *(None if part is None else json.dumps(part) for part in (operation.result, operation.problem)),
            operation.input,
        )
        with self._database.writing() as connection:
            connection.execute(_PUT_OPERATION, row_digests.with_digest(values))

    def operation(self, tenant: str, id: str) -> Operation | None:
        row = (
            self._database.reader()
            .execute(f"{_SELECT_OPERATION} WHERE tenant = ? AND id = ?", (tenant, id))
            .fetchone()
        )
        return None if row is None else parse_stored(_operation_in, row, f"operation {id}")

    def unfinished_operations(self) -> list[Operation]:
        """Operations that were accepted and have not ended, oldest first, of all tenants."""
        rows = self._database.reader().execute(
            f"{_SELECT_OPERATION} WHERE status = 'running' ORDER BY created_at, id"
        )
        return [_operation(cells) for cells in row_digests.sound_rows(rows)]

    def recent_projects(self, limit: int) -> list[Scope]:
        """Projects of the last recalls, the last one first."""
        rows = self._database.reader().execute(_SELECT_RECENT_PROJECTS, (limit,))
        return [Scope(tenant, project) for tenant, project in rows]


def _operation_in(row: Sequence[Any]) -> Operation:
    return _operation(row_digests.sound_cells(row))


def _operation(cells: Sequence[Any]) -> Operation:
    tenant, id, principal, kind, status, done, total, created_at, *documents, input = cells
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
        input=input,
        result=result,
        problem=problem,
    )


def _answer(row: Sequence[Any]) -> IdempotencyRecord:
    _, key, fingerprint, status, body, expires_at, memory_id = row_digests.sound_cells(row)
    return IdempotencyRecord(key, fingerprint, status, body, instant(expires_at), memory_id)
