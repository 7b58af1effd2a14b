"""Moves of memories between tiers, with their reasons: pure rules; clock and compression ratio are arguments."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from memory_layer.domain import tier_policy
from memory_layer.domain.memory import BODY_MIN_BYTES, OUT_OF_RECALL, Memory, Tier
from memory_layer.domain.time.decay import FREEZE_AFTER_DAYS, is_freezing

MOVED: Final = "moved"
"""Verb of a change of tier that a sweep makes."""

Compressor = Callable[[str], int]
"""Function that returns the size in bytes of a text stored as a body."""


class TierMove(NamedTuple):
    """Record in its new tier, at its next version, with the reason of the move."""

    before: Memory
    after: Memory
    reason: str


class PinRoom(NamedTuple):
    """Room for pinned memories by class: the newest are held, from this time of change on; absent: all are held."""

    held_since: Mapping[tier_policy.ContentClass, datetime] = {}


def moved(memory: Memory, tier: Tier, why: str) -> TierMove:
    after = replace(memory, tier=tier, version=memory.version + 1)
    return TierMove(memory, after, f"{tier}: {why}")


def last_touched(memory: Memory) -> datetime:
    """Time that a memory's age counts from: its last change of content, or its last recall."""
    return max(memory.updated_at, memory.last_accessed_at or memory.updated_at)


def crossing_hours(policy: tier_policy.TierPolicy) -> tuple[int, ...]:
    """Hours untouched after which a memory may have to move: the age of its class, or the end of its pin."""
    at_age = {rules.compress.age_threshold_hours for rules in policy.values()}
    at_lapse = {max(rules.compress.age_threshold_hours, rules.pin.ttl_hours) for rules in policy.values()}
    return tuple(sorted(at_age | at_lapse))


def is_cooling(memory: Memory, rules: tier_policy.TierRules, now: datetime) -> bool:
    """Tests if a hot memory is old and seldom recalled enough to leave its row, regardless of pins and content."""
    return _is_seldom_recalled(memory, rules) and is_old(memory, rules, now)


def is_young(memory: Memory, rules: tier_policy.TierRules, now: datetime) -> bool:
    """Tests if its age alone keeps a hot memory from cooling."""
    return _is_seldom_recalled(memory, rules) and not is_old(memory, rules, now)


def _is_seldom_recalled(memory: Memory, rules: tier_policy.TierRules) -> bool:
    is_seldom = memory.access_count < rules.compress.access_threshold
    return memory.tier == "hot" and not memory.pinned and is_seldom


def is_old(memory: Memory, rules: tier_policy.TierRules, now: datetime) -> bool:
    """Tests if a memory was untouched for as long as its class requires."""
    return now - last_touched(memory) >= timedelta(hours=rules.compress.age_threshold_hours)


def has_no_limit(hot_bytes: int, policy: tier_policy.TierPolicy) -> bool:
    """Tests if all memories that any class may pin have room. Args: hot_bytes: of all hot memories."""
    limits = [rules.pin.max_size_mb for rules in policy.values() if rules.pin.patterns]
    return hot_bytes <= min(limits, default=0) * tier_policy.MB


def may_be_held(memory: Memory, rules: tier_policy.TierRules, now: datetime) -> bool:
    """Tests if the policy of its class pins a memory, room aside."""
    return not tier_policy.has_lapsed(memory, rules, now) and tier_policy.matches_pin(memory, rules)


def move_to_warm(
    memory: Memory, policy: tier_policy.TierPolicy, now: datetime, *, packed_bytes: Compressor, room: PinRoom
) -> TierMove | None:
    """Moves a hot memory to warm; None: it stays.

    Args:
        packed_bytes: called only for contents that would leave their row.
    """
    rules = policy[tier_policy.class_of(memory, policy)]
    if not is_cooling(memory, rules, now) or is_held(memory, policy, now, room):
        return None
    if not _is_worth_it(memory.content, rules.compress.compression_ratio, packed_bytes):
        return None
    return moved(memory, "warm", _age_and_use(memory, now))


def is_held(memory: Memory, policy: tier_policy.TierPolicy, now: datetime, room: PinRoom) -> bool:
    """Tests if the policy of its class pins a memory, within its room."""
    name = tier_policy.class_of(memory, policy)
    held_since = room.held_since.get(name)
    has_room = held_since is None or memory.updated_at >= held_since
    return has_room and may_be_held(memory, policy[name], now)


def _is_worth_it(content: str, ratio: float, packed_bytes: Compressor) -> bool:
    """Tests if a move pays off: short contents stay in their row anyway, and long ones must compress well."""
    size = len(content.encode())
    return size < BODY_MIN_BYTES or packed_bytes(content) <= ratio * size


def room_for_pins(memories: Iterable[Memory], policy: tier_policy.TierPolicy, now: datetime) -> PinRoom:
    """Room for pins in each class, as the time it reaches back to. Args: memories: all hot ones that may be held."""
    found: dict[tier_policy.ContentClass, list[tuple[datetime, int]]] = {}
    for memory in memories:
        name = tier_policy.class_of(memory, policy)
        if may_be_held(memory, policy[name], now):
            found.setdefault(name, []).append((memory.updated_at, text_bytes(memory)))
    cut = {name: _cut(held, policy[name].pin.max_size_mb * tier_policy.MB) for name, held in found.items()}
    return PinRoom({name: since for name, since in cut.items() if since is not None})


def _cut(held: list[tuple[datetime, int]], max_bytes: int) -> datetime | None:
    """Time before which changed memories have no room any more; None: all have room."""
    total = 0
    for changed_at, size in sorted(held, reverse=True):
        total += size
        if total > max_bytes:
            return changed_at + timedelta(microseconds=1)
    return None


def text_bytes(memory: Memory) -> int:
    """Size of a memory's content in its row, and of its context, in UTF-8."""
    return len(memory.content.encode()) + len((memory.context or "").encode())


def move_to_hot(memory: Memory, policy: tier_policy.TierPolicy, *, uncounted: int = 0) -> TierMove | None:
    """Moves a warm memory that is recalled as often as hot ones back to hot; None: it stays.

    Args:
        uncounted: recent accesses that may not be in its count yet.
    """
    count = memory.access_count + uncounted
    if (
        memory.tier != "warm"
        or count < policy[tier_policy.class_of(memory, policy)].compress.access_threshold
    ):
        return None
    return moved(memory, "hot", _times(count))


def move_to_frozen(memory: Memory) -> TierMove | None:
    """Moves a cold memory out of use to frozen; None: it is not such. `decay.due_at` tells when a year has passed."""
    if not is_freezing(memory):
        return None
    return moved(memory, "frozen", f"cold for {FREEZE_AFTER_DAYS} days, and {memory.status}")


def move_to_cold(memory: Memory, policy: tier_policy.TierPolicy, now: datetime) -> TierMove | None:
    """Moves an evicted memory to cold; None: it is pinned by now, or no longer hot or warm."""
    if memory.pinned or memory.tier in OUT_OF_RECALL:
        return None
    name = tier_policy.class_of(memory, policy)
    limit = f"{name} holds more than {policy[name].evict.max_total_size_gb:g} GB"
    return moved(memory, "cold", f"{limit}; {_age_and_use(memory, now)}")


def _age_and_use(memory: Memory, now: datetime) -> str:
    age = now - last_touched(memory)
    hours = age // timedelta(hours=1)
    old = f"{hours} hours" if hours < 48 else f"{age.days} days"
    return f"{old} old, {_times(memory.access_count)}"


def _times(count: int) -> str:
    return "1 access" if count == 1 else f"{count} accesses"
