"""What assembled contexts go by, in SQLite."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Final

from memory_layer.adapters.bodies import Bodies
from memory_layer.adapters.embedded.rows import scalar
from memory_layer.domain.memory import Memory, Scope

_LAST_TURNS: Final = (
    "m.project_key = ? AND m.session_id = ? ORDER BY m.position DESC, m.created_at DESC, m.id DESC LIMIT ?"
)
_WRITES: Final = "SELECT writes FROM projects WHERE tenant = ? AND project = ?"


class ContextRows(ABC):
    """stores.ContextStore of SqliteRecordStore."""

    _bodies: Bodies

    @property
    @abstractmethod
    def _reader(self) -> sqlite3.Connection: ...

    @abstractmethod
    def _key(self, scope: Scope) -> int: ...

    @abstractmethod
    def _select(self, scope: Scope, where: str, parameters: Sequence[Any]) -> Iterable[Memory]: ...

    def last_turns(self, scope: Scope, session_id: str, limit: int) -> list[Memory]:
        found = list(self._select(scope, _LAST_TURNS, (self._key(scope), session_id, limit)))
        return self._bodies.whole(found)[0]

    def write_versions(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        return tuple(str(scalar(self._reader, _WRITES, scope) or 0) for scope in scopes)
