"""Work that outlives its request, in its table."""

from __future__ import annotations

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.row_digests import insertion, sealed
from memory_layer.adapters.stored_form.damaged_values import read
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.ports.records import Operation

_PUT_OPERATION = insertion("operations", "INSERT OR REPLACE")
_SELECT_OPERATION = (
    "SELECT id, tenant, principal, kind, status, done, total, created_at, result, problem, input"
    " FROM operations"
)


class OperationRows(ABC):
    """What SqliteRecordStore keeps of operations."""

    _database: Database

    @property
    @abstractmethod
    def _reader(self) -> sqlite3.Connection: ...

    def put_operation(self, operation: Operation) -> None:
        values = (
            *(operation.tenant, operation.id, operation.principal, operation.kind, operation.status),
            *(operation.done, operation.total, rfc3339(operation.created_at)),
            *(None if part is None else json.dumps(part) for part in (operation.result, operation.problem)),
            operation.input,
        )
        with self._database.writing() as connection:
            connection.execute(_PUT_OPERATION, sealed(values))

    def operation(self, tenant: str, id: str) -> Operation | None:
        row = self._reader.execute(
            f"{_SELECT_OPERATION} WHERE tenant = ? AND id = ?", (tenant, id)
        ).fetchone()
        return None if row is None else read(_operation, row, f"operation {id}")

    def unfinished_operations(self) -> list[Operation]:
        """Those that were accepted and have not ended, oldest first, of all tenants."""
        rows = self._reader.execute(f"{_SELECT_OPERATION} WHERE status = 'running' ORDER BY created_at, id")
        return [_operation(row) for row in rows]


def _operation(row: Sequence[Any]) -> Operation:
    id, tenant, principal, kind, status, done, total, created_at, *documents, input = row
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
