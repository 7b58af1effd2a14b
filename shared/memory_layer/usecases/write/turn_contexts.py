"""Derived contexts of turns: windows of neighbouring turns, completed in the background as turns are added."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from memory_layer.domain.conversation import (
    NEIGHBOURS,
    has_other_lines,
    is_extended_by,
    neighbour_lines,
    without_contents,
)
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.policy import Policy
from memory_layer.errors import Unavailable
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.event_kinds import SESSION_EXTENDED
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import retry_on_conflict
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.write.draft import RecordDraft, with_admission_status

STRETCH_GAP = 100
"""Positions further apart than this are read apart: turns between them are not read."""

_log = logging.getLogger(__name__)


class _Utterance(NamedTuple):
    content: str
    persona: str | None


Around = Mapping[str, Sequence[Memory]]
"""Stored turns by session id."""


def stored_turns_near(ports: Ports, scope: Scope, memories: Iterable[Memory]) -> dict[str, list[Memory]]:
    """Reads, by session id, the stored turns at the positions of these records and beside them."""
    places: dict[str, list[int]] = defaultdict(list)
    for memory in memories:
        if memory.session_id is not None and memory.position is not None:
            places[memory.session_id].append(memory.position)
    return {
        session_id: [
            turn
            for first, last in position_runs(positions)
            for turn in ports.store.sessions.turns(scope, session_id, first - NEIGHBOURS, last + NEIGHBOURS)
        ]
        for session_id, positions in places.items()
    }


def with_contexts(
    drafts: Sequence[RecordDraft], around: Around, policy: Policy, now: datetime
) -> list[RecordDraft]:
    """Fills in the context of every turn that came without one; all others stay as they are.

    A context quotes only turns in use that the persona may see, and is judged together with its turn.

    Args:
        around: the stored turns beside them.
    """
    said_in = {session_id: _utterances(turns, now) for session_id, turns in around.items()}
    for draft in drafts:
        if draft.displaced is None and draft.memory.session_id in said_in:
            said_in[draft.memory.session_id].update(_utterances([draft.memory], now))
    return [_in_context(draft, said_in, policy) for draft in drafts]


def _in_context(
    draft: RecordDraft, said_in: Mapping[str, Mapping[int, _Utterance]], policy: Policy
) -> RecordDraft:
    memory = draft.memory
    if memory.session_id is None or memory.position is None or memory.context:
        return draft
    context = _window_of(memory, said_in[memory.session_id])
    return (
        draft
        if context is None
        else replace(draft, memory=with_admission_status(replace(memory, context=context), policy))
    )


def publish_extended_sessions(ports: Ports, stored: Iterable[Memory]) -> None:
    """Publishes the changed stretches of sessions, so that contexts there are completed in the background.

    The turns are stored already: without the bus their neighbours wait for the next change beside them.
    """
    spans: dict[tuple[Scope, str], list[int]] = defaultdict(list)
    for memory in stored:
        if memory.session_id is not None and memory.position is not None:
            spans[memory.scope, memory.session_id].append(memory.position)
    for (scope, session_id), positions in spans.items():
        where = {"tenant": scope.tenant, "project": scope.project, "session_id": session_id}
        try:
            for first, last in position_runs(positions):
                ports.bus.publish(SESSION_EXTENDED, {**where, "first": first, "last": last})
        except Unavailable as error:
            _log.warning("contexts of session %s are not completed now: %s", session_id, error.detail)


def position_runs(positions: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and last position of each run of positions that lie together."""
    first, *others = sorted(positions)
    last = first
    for position in others:
        if position > last + STRETCH_GAP:
            yield first, last
            first = position
        last = position
    yield first, last


def complete_contexts(ports: Ports, scope: Scope, session_id: str, first: int, last: int) -> int:
    """Renews the derived contexts next to and among the turns first..last, and returns their number.

    A context grows by the turns around it, unless a reviewer approved the record as it is; it loses words that they
    no longer say, should a change there have overtaken the turn on its way into the store.
    """
    return retry_on_conflict(lambda: _complete(ports, scope, session_id, first, last))


def on_session_extended(ports: Ports, detail: Mapping[str, Any]) -> None:
    """Completes the contexts of the turns that an event of `SESSION_EXTENDED` names."""
    scope = Scope(detail["tenant"], detail["project"])
    complete_contexts(ports, scope, detail["session_id"], detail["first"], detail["last"])


def _complete(ports: Ports, scope: Scope, session_id: str, first: int, last: int) -> int:
    reach = 2 * NEIGHBOURS
    around = ports.store.sessions.turns(scope, session_id, first - reach, last + reach)
    now = ports.clock.now()
    utterances = _utterances(around, now)
    earlier_contents = cache(lambda id: _earlier_contents(ports, scope, id))
    renewed = []
    for memory in around:
        if memory.position is None or not first - NEIGHBOURS <= memory.position <= last + NEIGHBOURS:
            continue
        context, completed = memory.context, _window_of(memory, utterances)
        if has_other_lines(context, completed):
            context = without_contents(context, _retracted(memory, around, earlier_contents, now))
        if is_extended_by(context, completed) and not memory.is_approved:
            context = completed
        if context != memory.context:
            renewed.append(replace(memory, context=context, version=memory.version + 1))
    changes = tuple(
        Change(memory, memory.version - 1, "context completed", "memory-layer", now, vectors=vectors)
        for memory, vectors in embed_memories(ports.embedder, renewed)
    )
    errors = ports.store.writer.commit_each([Commit(scope=scope, changes=(change,)) for change in changes])
    for error in errors:
        if error is not None:
            raise error
    return len(changes)


def _retracted(
    memory: Memory, around: Iterable[Memory], earlier_contents: Callable[[str], frozenset[str]], now: datetime
) -> set[str]:
    """Contents of neighbours that this turn may not quote: earlier ones, and those of other personas."""
    near = [turn for turn in around if turn.id != memory.id and _is_beside(turn, memory)]
    quotable = {turn.content for turn in near if _is_quotable(turn, now) and _may_quote(memory, turn.persona)}
    contents = {turn.content for turn in near}
    contents.update(*(earlier_contents(turn.id) for turn in near if turn.version > 1))
    return contents - quotable


def _earlier_contents(ports: Ports, scope: Scope, id: str) -> frozenset[str]:
    return frozenset(version.memory.content for version in ports.store.history.of(scope, id))


def _is_beside(turn: Memory, other: Memory) -> bool:
    return abs((turn.position or 0) - (other.position or 0)) <= NEIGHBOURS


def _utterances(turns: Iterable[Memory], now: datetime) -> dict[int, _Utterance]:
    return {
        memory.position: _Utterance(memory.content, memory.persona)
        for memory in turns
        if memory.position is not None and _is_quotable(memory, now)
    }


def _is_quotable(memory: Memory, now: datetime) -> bool:
    """True for a turn in use: not quarantined, archived, expired or waiting for review."""
    return memory.is_active and not memory.has_expired(now)


def _may_quote(memory: Memory, persona: str | None) -> bool:
    return persona in (None, memory.persona)


def _window_of(memory: Memory, said: Mapping[int, _Utterance]) -> str | None:
    """Context of a turn from the turns around it; `neighbour_lines` gets its neighbourhood alone, and needs no more."""
    position = memory.position or 0
    near = range(position - NEIGHBOURS, position + NEIGHBOURS + 1)
    quotable = {at: said[at].content for at in near if at in said and _may_quote(memory, said[at].persona)}
    return neighbour_lines(quotable, position)
