"""Keep a conversation: each turn a memory, in order, with its surroundings as context."""

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
from memory_layer.usecases.write.turn_positions import PositionReach

TOOL_OUTPUT_LIFETIME: Final = timedelta(hours=24)
"""Source: SPEC 5.19; a project's own expiry of type context holds for memories that are no turns."""


def add_turns(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[RememberRequest]
) -> list[Result]:
    """Store turns of one session; those without a position follow all that the session has, in order.

    A turn is kept as it was said, whether or not it is news; at a position where another one stands it is refused with
    a Conflict. Of two that come there at the same moment both may be kept: by position, time and id they stand in one
    order all the same.
    """
    try:
        memories = numbered(ports, principal, project, session_id, turns)
    except Invalid as error:
        return [error for _ in turns]
    return remember_many(ports, principal, project, memories)


def numbered(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[RememberRequest]
) -> list[RememberRequest]:
    """The memories that turns are, each with its place, which from now on nobody else is given.

    Raises:
        Invalid: the conversation's name looks like a secret.
    """
    free, now = iter(_positions(ports, principal, project, session_id, turns)), ports.clock.now()
    memories = []
    for turn in turns:
        position = turn.fields.get("position")
        place = {"session_id": session_id, "position": next(free) if position is None else position}
        memories.append(replace(turn, fields=_spoken(_expiring(turn.fields, now)) | place, is_verbatim=True))
    return memories


def _positions(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[RememberRequest]
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
    reach = PositionReach(ports.store, scope)
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
