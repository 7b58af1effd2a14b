"""Sources of assembled contexts, in SQLite."""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.project_rows import lenient_text, settings_of
from memory_layer.adapters.embedded.sqlite.record_rows import scalar
from memory_layer.adapters.embedded.store.entity_events import sound_activity
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.stored_values import assembly_of
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.commit import Vectors
from memory_layer.ports.records import NEVER_WRITTEN, ContextSettings

_LAST_TURNS: Final = (
    "m.project_key = ? AND m.session_id = ? ORDER BY m.position DESC, m.created_at DESC, m.id DESC LIMIT ?"
)
_SETTINGS: Final = (
    "SELECT CAST(p.policy AS BLOB), CAST(p.assembly AS BLOB), a.digest, a.project_key,"
    " CAST(a.last_activity_at AS BLOB) FROM projects p"
    " LEFT JOIN activity a ON a.project_key = p.key WHERE p.tenant = ? AND p.project = ?"
)
_WRITES: Final = "SELECT writes FROM projects WHERE tenant = ? AND project = ?"


class ContextRows(ABC):
    """The part of SqliteRecordStore that is ports.records.ContextStore."""

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

    @abstractmethod
    def get_many(
        self, tenant: str, refs: Collection[Ref], *, with_bodies: bool = True
    ) -> dict[Ref, Memory]: ...

    @abstractmethod
    def vectors(self, scope: Scope, ids: Collection[str]) -> dict[str, Vectors]: ...

    def with_vectors(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        records = self.get_many(tenant, refs, with_bodies=False)
        stored = {
            project: self.vectors(
                Scope(tenant, project), [ref.id for ref in records if ref.project == project]
            )
            for project in {ref.project for ref in records}
        }
        return {ref: (memory, stored[ref.project].get(ref.id)) for ref, memory in records.items()}

    def context_settings(self, scopes: Sequence[Scope]) -> tuple[ContextSettings, ...]:
        return tuple(map(self._context_settings, scopes))

    def _context_settings(self, scope: Scope) -> ContextSettings:
        row = self._reader.execute(_SETTINGS, scope).fetchone()
        policy, assembly, *activity = row or (None, None, None, None, None)
        return ContextSettings(
            settings_of(scope, policy), sound_activity(activity), assembly_of(scope, lenient_text(assembly))
        )

    def write_versions(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        return tuple(str(scalar(self._reader, _WRITES, scope) or NEVER_WRITTEN) for scope in scopes)
