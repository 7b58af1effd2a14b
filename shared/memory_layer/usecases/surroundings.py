"""Conversations: the context of a turn follows by itself, and a later turn completes the ones before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from memory_layer.domain.conversation import NEIGHBOURS, is_completed_by, window
from memory_layer.domain.memory import Memory, Scope
from memory_layer.ports import Change, Commit, Ports
from memory_layer.usecases.changing import until_written
from memory_layer.usecases.embedding import embed_memories

SESSION_EXTENDED = "session.extended"
"""Published when turns were added: `tenant`, `project`, `session_id`, `first`, `last` (positions)."""


class _Heard(NamedTuple):
    content: str
    persona: str | None


def with_contexts(
    ports: Ports, scope: Scope, batch: Sequence[Mapping[str, Any]], persona: str | None
) -> list[Mapping[str, Any]]:
    """Fill in the context of every turn that came without one; other fields stay as they are.

    Args:
        persona: of the turns that name none. A turn hears only what its persona may see and what is in use.
    """
    said: dict[str, dict[int, _Heard]] = defaultdict(dict)
    for fields in batch:
        if _is_turn(fields):
            heard = _Heard(fields["content"], fields.get("persona", persona))
            said[fields["session_id"]][fields["position"]] = heard
    heard_in = {
        session_id: _heard_around(ports, scope, session_id, turns) | turns
        for session_id, turns in said.items()
    }
    return [
        {**fields, "context": _window(heard_in[fields["session_id"]], fields["position"])}
        if _is_turn(fields) and not fields.get("context")
        else fields
        for fields in batch
    ]


def announce(ports: Ports, stored: Iterable[Memory]) -> None:
    """Tell which sessions grew, so that the turns around are completed in the background."""
    spans: dict[tuple[Scope, str], list[int]] = defaultdict(list)
    for memory in stored:
        if memory.session_id is not None and memory.position is not None:
            spans[memory.scope, memory.session_id].append(memory.position)
    for (scope, session_id), positions in spans.items():
        where = {"tenant": scope.tenant, "project": scope.project, "session_id": session_id}
        ports.bus.publish(SESSION_EXTENDED, {**where, "first": min(positions), "last": max(positions)})


def complete_contexts(ports: Ports, scope: Scope, session_id: str, first: int, last: int) -> int:
    """Renew the derived contexts next to and among the turns first..last; the number renewed."""
    return until_written(lambda: _complete(ports, scope, session_id, first, last))


def _complete(ports: Ports, scope: Scope, session_id: str, first: int, last: int) -> int:
    reach = 2 * NEIGHBOURS
    around = ports.store.turns(scope, session_id, first - reach, last + reach)
    heard = _heard(around)
    renewed = []
    for memory in around:
        if memory.position is None or not first - NEIGHBOURS <= memory.position <= last + NEIGHBOURS:
            continue
        completed = _window(
            {**heard, memory.position: _Heard(memory.content, memory.persona)}, memory.position
        )
        if is_completed_by(memory.context, completed):
            renewed.append(replace(memory, context=completed, version=memory.version + 1))
    now = ports.clock.now()
    changes = tuple(
        Change(memory, memory.version - 1, "context completed", "memory-layer", now, vectors=vectors)
        for memory, vectors in embed_memories(ports.embedder, renewed)
    )
    errors = ports.store.commit_each([Commit(scope=scope, changes=(change,)) for change in changes])
    for error in errors:
        if error is not None:
            raise error
    return len(changes)


def _is_turn(fields: Mapping[str, Any]) -> bool:
    return fields.get("session_id") is not None and fields.get("position") is not None


def _heard_around(
    ports: Ports, scope: Scope, session_id: str, turns: Mapping[int, _Heard]
) -> dict[int, _Heard]:
    return _heard(ports.store.turns(scope, session_id, min(turns) - NEIGHBOURS, max(turns) + NEIGHBOURS))


def _heard(turns: Iterable[Memory]) -> dict[int, _Heard]:
    """What may be heard at all: nothing quarantined, archived or waiting for review."""
    return {
        memory.position: _Heard(memory.content, memory.persona)
        for memory in turns
        if memory.position is not None and memory.is_active
    }


def _window(heard: Mapping[int, _Heard], position: int) -> str | None:
    persona = heard[position].persona
    audible = {at: turn.content for at, turn in heard.items() if turn.persona in (None, persona)}
    return window(audible, position)
