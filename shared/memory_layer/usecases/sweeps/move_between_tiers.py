"""Moves of records between tiers: found by the index, read as they lie, written each by itself."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from memory_layer.domain.memory import Memory, Ref, Scope, Tier, content_hash, is_stub
from memory_layer.domain.tier_policy import TierPolicy, class_of
from memory_layer.domain.tiers.moves import MOVED, PinRoom, TierMove, has_no_limit, may_be_held, room_for_pins
from memory_layer.ports.commit import Change
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.entity_memories import EVERYONE
from memory_layer.usecases.sweeps.step import StepReport, SweepWalk, damage_sentence, sweep_change, write

PAGE_RECORDS: Final = 200

TICK: Final = timedelta(microseconds=1)
"""Added to a window's end, so that it includes its last moment."""


class TierWindow(NamedTuple):
    """Records of one tier that were changed between two moments; `since` None: from the beginning."""

    tier: Tier
    since: datetime | None
    until: datetime


def window_page(
    ports: Ports, walk: SweepWalk, scope: Scope, window: TierWindow, after: str | None
) -> list[str]:
    """Reads a page of ids of the records in a window."""
    limit = walk.page_size(PAGE_RECORDS)
    return ports.index.settled(
        scope, window.tier, since=window.since, until=window.until, after=after, k=limit
    )


def records_without_bodies(ports: Ports, scope: Scope, ids: Sequence[str]) -> list[Memory]:
    """Reads records as they lie, without bodies: the index is no authority."""
    refs = [Ref(scope.project, id) for id in ids]
    return list(ports.store.memories.get_many(scope.tenant, refs, with_bodies=False).values())


def room_of_pins(
    ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy, moving: Sequence[Memory]
) -> PinRoom:
    """Finds the room that pins have, if a moving record may be pinned; once in a run, for it reads all new records."""
    if not any(may_be_held(memory, policy[class_of(memory, policy)], walk.at) for memory in moving):
        return PinRoom()
    if ("room", scope) not in walk.worked_out:
        walk.worked_out["room", scope] = _room(ports, walk, scope, policy)
    room: PinRoom = walk.worked_out["room", scope]
    return room


def _room(ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy) -> PinRoom:
    """Room that pins have in a project; no record is read if all hot ones have room."""
    stats = ports.index.stats(scope, EVERYONE, now=walk.at)
    if has_no_limit(stats.tiers["hot"][1], policy):
        return PinRoom()
    longest = max(rules.pin.ttl_hours for rules in policy.values())
    new = TierWindow("hot", walk.at - timedelta(hours=longest), walk.at + TICK)
    return room_for_pins(records_in_window(ports, walk, scope, new), policy, walk.at)


def records_in_window(ports: Ports, walk: SweepWalk, scope: Scope, window: TierWindow) -> Iterator[Memory]:
    """Reads all records in a window as they lie, a page at a time."""
    after: str | None = None
    while ids := window_page(ports, walk, scope, window, after):
        yield from records_without_bodies(ports, scope, ids)
        after = ids[-1]


def write_moves(tier: Tier, ports: Ports, walk: SweepWalk, moves: Sequence[TierMove]) -> StepReport:
    """Writes moves, each by itself, and counts them by their target tier.

    Raises:
        Unavailable: nothing could be written.
    """
    damaged = [damage_sentence(move.before) for move in moves if _is_damaged(move.before)]
    changes = [_change(walk, move) for move in moves if not _is_damaged(move.before)]
    done = _written(ports, walk, changes) if changes else StepReport()
    count = done.did.get(MOVED, 0)
    return replace(done, did={tier: count} if count else {}, failed=(*damaged, *done.failed))


def _is_damaged(memory: Memory) -> bool:
    return not is_stub(memory) and content_hash(memory.content) != memory.content_hash


def _change(walk: SweepWalk, move: TierMove) -> Change:
    return replace(sweep_change(walk, move.before, move.after, MOVED), reason=move.reason)


def _written(ports: Ports, walk: SweepWalk, changes: Sequence[Change]) -> StepReport:
    """Writes changes; a record whose body cannot be read stays in its tier, and holds up no other.

    Raises:
        Unavailable: the store, or the blobs, do not answer.
    """
    stubs = [change.memory for change in changes if is_stub(change.memory)]
    lost = {memory.ref for memory in stubs} - {memory.ref for memory in ports.store.memories.whole(stubs)}
    done = write(ports, walk, [change for change in changes if change.memory.ref not in lost])
    told = [damage_sentence(memory) for memory in stubs if memory.ref in lost]
    return replace(done, failed=(*told, *done.failed))


def sum_step_reports(*dones: StepReport) -> StepReport:
    """Adds the reports of several steps up."""
    did: dict[str, int] = {}
    for done in dones:
        for name, count in done.did.items():
            did[name] = did.get(name, 0) + count
    failed = tuple(sentence for done in dones for sentence in done.failed)
    return StepReport(looked_at=sum(done.looked_at for done in dones), did=did, failed=failed)
