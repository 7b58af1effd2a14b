"""List of stale memories, which wait for a confirmation."""

from dataclasses import dataclass
from typing import Final

from memory_layer.domain.access import Principal, review_viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordVersion

STALE: Final = "stale"


@dataclass(frozen=True, slots=True)
class StalePage:
    """Page of stale memories, each with the change that made it stale (None: older than its history)."""

    items: tuple[tuple[Memory, RecordVersion | None], ...]
    next_key: tuple[str, str] | None


def stale_memories(
    ports: Ports, principal: Principal, project: str, *, after: tuple[str, str] | None, limit: int
) -> StalePage:
    """Reads a page of stale memories, the oldest first, as in the review queue."""
    scope, now = principal.scope(project), ports.clock.now()
    page = ports.store.memories.page(
        scope,
        Filters(status=(STALE,)),
        review_viewer_of(principal),
        now=now,
        after=after,
        limit=limit,
        oldest_first=True,
    )
    since = ports.store.history.in_status_since(scope, [memory.id for memory in page.memories], STALE)
    return StalePage(tuple((memory, since.get(memory.id)) for memory in page.memories), page.next_key)
