"""Where in a conversation a turn may stand: a caller's own position lies not far beyond those in use."""

from __future__ import annotations

from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import Invalid
from memory_layer.ports.records import RecordStore

LEAP_MAX = 100_000
"""Beyond the next free position: one request must not use up the two billion that a conversation has."""


class Reach:
    """How far positions may go, by conversation; the store is asked once, and only about far ones."""

    def __init__(self, store: RecordStore, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._next_free: dict[str, int] = {}

    def last(self, session_id: str, wanted: int) -> int:
        """The last position that a caller may name, as far as that matters for the one wanted."""
        if wanted <= LEAP_MAX:
            return LEAP_MAX
        if session_id not in self._next_free:
            self._next_free[session_id] = self._store.take_positions(self._scope, session_id, 0)
        return self._next_free[session_id] + LEAP_MAX

    def refuse_beyond(self, memory: Memory) -> None:
        """Raises: Invalid: the turn stands too far from all others of its conversation."""
        if memory.session_id is None or memory.position is None:
            return
        last = self.last(memory.session_id, memory.position)
        if memory.position > last:
            raise Invalid.at(
                "/position", f"the conversation reaches to {last:,} at most by now; take a lower position"
            )
