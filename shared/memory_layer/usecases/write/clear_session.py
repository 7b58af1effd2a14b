"""Clearing of a conversation, and the return of its last turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from memory_layer.domain.access import SHARED_PROJECT, Principal, may_change
from memory_layer.domain.filters import Filters
from memory_layer.domain.lifecycle import archive
from memory_layer.domain.memory import ENDED_STATUSES, Memory, Status
from memory_layer.errors import Forbidden, NotFound
from memory_layer.ports.commit import Change, Commit, IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.archival_cause import ARCHIVED
from memory_layer.usecases.ground.authorship import changeable_here
from memory_layer.usecases.ground.change_record import (
    get_changeable,
    made_hot,
    retry_on_conflict,
)
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answer
from memory_layer.usecases.ground.sessions import last_turn, session_turns
from memory_layer.usecases.write.commit_change import commit_change, commit_changes
from memory_layer.usecases.write.forget import archived_by, erase_memory

TOGETHER: Final = 16
BESIDE: Final = 10
"""Turns archived in one transaction, and those beside them whose contexts change in it: fewer than of a merge."""

CLEARED_MAX: Final = 1_000
ERASED_MAX: Final = 100
"""Turns of one request, which has 28 seconds in the cloud; an erasure of one enters a ledger and waits for it."""

_IN_PLACE: Final = Filters(status=tuple(s for s in get_args(Status) if s not in ENDED_STATUSES))
_OF_ANY_STATUS: Final = Filters(status=())


@dataclass(frozen=True, slots=True)
class ClearedSession:
    """Result of a clearing.

    Args:
        cleared: turns that it took out of use, or erased.
        kept: turns that are not the caller's to take away.
        is_complete: no other turn is left; false: send it again.
    """

    cleared: int
    kept: int
    is_complete: bool


def clear_session(
    ports: Ports, principal: Principal, project: str, session_id: str, *, is_hard: bool = False
) -> ClearedSession:
    """Archives the turns of a conversation, the last first; those that the caller may not change stay.

    Memories that name the conversation and have no place in it are none of its turns. A turn keeps its position: one
    that is added later comes after all that were ever there.

    Args:
        is_hard: erases them, the archived ones as well.
    """
    filters, most = (_OF_ANY_STATUS, ERASED_MAX) if is_hard else (_IN_PLACE, CLEARED_MAX)
    cleared = kept = 0
    after: tuple[str, str] | None = None
    while cleared < most:
        page = session_turns(
            *(ports, principal, project, session_id),
            after=after,
            limit=TOGETHER,
            newest_first=True,
            filters=filters,
        )
        gone = _take_away(ports, principal, project, page.memories, is_hard=is_hard)
        cleared, kept, after = cleared + gone, kept + len(page.memories) - gone, page.next_key
        if after is None:
            return ClearedSession(cleared, kept, is_complete=True)
    return ClearedSession(cleared, kept, is_complete=False)


def _take_away(
    ports: Ports, principal: Principal, project: str, turns: Sequence[Memory], *, is_hard: bool
) -> int:
    """Takes turns away and returns the number of them; those of others stay."""
    if is_hard:
        return sum(_is_erased(ports, principal, project, turn.id) for turn in turns)
    own = _own(ports, principal, turns)
    return retry_on_conflict(lambda: _archive(ports, principal, own)) if own else 0


def _own(ports: Ports, principal: Principal, turns: Sequence[Memory]) -> list[Memory]:
    """Turns that a caller may archive, none of a namesake's among them."""
    return changeable_here(ports, principal, [turn for turn in turns if may_take_away(principal, turn)])


def may_take_away(principal: Principal, turn: Memory) -> bool:
    """Says that a caller may archive a turn; an agent archives nothing that is trusted, or that a tenant shares."""
    is_kept = not principal.is_reviewer and turn.project == SHARED_PROJECT
    return may_change(principal, turn) and not is_kept and not (principal.is_agent and turn.is_trusted)


def _is_erased(ports: Ports, principal: Principal, project: str, id: str) -> bool:
    try:
        erase_memory(ports, principal, project, id)
    except (Forbidden, NotFound):
        return False
    return True


def _archive(ports: Ports, principal: Principal, turns: Sequence[Memory]) -> int:
    """Archives turns together, as they are now; their words leave the contexts of those beside them."""
    scope, refs = turns[0].scope, [turn.ref for turn in turns]
    found = ports.store.memories.get_many(scope.tenant, refs).values()
    before = _own(ports, principal, [turn for turn in found if turn.status not in ENDED_STATUSES])
    changes = tuple(_archival(ports, principal, turn) for turn in before)
    if changes:
        commit = Commit(scope=scope, changes=changes)
        commit_changes(ports, commit, before, principal.name, together=BESIDE)
    return len(changes)


def _archival(ports: Ports, principal: Principal, turn: Memory) -> Change:
    after = archive(made_hot(turn), archived_by(principal.name))
    return Change(after, turn.version, ARCHIVED, principal.name, ports.clock.now())


def pop_turn(
    ports: Ports,
    principal: Principal,
    project: str,
    session_id: str,
    *,
    once: IdempotentRequest | None = None,
) -> Memory | IdempotencyRecord | None:
    """Archives the last turn in use of a conversation and returns it; None: there is none.

    Raises:
        Forbidden: it is another's, or trusted and the caller an agent.
        KeyReused, NotFound: as `IdempotentRequest.earlier`.
    """
    scope = principal.scope(project)

    def attempt() -> Memory | IdempotencyRecord | None:
        answer = earlier_answer(ports.store.requests, scope, once, ports.clock.now()) if once else None
        return answer or _pop(ports, principal, project, session_id, once)

    return retry_on_conflict(attempt)


def _pop(
    ports: Ports, principal: Principal, project: str, session_id: str, once: IdempotentRequest | None
) -> Memory | None:
    last, now = last_turn(ports, principal, project, session_id), ports.clock.now()
    if last is None:
        if once is not None:
            answer = once.answer(None, now, memory_id="")
            ports.store.writer.commit(Commit(scope=principal.scope(project), answer=answer))
        return None
    before = get_changeable(ports, principal, project, last.id)
    if not may_take_away(principal, before):
        raise Forbidden(f"{last.id}, the last turn, is trusted, and a reviewer takes it away")
    change = _archival(ports, principal, before)
    kept = once.answer(change.memory, now, memory_id=last.id) if once else None
    commit_change(ports, Commit(scope=before.scope, changes=(change,), answer=kept), before, principal.name)
    return change.memory
