"""Damaged records that a process knows of, and the refusal of one, the same whatever the store."""

import threading
from collections.abc import Collection

from memory_layer.domain.memory import Ref, Scope
from memory_layer.errors import DamagedRecord


class DamageLog:
    """Damaged records that reads of this process have met, until one finds them sound."""

    def __init__(self) -> None:
        self._known: set[tuple[Scope, str]] = set()
        self._lock = threading.Lock()

    def add(self, scope: Scope, id: str) -> None:
        with self._lock:
            self._known.add((scope, id))

    def discard(self, scope: Scope, id: str) -> None:
        with self._lock:
            self._known.discard((scope, id))

    def has(self, scope: Scope, id: str) -> bool:
        return (scope, id) in self._known

    @property
    def any(self) -> bool:
        return bool(self._known)

    def all(self) -> list[tuple[Scope, str]]:
        with self._lock:
            return sorted(self._known)

    def among(self, tenant: str, refs: Collection[Ref]) -> list[Ref]:
        """The known ones of these records."""
        return [ref for ref in refs if self.has(Scope(tenant, ref.project), ref.id)] if self._known else []


def damaged_record(scope: Scope, id: str) -> DamagedRecord:
    return DamagedRecord(
        f"{id} is damaged, and its history holds no sound copy of it; see what else is: mem verify -p {scope.project}; "
        f"bring it back from a snapshot: mem restore latest -p {scope.project}"
    )
