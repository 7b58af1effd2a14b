"""Records as they once were, read off the lines of their history."""

from __future__ import annotations

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from datetime import datetime

from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.fields import instant, memory_from_json, rfc3339
from memory_layer.domain.memory import Memory, Scope, Status
from memory_layer.ports.records import Version

READ_CHUNK = 500
"""Ids per statement."""

_COLUMNS = "v.record, v.verb, v.changed_by, v.changed_at, v.reason"
_OF_WANTED = f"SELECT {_COLUMNS} FROM json_each(?2) w JOIN versions v ON v.rowid = "
_AS_OF = (
    f"{_OF_WANTED}(SELECT o.rowid FROM versions o WHERE o.project_key = ?1 AND o.id = w.value"
    " AND o.changed_at <= ?3 ORDER BY o.version DESC LIMIT 1)"
)
_SINCE = (
    f"{_OF_WANTED}(SELECT o.rowid FROM versions o WHERE o.project_key = ?1 AND o.id = w.value"
    " AND o.version > coalesce((SELECT e.version FROM versions e WHERE e.project_key = ?1 AND e.id = w.value"
    " AND json_extract(e.record, '$.status') <> ?3 ORDER BY e.version DESC LIMIT 1), 0)"
    " ORDER BY o.version LIMIT 1)"
)
"""Each subquery goes along the primary key and stops at the first row that fits."""


class VersionRows(ABC):
    """The part of the record store that looks back; the store itself knows connections and keys of projects."""

    _bodies: Bodies

    @property
    @abstractmethod
    def _reader(self) -> sqlite3.Connection: ...

    @abstractmethod
    def _key(self, scope: Scope) -> int: ...

    def versions_at(self, scope: Scope, ids: Collection[str], moment: datetime) -> dict[str, Memory]:
        found = self._versions(_AS_OF, scope, ids, rfc3339(moment))
        return {id: version.memory for id, version in found.items()}

    def in_status_since(self, scope: Scope, ids: Collection[str], status: Status) -> dict[str, Version]:
        return self._versions(_SINCE, scope, ids, status)

    def _versions(self, sql: str, scope: Scope, ids: Collection[str], asked: str) -> dict[str, Version]:
        found = {version.memory.id: version for version in self._as_they_lie(sql, scope, ids, asked)}
        return self._bodies.whole_versions(found)

    def _as_they_lie(self, sql: str, scope: Scope, ids: Collection[str], asked: str) -> Iterable[Version]:
        wanted, key = list(dict.fromkeys(ids)), self._key(scope)
        for start in range(0, len(wanted), READ_CHUNK):
            chunk = json.dumps(wanted[start : start + READ_CHUNK])
            for record, verb, by, at, reason in self._reader.execute(sql, (key, chunk, asked)):
                yield Version(memory_from_json(json.loads(record)), verb, by, instant(at), reason)
