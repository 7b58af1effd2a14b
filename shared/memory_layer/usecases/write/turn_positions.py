"""Positions of turns in a session: one turn each, and a conflict that names the holder of a taken one."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from memory_layer.domain.access import Principal, Viewer, viewer_of
from memory_layer.domain.memory import ENDED_STATUSES, Memory, Scope
from memory_layer.errors import Conflict, Invalid
from memory_layer.ports.process import Ports
from memory_layer.ports.records import SessionStore
from memory_layer.usecases.write.turn_contexts import stored_turns_near

POSITION_GAP_MAX = 100_000
"""Positions beyond the next free one: one request must not use up the two billion that a conversation has."""


class PositionLimit:
    """Limit of positions by conversation; the store is asked once, and only about far ones."""

    def __init__(self, sessions: SessionStore, scope: Scope) -> None:
        self._sessions = sessions
        self._scope = scope
        self._next_free: dict[str, int] = {}

    def last(self, session_id: str, wanted: int) -> int:
        """Last position that a caller may name, as far as that matters for the wanted one."""
        if wanted <= POSITION_GAP_MAX:
            return POSITION_GAP_MAX
        if session_id not in self._next_free:
            self._next_free[session_id] = self._sessions.take_positions(self._scope, session_id, 0)
        return self._next_free[session_id] + POSITION_GAP_MAX

    def refuse_beyond(self, memory: Memory) -> None:
        """Refuses a turn's position too far beyond all others of its conversation. Raises: Invalid"""
        if memory.session_id is None or memory.position is None:
            return
        last = self.last(memory.session_id, memory.position)
        if memory.position > last:
            raise Invalid.at(
                "/position", f"the conversation reaches to {last:,} at most by now; take a lower position"
            )


ADVICE_TO_NAME_ANOTHER = (
    "name another position, change that turn instead, or post this to the session's turns without a position: "
    "there it follows the last one"
)
ADVICE_TO_FOLLOW = "leave the position out to have the turn follow the last one, or name another"
"""Advice about a taken position to a caller who posts turns; `ADVICE_TO_NAME_ANOTHER`: to any other."""


class PositionHolder(NamedTuple):
    """Turn at a position, by id and persona alone: an import keeps all of its turns in memory."""

    id: str
    persona: str | None


class TurnPositions:
    """Positions and their holders. Args: turns: stored ones; the position of an ended or expired turn is free."""

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
        """Gives a record its position, or returns the record that holds it already."""
        place = _place_of(memory, self._now)
        others = self._there.get(place, ()) if place is not None else ()
        holder = next((other for other in others if other.id != memory.id), None)
        if holder is None:
            self.add([memory])
        return holder


def _place_of(memory: Memory, now: datetime) -> tuple[str, int] | None:
    """Session and position of a record that is in use, or may yet be; None: it has none."""
    if memory.session_id is None or memory.position is None:
        return None
    is_out_of_use = memory.status in ENDED_STATUSES or memory.has_expired(now)
    return None if is_out_of_use else (memory.session_id, memory.position)


def position_conflict(at: int | None, holder: str, otherwise: str = ADVICE_TO_NAME_ANOTHER) -> Conflict:
    return Conflict(f"position {at} of this session is taken by {holder}; {otherwise}")


def holder_name_for(viewer: Viewer, holder: PositionHolder) -> str:
    """Holder's name in a conflict: its id for a viewer who may see it, otherwise "another turn"."""
    return holder.id if viewer.may_see(holder.persona) else "another turn"


def refuse_taken_position(
    ports: Ports,
    principal: Principal,
    after: Memory,
    *,
    before: Memory | None = None,
    leaves: str | None = None,
) -> None:
    """Refuses a record whose new position another one holds; a record that keeps its position stays.

    Two that arrive at one position at the same moment may both be kept: position, time and id still order them.

    Args:
        before: the record as it was; None: it is new.
        leaves: the id of a turn that goes away with the same change.

    Raises:
        Conflict
    """
    now = ports.clock.now()
    if before is not None and _place_of(before, now) == _place_of(after, now):
        return
    around = stored_turns_near(ports, after.scope, [after]).values()
    there = TurnPositions((turn for turns in around for turn in turns if turn.id != leaves), now)
    holder = there.take(after)
    if holder is not None:
        raise position_conflict(after.position, holder_name_for(viewer_of(principal), holder))
