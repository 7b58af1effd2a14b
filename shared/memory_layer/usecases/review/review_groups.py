"""Groups of what waits for a person: sixty held-back texts of one principal are one decision."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal, get_args

from memory_layer.domain.access import Principal, review_viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory
from memory_layer.domain.proposals import targets
from memory_layer.domain.remedies import give
from memory_layer.errors import Forbidden, Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.review.review import AWAITING, STAGED_AWAITING, Awaiting, Outcome, decide_all

HeldBack = Literal["pending", "quarantined"]
GroupAct = Literal["approve", "reject", "archive"]

GROUP_MAX: Final = 100
"""Memories that one decision on a group reaches, the oldest first."""

WAITING_LONG: Final = timedelta(days=14)
COUNTED_MAX: Final = 100
"""Most that are counted of each kind that waits long."""


@dataclass(frozen=True, slots=True)
class SeenMemory:
    """Memory as a reviewer has looked at it.

    Args:
        version: the version that was looked at.
    """

    id: str
    version: int


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """Memories of one principal that wait for the same reason.

    Args:
        seen: each, at the version that is shown.
        principal: who wrote them.
        kind: why they wait.
        count: how many they are.
    """

    principal: str
    kind: str
    count: int
    seen: tuple[SeenMemory, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupDecision:
    """Decision on one memory of a group, at the version that it had when the group was read."""

    id: str
    version: int
    decision: GroupAct
    reason: str | None
    seen_versions: Mapping[str, int] | None = None


def groups_of(items: Iterable[Awaiting]) -> list[ReviewGroup]:
    """Groups of the held-back memories among these items, the largest first."""
    held: dict[tuple[str, str], list[SeenMemory]] = defaultdict(list)
    for item in items:
        if isinstance(item, Memory) and item.status in get_args(HeldBack):
            held[item.created_by, item.status].append(SeenMemory(item.id, item.version))
    ordered = sorted(held.items(), key=lambda one: (-len(one[1]), one[0]))
    return [ReviewGroup(*whose, len(seen), tuple(seen)) for whose, seen in ordered]


def decide_group(
    ports: Ports,
    reviewer: Principal,
    project: str,
    principal: str,
    kind: HeldBack,
    decision: GroupAct,
    reason: str | None,
    seen: Sequence[SeenMemory] | None = None,
) -> list[tuple[str, Outcome]]:
    """Decides on what one principal has waiting, up to 100, as one decision.

    Args:
        seen: those that were looked at; what came since waits on, and what was changed since is not decided on. A
            proposal takes the place of those among them alone.

    Raises:
        Invalid: an approval of what was not looked at.
    """
    if decision == "approve" and seen is None:
        raise Invalid.at("/group/seen", "an approval is of words that were looked at", give("/group/seen"))
    scope, now = reviewer.scope(project), ports.clock.now()
    asked = Filters(status=(kind,), created_by=(principal,))
    page = ports.store.memories.page(
        scope, asked, review_viewer_of(reviewer), now=now, after=None, limit=GROUP_MAX, oldest_first=True
    )
    waiting = {memory.id: memory.version for memory in page.memories}
    looked_at = waiting if seen is None else {one.id: one.version for one in seen if one.id in waiting}
    places = {memory.id: _places(memory, seen) for memory in page.memories if decision == "approve"}
    decisions = [
        GroupDecision(id, version, decision, reason, places.get(id)) for id, version in looked_at.items()
    ]
    outcomes = decide_all(ports, reviewer, project, [(one, None) for one in decisions])
    return [(one.id, outcome) for one, outcome in zip(decisions, outcomes, strict=True)]


def _places(proposal: Memory, seen: Sequence[SeenMemory] | None) -> Mapping[str, int]:
    """Memories that were looked at and in whose place one would go, by id, with the versions looked at."""
    proposed_for = targets(proposal)
    return {one.id: one.version for one in seen or () if one.id in proposed_for}


def held_back_by(ports: Ports, reviewer: Principal, project: str, principal: str) -> list[Memory]:
    """Lists what one principal has waiting, the oldest first, at most 100. Raises: Forbidden: for reviewers."""
    if not reviewer.is_reviewer:
        raise Forbidden("what waits is for reviewers; ask one, or use a token with the role reviewer")
    asked = Filters(status=get_args(HeldBack), created_by=(principal,))
    page = ports.store.memories.page(
        reviewer.scope(project),
        asked,
        review_viewer_of(reviewer),
        now=ports.clock.now(),
        after=None,
        limit=GROUP_MAX,
        oldest_first=True,
    )
    return list(page.memories)


def waiting_long(ports: Ports, principal: Principal, project: str) -> int:
    """Counts what has waited for a person for 14 days, of each kind at most 100."""
    scope, viewer, now = principal.scope(project), review_viewer_of(principal), ports.clock.now()
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
