"""Keep a conversation: each turn a memory, in order, with its surroundings as context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.ports import Ports
from memory_layer.usecases.remember import Asked, Result, remember_many


def add_turns(
    ports: Ports, principal: Principal, project: str, session_id: str, turns: Sequence[Asked]
) -> list[Result]:
    """Store turns of one session; those without a position follow the ones already there, in order.

    A turn is kept as it was said, whether or not it is news.
    """
    position = ports.store.next_position(principal.scope(project), session_id)
    numbered = []
    for turn in turns:
        given = turn.fields.get("position")
        at = position if given is None else given
        position = max(position, at + 1)
        fields = {**_spoken(turn.fields), "session_id": session_id, "position": at}
        numbered.append(replace(turn, fields=fields, is_verbatim=True))
    return remember_many(ports, principal, project, numbered)


def _spoken(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Who spoke is part of what was said: names are what questions ask by."""
    said = dict(fields)
    speaker = said.pop("speaker", None)
    if speaker:
        said["content"] = f"{speaker}: {said['content']}"
    return said
