"""Conversations: the context of a turn follows by itself, and a later turn completes the ones before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from memory_layer.domain.conversation import NEIGHBOURS, is_completed_by, window, without
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.policy import Policy
from memory_layer.ports import Change, Commit, Ports
from memory_layer.usecases.changing import until_written
from memory_layer.usecases.drafting import Draft, judged
from memory_layer.usecases.embedding import embed_memories

SESSION_EXTENDED = "session.extended"
"""Published when turns were added: `tenant`, `project`, `session_id`, `first`, `last` (positions)."""


class _Heard(NamedTuple):
    content: str
    persona: str | None


def with_contexts(ports: Ports, scope: Scope, drafts: Sequence[Draft], policy: Policy) -> list[Draft]:
    """Fill in the context of every turn that came without one; all others stay as they are.

    A turn hears only what its persona may see and what is in use, and what it heard is judged with it.
    """
    said: dict[str, dict[int, Memory]] = defaultdict(dict)
    for draft in drafts:
        memory = draft.memory
        if memory.session_id is not None and memory.position is not None:
            said[memory.session_id][memory.position] = memory
    heard_in = {
        session_id: _heard_around(ports, scope, session_id, turns) | _heard(turns.values())
        for session_id, turns in said.items()
    }
    return [_in_context(draft, heard_in, policy) for draft in drafts]


def _in_context(draft: Draft, heard_in: Mapping[str, Mapping[int, _Heard]], policy: Policy) -> Draft:
    memory = draft.memory
    if memory.session_id is None or memory.position is None or memory.context:
        return draft
    context = _window_of(memory, heard_in[memory.session_id])
    return (
        draft if context is None else replace(draft, memory=judged(replace(memory, context=context), policy))
    )


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
        completed = _window_of(memory, heard)
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


def echoes_of(ports: Ports, memory: Memory) -> tuple[Memory, ...]:
    """The turns beside a turn that may have heard it, as they are now."""
    if memory.session_id is None or memory.position is None:
        return ()
    first, last = memory.position - NEIGHBOURS, memory.position + NEIGHBOURS
    turns = ports.store.turns(memory.scope, memory.session_id, first, last)
    return tuple(turn for turn in turns if turn.id != memory.id)


def silence(ports: Ports, turns: Iterable[Memory], contents: Collection[str], by: str) -> tuple[Change, ...]:
    """Take what was said out of the contexts of these turns, and out of their vectors with it."""
    quiet = [
        replace(turn, context=context, version=turn.version + 1)
        for turn in turns
        if (context := without(turn.context, contents)) != turn.context
    ]
    now = ports.clock.now()
    return tuple(
        Change(memory, memory.version - 1, "neighbour erased", by, now, vectors=vectors)
        for memory, vectors in embed_memories(ports.embedder, quiet)
    )


def _heard_around(ports: Ports, scope: Scope, session_id: str, turns: Collection[int]) -> dict[int, _Heard]:
    return _heard(ports.store.turns(scope, session_id, min(turns) - NEIGHBOURS, max(turns) + NEIGHBOURS))


def _heard(turns: Iterable[Memory]) -> dict[int, _Heard]:
    """What may be heard at all: nothing quarantined, archived or waiting for review."""
    return {
        memory.position: _Heard(memory.content, memory.persona)
        for memory in turns
        if memory.position is not None and memory.is_active
    }


def _window_of(memory: Memory, heard: Mapping[int, _Heard]) -> str | None:
    """What a turn hears around it; `window` looks at its neighbourhood alone, so only that is handed over."""
    position = memory.position or 0
    near = range(position - NEIGHBOURS, position + NEIGHBOURS + 1)
    audible = {
        at: heard[at].content for at in near if at in heard and heard[at].persona in (None, memory.persona)
    }
    return window(audible, position)
