"""A place in a conversation is one turn's: whoever comes to one that another has is told whose it is."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from memory_layer.domain.access import Principal, Viewer, viewer_of
from memory_layer.domain.memory import ENDED_STATUSES, Memory, Scope
from memory_layer.errors import Conflict, Invalid
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordStore
from memory_layer.usecases.write.turn_contexts import stored_around

LEAP_MAX = 100_000
"""Beyond the next free position: one request must not use up the two billion that a conversation has."""


class PositionReach:
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


ELSEWHERE = (
    "name another position, change that turn instead, or post this to the session's turns without a position: "
    "there it follows the last one"
)
FOLLOW = "leave the position out to have the turn follow the last one, or name another"
"""The same to somebody who posts turns."""


class PositionHolder(NamedTuple):
    """Of a turn no more than this: an import keeps all of its turns in their places."""

    id: str
    persona: str | None


class TurnPositions:
    """Who stands where. Args: turns: stored ones; of one that has ended or expired the place is free."""

    def __init__(self, turns: Iterable[Memory], now: datetime) -> None:
        self._now = now
        self._there: dict[tuple[str, int], tuple[PositionHolder, ...]] = {}
        self.add(turns)

    def add(self, turns: Iterable[Memory]) -> None:
        for turn in turns:
            place, holder = _place_of(turn, self._now), PositionHolder(turn.id, turn.persona)
            if place is not None and holder not in (there := self._there.get(place, ())):
                self._there[place] = (*there, holder)

    def take(self, memory: Memory) -> PositionHolder | None:
        """Give a record its place; where another one has it, it gets none, and that one is returned."""
        place = _place_of(memory, self._now)
        others = self._there.get(place, ()) if place is not None else ()
        holder = next((other for other in others if other.id != memory.id), None)
        if holder is None:
            self.add([memory])
        return holder


def _place_of(memory: Memory, now: datetime) -> tuple[str, int] | None:
    """Session and position of a record that is in use, or may yet be."""
    if memory.session_id is None or memory.position is None:
        return None
    is_out_of_use = memory.status in ENDED_STATUSES or memory.has_expired(now)
    return None if is_out_of_use else (memory.session_id, memory.position)


def place_taken(at: int | None, holder: str, otherwise: str = ELSEWHERE) -> Conflict:
    return Conflict(f"position {at} of this session is taken by {holder}; {otherwise}")


def named_to(viewer: Viewer, holder: PositionHolder) -> str:
    """Whose id is told only to whoever may see it."""
    return holder.id if viewer.may_see(holder.persona) else "another turn"


def refuse_taken_place(
    ports: Ports,
    principal: Principal,
    after: Memory,
    *,
    before: Memory | None = None,
    leaves: str | None = None,
) -> None:
    """Let a record come to no place that another one has; where it stands already it stays.

    Of two that come there at the same moment both may be kept: by position, time and id they stand in one order.

    Args:
        before: the record as it was; None: it is new.
        leaves: the id of one that goes away with the same change.

    Raises:
        Conflict
    """
    now = ports.clock.now()
    if before is not None and _place_of(before, now) == _place_of(after, now):
        return
    around = stored_around(ports, after.scope, [after]).values()
    there = TurnPositions((turn for turns in around for turn in turns if turn.id != leaves), now)
    holder = there.take(after)
    if holder is not None:
        raise place_taken(after.position, named_to(viewer_of(principal), holder))
