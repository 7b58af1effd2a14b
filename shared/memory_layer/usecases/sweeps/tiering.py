"""Tiering of records: seldom recalled ones out of row and index and into the archive, others back (SPEC 7.15)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.context.usage_tuning import (
    RETURN_DAYS,
    ClassUsage,
    effective_tier_policy,
    tune_by_usage,
)
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.tier_policy import ContentClass, TierPolicy, class_of
from memory_layer.domain.tiers.moves import (
    TierMove,
    crossing_hours,
    is_cooling,
    is_young,
    move_to_frozen,
    move_to_hot,
    move_to_warm,
    text_bytes,
)
from memory_layer.errors import Malformed
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import retry_on_conflict
from memory_layer.usecases.sweeps import move_between_tiers
from memory_layer.usecases.sweeps import step as steps
from memory_layer.usecases.sweeps.evict import evict
from memory_layer.usecases.sweeps.step import StepReport, SweepWalk

LOOKED_UP: Final = 20
"""Records of a page whose history is read, as a sample of all that may have come back."""

_GONE_AND_BACK: Final = 3
"""Least version of a record that was moved twice."""


def begin_usage_count(walk: SweepWalk, scope: Scope) -> None:
    """Begins to measure use at a project's first page; a project that one run does not finish gives no result."""
    walk.worked_out["use", scope] = {}


def count_usage(
    ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy, memories: Sequence[Memory]
) -> None:
    """Adds a page to the measured use. Args: memories: hot or warm ones, as they lie."""
    seen: dict[ContentClass, ClassUsage] | None = walk.worked_out.get(("use", scope))
    if seen is None:
        return
    for memory, use in (*_of_warm(memories, policy), *_of_hot(ports, walk, scope, policy, memories)):
        name = class_of(memory, policy)
        seen[name] = seen.get(name, ClassUsage()) + use


def rebalance(ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    """Tunes cooling by the measured use, if all of the project was seen.

    Raises:
        VersionConflict: others tuned the project every time.
        DamagedSettings
    """
    seen: dict[ContentClass, ClassUsage] = walk.worked_out.pop(("use", scope), {})
    before = after = AssemblyPolicy()

    def attempt() -> None:
        nonlocal before, after
        (settings,) = ports.store.projects.context_settings([scope])
        before, policy = settings.tuning(scope.project), settings.policy.tier_policy
        after = tune_by_usage(before, seen, policy, at=walk.at, by=walk.by)
        if after is not before and not walk.is_dry_run:
            ports.store.writer.commit(Commit(scope=scope, assembly=after))

    if seen:
        retry_on_conflict(attempt)
    moved = sum(after.cooling.get(name) != before.cooling.get(name) for name in after.cooling)
    return StepReport(did={"classes rebalanced": moved} if moved else {})


def _of_warm(memories: Sequence[Memory], policy: TierPolicy) -> Iterator[tuple[Memory, ClassUsage]]:
    for memory in memories:
        if memory.tier == "warm":
            yield (
                memory,
                ClassUsage(stayed=1) if move_to_hot(memory, policy) is None else ClassUsage(returned=1),
            )


def _of_hot(
    ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy, memories: Sequence[Memory]
) -> Iterator[tuple[Memory, ClassUsage]]:
    hot = [memory for memory in memories if memory.tier == "hot"]
    for memory in hot:
        if is_young(memory, policy[class_of(memory, policy)], walk.at):
            yield memory, ClassUsage(young_bytes=text_bytes(memory))
    then = walk.at - timedelta(days=RETURN_DAYS)
    candidates = [memory for memory in hot if memory.version >= _GONE_AND_BACK and memory.updated_at < then]
    looked_up = {memory.id: memory for memory in candidates[:LOOKED_UP]}
    past = ports.store.history.at(scope, looked_up, then) if looked_up else {}
    for id, memory in past.items():
        if memory.tier == "warm":
            yield looked_up[id], ClassUsage(returned=len(candidates) / len(looked_up))


def move_tiers(ports: Ports, walk: SweepWalk) -> StepReport:
    """Moves records project by project, then freezes those of all projects that have been cold for a year."""
    return _in_turn(ports, walk)


def freeze_records(ports: Ports, walk: SweepWalk, memories: Sequence[Memory]) -> StepReport:
    """Freezes those due records that have been cold for a year."""
    moves = [move for move in map(move_to_frozen, memories) if move is not None]
    return move_between_tiers.write_moves("frozen", ports, walk, moves)


def move_page_between_tiers(ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    """Moves one page of a project's records; after the last page, evicts those that exceed their class's room."""
    policy = _policy(ports, scope)
    windows = _windows(walk, policy)
    number, after = _place_of(walk.cursor)
    if number >= len(windows):
        return move_between_tiers.sum_step_reports(
            rebalance(ports, walk, scope), _evicted(ports, walk, scope, policy)
        )
    if walk.cursor is None and walk.since_unless_all is None:
        begin_usage_count(walk, scope)
    ids = move_between_tiers.window_page(ports, walk, scope, windows[number], after)
    memories = move_between_tiers.records_without_bodies(ports, scope, ids)
    count_usage(ports, walk, scope, policy, memories)
    done = _moved_of(ports, walk, scope, policy, memories)
    is_full = len(ids) == walk.page_size(move_between_tiers.PAGE_RECORDS)
    next_place = f"{number}#{ids[-1]}" if is_full else f"{number + 1}#"
    return replace(done, next_cursor=next_place, looked_at=len(ids))


def _policy(ports: Ports, scope: Scope) -> TierPolicy:
    """Tier policy as the project has set it, and use has tuned it."""
    (settings,) = ports.store.projects.context_settings([scope])
    return effective_tier_policy(settings.policy.tier_policy, settings.assembly)


def _evicted(ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy) -> StepReport:
    """Evicts from a project, unless nothing was written: then nothing has grown."""
    since = walk.since_unless_all
    if since is not None and not ports.store.sweeps.written_since(scope, since):
        return StepReport()
    return evict(ports, walk, scope, policy)


def _place_of(cursor: str | None) -> tuple[int, str | None]:
    """Window and last id of a cursor. Raises: Malformed: this sweep has not returned this cursor."""
    if cursor is None:
        return 0, None
    number, separator, after = cursor.partition("#")
    if not (separator and number.isdigit()):
        raise Malformed(f"{cursor!r} is no place in a project's tiers")
    return int(number), after or None


def _windows(walk: SweepWalk, policy: TierPolicy) -> list[move_between_tiers.TierWindow]:
    hours = [timedelta(hours=hours) for hours in crossing_hours(policy)]
    since = walk.since_unless_all
    if since is None:
        return [
            move_between_tiers.TierWindow("warm", None, walk.at + move_between_tiers.TICK),
            move_between_tiers.TierWindow("hot", None, walk.at + move_between_tiers.TICK),
        ]
    crossed = [(since - age, walk.at - age + move_between_tiers.TICK) for age in reversed(hours)]
    return [move_between_tiers.TierWindow("hot", first, until) for first, until in _joined(crossed)]


def _joined(spans: Sequence[tuple[datetime, datetime]]) -> Iterator[tuple[datetime, datetime]]:
    """Joins spans that overlap. Args: spans: by their beginning."""
    since, until = spans[0]
    for next_since, next_until in spans[1:]:
        if next_since > until:
            yield since, until
            since = next_since
        until = max(until, next_until)
    yield since, until


def _moved_of(
    ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy, memories: Sequence[Memory]
) -> StepReport:
    down = _cooled(ports, walk, scope, policy, [memory for memory in memories if memory.tier == "hot"])
    rising = [memory for memory in memories if move_to_hot(memory, policy) is not None]
    up = [
        move
        for move in (move_to_hot(memory, policy) for memory in ports.store.memories.whole(rising))
        if move
    ]
    return move_between_tiers.sum_step_reports(
        move_between_tiers.write_moves("warm", ports, walk, down),
        move_between_tiers.write_moves("hot", ports, walk, up),
    )


def _cooled(
    ports: Ports, walk: SweepWalk, scope: Scope, policy: TierPolicy, memories: Sequence[Memory]
) -> list[TierMove]:
    cooling = [one for one in memories if is_cooling(one, policy[class_of(one, policy)], walk.at)]
    room = move_between_tiers.room_of_pins(ports, walk, scope, policy, cooling)
    packed_bytes = ports.store.memories.packed_bytes
    moves = (move_to_warm(one, policy, walk.at, packed_bytes=packed_bytes, room=room) for one in cooling)
    return [move for move in moves if move is not None]


_in_turn: Final = steps.projects_then_due_records(
    steps.over_projects(move_page_between_tiers),
    steps.over_due_records(freeze_records, move_between_tiers.PAGE_RECORDS),
)
