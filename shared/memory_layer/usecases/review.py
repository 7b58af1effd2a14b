"""What waits for a person, and the decisions on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory
from memory_layer.errors import InFlight, MemoryLayerError
from memory_layer.ports import Answer, Page, Ports
from memory_layer.usecases.approve import approve_memory, put_aside, reject_memory
from memory_layer.usecases.idempotency import Once, earlier_answer, earlier_answers

AWAITING = ("pending", "quarantined", "stale")


class Decided(Protocol):
    """What a reviewer says of one memory."""

    @property
    def id(self) -> str: ...
    @property
    def decision(self) -> Literal["approve", "reject", "archive"]: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def version(self) -> int | None:
        """The version that they have looked at; None: any."""


def awaiting_review(
    ports: Ports, principal: Principal, project: str, *, after: tuple[str, str] | None, limit: int
) -> Page:
    """Pending, quarantined and stale memories, and active ones that recalls hide until approved; oldest first."""
    scope, now = principal.scope(project), ports.clock.now()
    held = ports.store.policy(scope).review_sources
    kinds = [Filters(status=AWAITING), *([Filters(source=held, is_approved=False)] if held else [])]
    pages = [
        ports.store.page(
            scope, kind, viewer_of(principal), now=now, after=after, limit=limit, oldest_first=True
        )
        for kind in kinds
    ]
    return _united(pages, limit)


def _united(pages: Sequence[Page], limit: int) -> Page:
    """One page of several, as far as all of them reach."""
    ends = [page.next_key for page in pages if page.next_key is not None]
    end = min(ends, default=None)
    found = sorted((memory for page in pages for memory in page.memories), key=_place)
    reached = [memory for memory in found if end is None or _place(memory) <= end]
    shown = tuple(reached[:limit])
    return Page(shown, _place(shown[-1]) if len(reached) > limit else end)


def _place(memory: Memory) -> tuple[str, str]:
    return rfc3339(memory.created_at), memory.id


Outcome = Memory | Answer | MemoryLayerError
"""An `Answer` is the earlier one, given again for the same idempotency key."""


def decide_all(
    ports: Ports, principal: Principal, project: str, decisions: Sequence[tuple[Decided, Once | None]]
) -> list[Outcome]:
    """Carry out each decision; what hinders one does not touch the others.

    Raises:
        KeyReused: a key came with other decisions; then none is carried out.
    """
    wishes = [once for _, once in decisions if once is not None]
    answers = earlier_answers(ports.store, principal.scope(project), wishes, ports.clock.now())
    for once in wishes:
        if once.key in answers:
            once.refuse_other(answers[once.key])
    return [_decide(ports, principal, project, item, once, answers) for item, once in decisions]


def _decide(
    ports: Ports,
    principal: Principal,
    project: str,
    item: Decided,
    once: Once | None,
    answers: Mapping[str, Answer],
) -> Outcome:
    try:
        earlier = once.earlier(answers) if once else None
        return earlier or _carried_out(ports, principal, project, item, once)
    except InFlight as error:
        now = ports.clock.now()
        return (earlier_answer(ports.store, principal.scope(project), once, now) if once else None) or error
    except MemoryLayerError as error:
        return error


def _carried_out(
    ports: Ports, principal: Principal, project: str, item: Decided, once: Once | None
) -> Memory:
    if item.decision == "approve":
        return approve_memory(ports, principal, project, item.id, expected=item.version, once=once)
    decide = reject_memory if item.decision == "reject" else put_aside
    return decide(ports, principal, project, item.id, reason=item.reason, expected=item.version, once=once)
