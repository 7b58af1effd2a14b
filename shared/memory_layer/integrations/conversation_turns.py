"""Turns of a conversation with what a framework keeps beside their words: added together, read in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from memory_layer.client import Memory, MemoryProblem
from memory_layer.integrations.connection import AGENT_SOURCE
from memory_layer.integrations.keyed_memories import deleted
from memory_layer.integrations.stored_answers import report

if TYPE_CHECKING:
    from memory_layer.client.models import MemoryStatus

PAGE: Final = 200
TOGETHER: Final = 100
"""Turns of one request: with 48 KiB each at most it is below what a request may hold."""

HELD_STATUSES: Final[Sequence[MemoryStatus]] = ("inactive", "pending", "stale", "superseded", "quarantined")
"""Statuses of turns that a conversation still has, though no recall shows them."""


def turn(text: str, detail: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """Fields of a turn that stays as long as its conversation does."""
    return {"content": text, "detail": dict(detail), "source": AGENT_SOURCE, "expires_at": None, **fields}


def add_all(client: Memory, session_id: str, turns: Sequence[Mapping[str, Any]]) -> None:
    """Stores turns behind the last one: all of them, or none.

    Raises:
        MemoryProblem: one was refused, and those before it are taken away again.
    """
    stored: list[str] = []
    for first in range(0, len(turns), TOGETHER):
        lines = add_each(client, session_id, turns[first : first + TOGETHER])
        stored += [line.id for line in lines if line.problem is None]
        refused = next((line for line in lines if line.problem is not None), None)
        if refused is not None:
            for id in stored:
                deleted(client, id, hard=True)
            raise _refusal(refused, first, len(turns))


def add_each(
    client: Memory, session_id: str, turns: Sequence[Mapping[str, Any]], **options: Any
) -> Sequence[Any]:
    """Answer to each turn, stored or refused by itself; redactions and the like are logged."""
    lines = client.add_turns(session_id, cast(Any, list(turns)), **options).results
    for line in lines:
        if line.receipt is not None:
            report(line.receipt, f"turn {line.line} of {session_id}")
    return lines


def _refusal(line: Any, first: int, count: int) -> MemoryProblem:
    detail = f"item {first + line.line} of {count}: {line.problem.detail}; none of them is stored"
    return MemoryProblem("refused_turn", detail, status=line.status)


def newest_turns(client: Memory, session_id: str, limit: int | None = None) -> list[Any]:
    """Turns of a conversation in order, the newest `limit` of them; those that wait for a person as well."""
    in_use = islice(client.list_turns.each(session_id, newest_first=True, limit=_page(limit)), limit)
    turns = [*in_use, *_held(client, session_id)]
    ordered = sorted(turns, key=lambda one: (one.position, one.created_at, one.id))
    return ordered if limit is None else ordered[len(ordered) - min(limit, len(ordered)) :]


def _page(limit: int | None) -> int:
    return PAGE if limit is None else max(1, min(limit, PAGE))


def _held(client: Memory, session_id: str) -> Iterator[Any]:
    found = client.list_memories.each(session_id=[session_id], status=HELD_STATUSES, limit=PAGE)
    return (one for one in found if one.position is not None)


def pop_newest(client: Memory, session_id: str) -> Any | None:
    """The last turn, archived; None: there is none. Of callers at once each has a turn of its own."""
    while turns := newest_turns(client, session_id, limit=1):
        try:
            client.delete_memory(turns[0].id, if_match=turns[0].version)
        except MemoryProblem as problem:
            if problem.status not in (404, 409, 412):
                raise
        else:
            return turns[0]
    return None


def clear(client: Memory, session_id: str) -> None:
    """Archives every turn. Raises: MemoryProblem: some are another's, and stay."""
    while not (cleared := client.clear_session(session_id)).complete:
        pass
    if cleared.kept:
        raise MemoryProblem(
            "kept_turns",
            f"{cleared.kept} turns of {session_id} are another's and stay; ask them, or an admin",
        )
