"""Eviction of memories that exceed their content class's room: cold ones are listed and read, but not searched."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from memory_layer.domain.integrity.verification import StoredRecord
from memory_layer.domain.memory import Scope, Tier
from memory_layer.domain.tier_policy import TierPolicy
from memory_layer.domain.tiers.eviction import EvictionCandidate, may_exceed, near, select_evictions
from memory_layer.domain.tiers.moves import is_held, move_to_cold, text_bytes
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.entity_memories import EVERYONE
from memory_layer.usecases.sweeps import move_between_tiers
from memory_layer.usecases.sweeps.step import StepReport, SweepWalk

_log = logging.getLogger(__name__)

NEAR: Final[tuple[Tier, ...]] = ("hot", "warm")


def evict(ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy) -> StepReport:
    """Evicts memories until each class fits its limit; hot and warm ones are read only if a class may exceed it.

    Memories that a person has pinned are neither moved nor counted.

    Raises:
        IndexUnavailable, StoreUnavailable
    """
    tiers = ports.index.stats(scope, EVERYONE, now=walk.at).tiers
    if not may_exceed(sum(tiers[tier][1] for tier in NEAR), policy):
        return StepReport()
    found = _near(ports, walk, scope, policy)
    if found is None:
        said = "it holds more than it may, and could not be looked through in the time that there was"
        return StepReport(failed=(f"{scope.project}: {said}; run: mem sweep tiering",))
    return _chilled(ports, walk, scope, policy, select_evictions(found, policy))


def _near(ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy) -> list[EvictionCandidate] | None:
    """Memories that may be evicted; None: the time was up before all were seen."""
    found: dict[str, EvictionCandidate] = {}
    for tier in NEAR:
        for page in _pages(ports, walk, scope, tier):
            if walk.is_over(ports.clock.now()):
                return None
            found |= {one.id: one for one in _sized(ports, walk, scope, policy, page)}
    return list(found.values())


def _pages(ports: Ports, walk: SweepWalk, scope: Scope, tier: Tier) -> Iterator[list[str]]:
    after: str | None = None
    while ids := move_between_tiers.window_page(
        ports,
        walk,
        scope,
        move_between_tiers.TierWindow(tier, None, walk.at + move_between_tiers.TICK),
        after,
    ):
        yield ids
        after = ids[-1]


def _sized(
    ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy, ids: Sequence[str]
) -> Iterator[EvictionCandidate]:
    kept = ports.store.integrity.kept_under(scope, ids, with_history=False)
    there = [(one, one.memory) for one in kept if one.memory is not None and one.memory.tier in NEAR]
    room = move_between_tiers.room_of_pins(ports, walk, scope, policy, [memory for _, memory in there])
    for one, memory in there:
        if not memory.pinned and not is_held(memory, policy, walk.at, room):
            yield near(memory, _text_bytes(one), policy, walk.at)


def _text_bytes(kept: StoredRecord) -> int:
    """Bytes of all words of a record, in its row or in a body."""
    if kept.memory is None:
        return 0
    shown = len(kept.memory.content.encode())
    return text_bytes(kept.memory) + (0 if kept.body_bytes is None else kept.body_bytes - shown)


def _chilled(
    ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy, ids: Sequence[str]
) -> StepReport:
    """Moves these records to the cold tier while there is time; the next run decides anew about the others."""
    done = StepReport()
    if ids and not walk.is_dry_run:
        said = "%d memories of %s go cold: their classes hold more than they may"
        _log.warning(said, len(ids), scope.project)
    step = walk.page_size(move_between_tiers.PAGE_RECORDS)
    for start in range(0, len(ids), step):
        memories = move_between_tiers.records_without_bodies(ports, scope, ids[start : start + step])
        moves = [move for move in (move_to_cold(memory, policy, walk.at) for memory in memories) if move]
        done = move_between_tiers.sum_step_reports(
            done, move_between_tiers.write_moves("cold", ports, walk, moves)
        )
        if walk.is_over(ports.clock.now()):
            break
    return replace(done, looked_at=len(ids))
