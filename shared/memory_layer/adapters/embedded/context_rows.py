"""What assembled contexts go by, in SQLite."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from memory_layer.adapters.embedded.rows import scalar
from memory_layer.domain.memory import Scope

_WRITES: Final = "SELECT writes FROM projects WHERE tenant = ? AND project = ?"


class ContextRows(ABC):
    """stores.ContextStore of SqliteRecordStore."""

    @property
    @abstractmethod
    def _reader(self) -> sqlite3.Connection: ...

    def write_versions(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        return tuple(str(scalar(self._reader, _WRITES, scope) or 0) for scope in scopes)
