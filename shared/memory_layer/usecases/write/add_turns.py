"""Storage of a session's turns: each turn a memory, in order, with its neighbours as context."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from memory_layer.domain.access import Principal
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import refuse_secret_names
from memory_layer.usecases.ground.idempotency import earlier_answers
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import Result, remember_many
from memory_layer.usecases.write.turn_positions import PositionLimit

TOOL_OUTPUT_LIFETIME: Final = timedelta(hours=24)
"""Source: SPEC 5.19; a project's own expiry of type context holds for memories that are no turns."""


def add_turns(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[RememberRequest]
) -> list[Result]:
    """Stores turns of one session, in order; turns without a position follow the last one.

    A turn is stored verbatim, news or not; at a position that another turn holds it is refused with a Conflict. Two
    turns that arrive at one position at the same moment may both be kept: position, time and id still order them.
    """
    try:
        memories = requests_with_positions(ports, principal, project, session_id, turns)
    except Invalid as error:
        return [error for _ in turns]
    return remember_many(ports, principal, project, memories)


def requests_with_positions(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[RememberRequest]
) -> list[RememberRequest]:
    """Remember requests of turns, each with a position that is given to no other turn from now on.

    Raises:
        Invalid: the conversation's name looks like a secret.
    """
    free, now = iter(_positions(ports, principal, project, session_id, turns)), ports.clock.now()
    memories = []
    for turn in turns:
        position = turn.fields.get("position")
        place = {"session_id": session_id, "position": next(free) if position is None else position}
        memories.append(
            _dated(replace(turn, fields=_with_speaker(_with_expiry(turn.fields, now)) | place), now)
        )
    return memories


def _dated(turn: RememberRequest, now: datetime) -> RememberRequest:
    """A turn with the time at which it was said: its own, or now; a batch may be stored later than it was taken."""
    turn = replace(turn, is_verbatim=True, is_said_now=True)
    return replace(turn, fields={**turn.fields, "said_at": turn.said_at(now)})


def _positions(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[RememberRequest]
) -> Sequence[int]:
    """Positions for the turns that have none of their own; a repeated request takes up no new ones.

    Raises:
        Invalid: the conversation's name looks like a secret; the store keeps it with the positions.
    """
    count = sum(turn.fields.get("position") is None for turn in turns)
    if count == 0:
        return ()
    scope = principal.scope(project)
    answered = earlier_answers(ports.store.requests, scope, [turn.once for turn in turns], ports.clock.now())
    if turns and len(answered) == len(turns):
        return range(count)
    refuse_secret_names({"session_id": session_id}, ports.store.projects.policy(scope))
    reach = PositionLimit(ports.store.sessions, scope)
    given = [
        position
        for turn in turns
        if (position := turn.fields.get("position")) is not None
        and position <= reach.last(session_id, position)
    ]
    first = ports.store.sessions.take_positions(scope, session_id, count, at_least=max(given, default=-1) + 1)
    return range(first, first + count)


def _with_expiry(fields: Mapping[str, Any], now: datetime) -> Mapping[str, Any]:
    """Gives a tool's output (type context) an expiry in 24 hours, unless the caller named one."""
    if fields.get("type") != "context" or "expires_at" in fields:
        return fields
    return {**fields, "expires_at": now + TOOL_OUTPUT_LIFETIME}


def _with_speaker(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Moves the speaker's name into the content, because questions ask by names."""
    merged = dict(fields)
    speaker = merged.pop("speaker", None)
    if speaker:
        merged["content"] = f"{speaker}: {merged['content']}"
    return merged
