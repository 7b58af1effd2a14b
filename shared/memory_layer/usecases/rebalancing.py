"""What the walk over all tiers sees of their use, and the tuning that it comes to (domain.tier_tuning)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from memory_layer.domain.context.policy import AssemblyPolicy
from memory_layer.domain.context.usage_tuning import RETURN_DAYS, Use, rebalanced
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.tier_policy import ContentClass, TierPolicy, class_of
from memory_layer.domain.tiers.moves import is_young, text_bytes, warmed
from memory_layer.ports.commit import Commit
from memory_layer.ports.records import Ports
from memory_layer.usecases.ground.change_record import until_written
from memory_layer.usecases.sweeps.step import Done, Walk

LOOKED_UP: Final = 20
"""Records of a page whose past is read; they stand for all of it that may have come back."""

_GONE_AND_BACK: Final = 3
"""The version that a record has at least which was moved twice."""


def begin_watch(walk: Walk, scope: Scope) -> None:
    """From the first page of a project on: of one that is not seen through in one run nothing is concluded."""
    walk.worked_out["use", scope] = {}


def watch_use(ports: Ports, walk: Walk, scope: Scope, policy: TierPolicy, memories: Sequence[Memory]) -> None:
    """Count a page in. Args: memories: hot or warm ones, as they lie."""
    seen: dict[ContentClass, Use] | None = walk.worked_out.get(("use", scope))
    if seen is None:
        return
    for memory, use in (*_of_warm(memories, policy), *_of_hot(ports, walk, scope, policy, memories)):
        name = class_of(memory, policy)
        seen[name] = seen.get(name, Use()) + use


def rebalance(ports: Ports, walk: Walk, scope: Scope) -> Done:
    """Tune by what was watched; nothing where that is not all.

    Raises:
        VersionConflict: others tuned it all the time.
    """
    seen: dict[ContentClass, Use] = walk.worked_out.pop(("use", scope), {})
    before = after = AssemblyPolicy()

    def attempt() -> None:
        nonlocal before, after
        (settings,) = ports.store.context_settings([scope])
        before, policy = settings.assembly, settings.policy.tier_policy
        after = rebalanced(before, seen, policy, at=walk.at, by=walk.by)
        if after is not before and not walk.is_dry_run:
            ports.store.commit(Commit(scope=scope, assembly=after))

    if seen:
        until_written(attempt)
    moved = sum(after.cooling.get(name) != before.cooling.get(name) for name in after.cooling)
    return Done(did={"classes rebalanced": moved} if moved else {})


def _of_warm(memories: Sequence[Memory], policy: TierPolicy) -> Iterator[tuple[Memory, Use]]:
    for memory in memories:
        if memory.tier == "warm":
            yield memory, Use(stayed=1) if warmed(memory, policy) is None else Use(returned=1)


def _of_hot(
    ports: Ports, walk: Walk, scope: Scope, policy: TierPolicy, memories: Sequence[Memory]
) -> Iterator[tuple[Memory, Use]]:
    hot = [memory for memory in memories if memory.tier == "hot"]
    for memory in hot:
        if is_young(memory, policy[class_of(memory, policy)], walk.at):
            yield memory, Use(young_bytes=text_bytes(memory))
    then = walk.at - timedelta(days=RETURN_DAYS)
    candidates = [memory for memory in hot if memory.version >= _GONE_AND_BACK and memory.updated_at < then]
    looked_up = {memory.id: memory for memory in candidates[:LOOKED_UP]}
    past = ports.store.versions_at(scope, looked_up, then) if looked_up else {}
    for id, memory in past.items():
        if memory.tier == "warm":
            yield looked_up[id], Use(returned=len(candidates) / len(looked_up))
