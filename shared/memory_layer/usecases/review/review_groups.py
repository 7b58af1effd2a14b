"""Groups of what waits for a person: sixty held-back texts of one principal are one decision."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory
from memory_layer.ports.process import Ports
from memory_layer.usecases.review.review import AWAITING, STAGED_AWAITING, Awaiting, Outcome, decide_all

HeldBack = Literal["pending", "quarantined"]

GROUP_MAX: Final = 100
"""Memories that one decision on a group reaches, the oldest first."""

WAITING_LONG: Final = timedelta(days=14)
COUNTED_MAX: Final = 100
"""Most that are counted of each kind that waits long."""


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """Number of memories of one principal that wait for the same reason."""

    principal: str
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class GroupDecision:
    """Decision on one memory of a group, at the version that it had when the group was read."""

    id: str
    version: int
    decision: Literal["reject", "archive"]
    reason: str | None


def groups_of(items: Iterable[Awaiting]) -> list[ReviewGroup]:
    """Groups of the held-back memories among these items, the largest first."""
    held = (item for item in items if isinstance(item, Memory) and item.status in ("pending", "quarantined"))
    counts = Counter((memory.created_by, str(memory.status)) for memory in held)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [ReviewGroup(principal, kind, count) for (principal, kind), count in ordered]


def decide_group(
    ports: Ports,
    reviewer: Principal,
    project: str,
    principal: str,
    kind: HeldBack,
    decision: Literal["reject", "archive"],
    reason: str | None,
) -> list[tuple[str, Outcome]]:
    """Rejects or archives what one principal has waiting, up to 100; approval is of words that were looked at."""
    scope, now = reviewer.scope(project), ports.clock.now()
    asked = Filters(status=(kind,), created_by=(principal,))
    page = ports.store.memories.page(
        scope, asked, viewer_of(reviewer), now=now, after=None, limit=GROUP_MAX, oldest_first=True
    )
    decisions = [GroupDecision(memory.id, memory.version, decision, reason) for memory in page.memories]
    outcomes = decide_all(ports, reviewer, project, [(one, None) for one in decisions])
    return [(one.id, outcome) for one, outcome in zip(decisions, outcomes, strict=True)]


def waiting_long(ports: Ports, principal: Principal, project: str) -> int:
    """Counts what has waited for a person for 14 days, of each kind at most 100."""
    scope, viewer, now = principal.scope(project), viewer_of(principal), ports.clock.now()
    before = now - WAITING_LONG
    kinds = (Filters(status=AWAITING, created_before=before), Filters(is_doubted=True, created_before=before))
    held, doubted = (
        ports.store.memories.page(
            scope, kind, viewer, now=now, after=None, limit=COUNTED_MAX, oldest_first=True
        ).memories
        for kind in kinds
    )
    staged = ports.store.learnings.staged_page(
        scope, STAGED_AWAITING, viewer, after=None, limit=COUNTED_MAX
    ).staged
    long_doubted = [memory for memory in doubted if memory.doubted and memory.doubted.since < before]
    return len(held) + len(long_doubted) + sum(item.staged_at < before for item in staged)
