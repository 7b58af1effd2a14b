"""What waits for a person, and the decisions on it."""

from __future__ import annotations

from typing import Literal, Protocol

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.errors import MemoryLayerError
from memory_layer.ports import Page, Ports
from memory_layer.usecases.approve import approve_memory, reject_memory
from memory_layer.usecases.forget import archive_memory

AWAITING = ("pending", "quarantined", "stale")


class Decided(Protocol):
    """What a reviewer says of one memory."""

    @property
    def id(self) -> str: ...
    @property
    def decision(self) -> Literal["approve", "reject", "archive"]: ...
    @property
    def reason(self) -> str | None: ...


def awaiting_review(
    ports: Ports, principal: Principal, project: str, *, after: tuple[str, str] | None, limit: int
) -> Page:
    """Pending, quarantined and stale memories, oldest first."""
    return ports.store.page(
        principal.scope(project),
        Filters(status=AWAITING),
        viewer_of(principal),
        now=ports.clock.now(),
        after=after,
        limit=limit,
        oldest_first=True,
    )


def decide(ports: Ports, principal: Principal, project: str, item: Decided) -> MemoryLayerError | None:
    """Carry out one decision; what hinders it is returned, so that the others of a list go on."""
    try:
        if item.decision == "approve":
            approve_memory(ports, principal, project, item.id)
        elif item.decision == "reject":
            reject_memory(ports, principal, project, item.id, reason=item.reason)
        else:
            archive_memory(ports, principal, project, item.id, reason=item.reason)
    except MemoryLayerError as error:
        return error
    return None
