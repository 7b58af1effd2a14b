"""Keep a conversation: each turn a memory, in order, with its surroundings as context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from memory_layer.domain.access import Principal, Viewer, viewer_of
from memory_layer.domain.memory import ENDED_STATUSES, POSITION_MAX, Memory
from memory_layer.errors import Conflict, Invalid
from memory_layer.ports import Ports
from memory_layer.usecases.gate import refuse_secret_names
from memory_layer.usecases.idempotency import earlier_answers
from memory_layer.usecases.positions import Reach
from memory_layer.usecases.remember import Asked, Result, remember_many
from memory_layer.usecases.surroundings import stretches

TOOL_OUTPUT_LIFETIME: Final = timedelta(hours=24)
"""Source: SPEC 9, sessions; a project's own expiry of type context holds for memories that are no turns."""


def add_turns(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[Asked]
) -> list[Result]:
    """Store turns of one session; those without a position follow all that the session has, in order.

    A turn is kept as it was said, whether or not it is news; at a position where another one stands it is refused with
    a Conflict. Of two that come there at the same moment both may be kept: by position, time and id they stand in one
    order all the same.
    """
    refused = _refused(ports, principal, project, session_id, turns)
    kept = [turn for number, turn in enumerate(turns) if number not in refused]
    results = iter(_kept(ports, principal, project, session_id, kept))
    return [refused[number] if number in refused else next(results) for number in range(len(turns))]


def _kept(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[Asked]
) -> list[Result]:
    try:
        free = iter(_positions(ports, principal, project, session_id, turns))
    except Invalid as error:
        return [error for _ in turns]
    numbered = []
    for turn in turns:
        position = turn.fields.get("position")
        at = next(free) if position is None else position
        fields = {
            **_spoken(_expiring(turn.fields, ports.clock.now())),
            "session_id": session_id,
            "position": at,
        }
        numbered.append(replace(turn, fields=fields, is_verbatim=True))
    return remember_many(ports, principal, project, numbered)


def _refused(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[Asked]
) -> dict[int, Conflict]:
    """By its number, each turn whose position is taken, by a stored turn or by one before it."""
    wanted = {
        number: at for number, turn in enumerate(turns) if (at := turn.fields.get("position")) is not None
    }
    if not wanted:
        return {}
    scope, now = principal.scope(project), ports.clock.now()
    taken = {
        turn.position: _taken_by(turn, viewer_of(principal))
        for first, last in stretches(min(at, POSITION_MAX) for at in wanted.values())
        for turn in ports.store.turns(scope, session_id, first, last)
        if turn.status not in ENDED_STATUSES and not turn.has_expired(now)
    }
    refused = {}
    for number, at in wanted.items():
        if at in taken:
            refused[number] = Conflict(f"position {at} of this session is taken {taken[at]}; {_OTHERWISE}")
        taken.setdefault(at, "by another turn of this request")
    sent = {number: turns[number].once for number in refused}
    answered = earlier_answers(ports.store, scope, sent.values(), now)  # each was stored with its turn
    return {n: error for n, error in refused.items() if (once := sent[n]) is None or once.key not in answered}


_OTHERWISE: Final = "leave the position out to have the turn follow the last one, or name another"


def _taken_by(turn: Memory, viewer: Viewer) -> str:
    """Whose id is told only to whoever may see it."""
    return f"by {turn.id}" if viewer.may_see(turn.persona) else "by another turn"


def _positions(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[Asked]
) -> Sequence[int]:
    """One for each turn without its own; a request that is only repeated takes up none.

    Raises:
        Invalid: the conversation's name looks like a secret; a name that positions are kept under is kept itself.
    """
    count = sum(turn.fields.get("position") is None for turn in turns)
    if count == 0:
        return ()
    scope = principal.scope(project)
    answered = earlier_answers(ports.store, scope, [turn.once for turn in turns], ports.clock.now())
    if turns and len(answered) == len(turns):
        return range(count)
    refuse_secret_names({"session_id": session_id}, ports.store.policy(scope))
    reach = Reach(ports.store, scope)
    given = [
        position
        for turn in turns
        if (position := turn.fields.get("position")) is not None
        and position <= reach.last(session_id, position)
    ]
    first = ports.store.take_positions(scope, session_id, count, at_least=max(given, default=-1) + 1)
    return range(first, first + count)


def _expiring(fields: Mapping[str, Any], now: datetime) -> Mapping[str, Any]:
    """What a tool put out (type context) is of today, unless whoever keeps it says otherwise."""
    if fields.get("type") != "context" or "expires_at" in fields:
        return fields
    return {**fields, "expires_at": now + TOOL_OUTPUT_LIFETIME}


def _spoken(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Who spoke is part of what was said: names are what questions ask by."""
    said = dict(fields)
    speaker = said.pop("speaker", None)
    if speaker:
        said["content"] = f"{speaker}: {said['content']}"
    return said
