"""What was answered under idempotency keys, in its table."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from memory_layer.adapters.embedded.sqlite.record_rows import chunks, placeholders
from memory_layer.adapters.stored_form.damaged_values import read
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.ports.commit import Answer


class AnswerRows(ABC):
    """What SqliteRecordStore reads of answers."""

    @property
    @abstractmethod
    def _reader(self) -> sqlite3.Connection: ...

    @abstractmethod
    def _key(self, scope: Scope) -> int: ...

    def answers(self, scope: Scope, keys: Collection[str], now: datetime) -> dict[str, Answer]:
        found: dict[str, Answer] = {}
        for chunk in chunks(list(keys)):
            sql = (
                "SELECT key, fingerprint, status, body, expires_at, memory_id FROM answers"
                f" WHERE project_key = ? AND expires_at > ? AND key IN ({placeholders(chunk)})"
            )
            for row in self._reader.execute(sql, (self._key(scope), rfc3339(now), *chunk)).fetchall():
                found[row[0]] = read(_answer, row, f"what was answered under {row[0]!r}")
        return found


def _answer(row: Sequence[Any]) -> Answer:
    key, fingerprint, status, body, expires_at, memory_id = row
    return Answer(key, fingerprint, status, body, instant(expires_at), memory_id)
