"""What was said of a memory, in its table."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

from memory_layer.adapters.stored_form.damaged_values import read
from memory_layer.domain.fields import instant
from memory_layer.domain.memory import Scope
from memory_layer.ports.commit import Verdict

_STANDING: Final = (
    "SELECT id, memory_id, result, principal, at, session_id, run_id, recall_id, note,"
    " score_moved, confidence_moved FROM verdicts"
    " WHERE project_key = ? AND memory_id = ? AND replaced_by IS NULL ORDER BY at, id"
)


class VerdictRows(ABC):
    """What SqliteRecordStore reads of verdicts."""

    @property
    @abstractmethod
    def _reader(self) -> sqlite3.Connection: ...

    @abstractmethod
    def _key(self, scope: Scope) -> int: ...

    def verdicts(self, scope: Scope, memory_id: str) -> list[Verdict]:
        rows = self._reader.execute(_STANDING, (self._key(scope), memory_id)).fetchall()
        return [read(_verdict, row, f"a verdict on {memory_id}") for row in rows]


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
